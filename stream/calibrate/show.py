"""What was measured, as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from judges.agreement import Agreement, Figure, Gap
from judges.calibration.between import Between
from judges.calibration.calibrate import Bar, Calibration, Measured, Shortfall

_WHY = {
    Shortfall.FEW_LABELS: "too few labels",
    Shortfall.BELOW: "below the bar",
    Gap.ONE_CLASS: "all of one class: kappa is not defined",
    Gap.NO_ITEMS: "nothing in common",
    Gap.TOO_FEW: "too few labels",
}
_NAMES = 12


def calibration_lines(found: Calibration, bar: Bar) -> Iterator[str]:
    """A block for each judge: a line for each measure and language, and the confusion of classes."""
    for name, truth in found.people.items():
        if truth.annotators > 1:
            agreed = f"people among themselves, {name}: alpha {figure(truth.alpha)}"
            yield f"{agreed} of {truth.alpha.n:,} traces, {truth.annotators} annotators"
        if truth.undecided:
            yield f"left out, {name}: {truth.undecided:,} traces on which annotators cancel each other out"
    for key, measured in groupby(found.measured, key=lambda one: one.key):
        yield ""
        yield str(key)
        kept = list(measured)
        for one in kept:
            yield f"  {_row(one, bar)}"
        for one in kept:
            if not one.language:
                yield from _confusion(one.measure, one.agreement, "people", "judge")
    for reason, count in sorted(found.left_out.items()):
        if count:
            yield f"left out: {count:,} ({reason})" if not reason.count(", line ") else f"left out: {reason}"


def between_lines(found: Iterable[Between]) -> Iterator[str]:
    """A block for each two judges."""
    for (first, second), pairs in groupby(found, key=lambda one: (one.first, one.second)):
        yield ""
        yield f"{first}  and  {second}"
        kept = list(pairs)
        for one in kept:
            yield f"  {one.measure:<20} {one.language or 'all':<4} {_figures(one.agreement)}"
        for one in kept:
            if not one.language:
                yield from _confusion(one.measure, one.agreement, str(first), str(second))


def figure(one: Figure) -> str:
    """A figure with its interval, or a dash."""
    if one.value is None:
        return "–"
    if one.low is None or one.high is None:
        return f"{one.value:.2f}"
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"


def _row(one: Measured, bar: Bar) -> str:
    traffic = ""
    if one.traffic.value is not None:
        traffic = f"  in the traffic {figure(one.traffic)} (worth {one.effective_n:.0f})"
    said = "calibrated" if one.calibrated else f"uncalibrated: {_why(one, bar)}"
    return f"{one.measure:<20} {one.language or 'all':<4} {_figures(one.agreement)}{traffic}  {said}"


def _figures(agreement: Agreement) -> str:
    text = (
        f"n {agreement.n:>5,}  kappa {figure(agreement.kappa):<19} "
        f"raw {figure(agreement.raw):<19} AC1 {figure(agreement.ac1):<19} PABAK {figure(agreement.adjusted)}"
    )
    for name, weighted in agreement.weighted.items():
        text += f"  {name.value} kappa {figure(weighted)}"
    return text


def _why(one: Measured, bar: Bar) -> str:
    why = _WHY.get(one.shortfall, one.shortfall)  # type: ignore[call-overload]
    if one.shortfall == Shortfall.FEW_LABELS:
        return f"{why} ({one.agreement.n} of {bar.min_labels})"
    if one.shortfall == Shortfall.BELOW:
        return f"{why} ({bar.min_kappa:g})"
    return str(why)


def _confusion(measure: str, agreement: Agreement, first: str, second: str) -> Iterator[str]:
    used = [index for index, name in enumerate(agreement.classes) if name in agreement.by_class]
    if len(used) < 2:
        return
    names = [str(agreement.classes[index]) for index in used]
    width = max(len(name) for name in names)
    yield f"  {measure}: rows {first}, columns {second}"
    yield f"    {'':<{width}} " + " ".join(f"{name[:_NAMES]:>{_NAMES}}" for name in names)
    for index, name in zip(used, names, strict=True):
        cells = " ".join(f"{agreement.confusion[index][column]:>{_NAMES},}" for column in used)
        one = agreement.by_class[agreement.classes[index]]
        yield f"    {name:<{width}} {cells}   kappa against the rest {figure(one.kappa)}"


__all__ = ["between_lines", "calibration_lines", "figure"]
