"""A report as people read it: a few lines, a table of slices, and what stands against a promotion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from stream.terminal import printable

_MEASURES: Final = ("auroc", "balanced_accuracy", "f1", "brier", "ece")
_HEADS: Final = ("AUROC", "bal. acc.", "F1 at .5", "Brier", "ECE")
Estimate = Sequence[float] | None


def report_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The report as lines of text, at most about 110 characters wide."""
    labels, split = report["labels"], report["split"]
    sources = ", ".join(f"{count:,} by {source}" for source, count in labels["by_source"].items() if count)
    yield f"{report['version']}, on top of {report['parent']}, seed {report['seed']}"
    yield (
        f"labels: {labels['traces']:,} traces ({sources}): {labels['hallucinated']:,} hallucinated, "
        f"{labels['supported']:,} supported, {labels['with_class_only']:,} with a class only"
    )
    for reason, count in report.get("left_out", {}).items():
        yield f"  {count:,} left out: {reason}"
    when = f", from {split['cut'][:16]}" if split["cut"] else ""
    yield (
        f"split: {split['teaching']:,} teach, {split['examining']:,} examine{when}; "
        f"{split['left_out']:,} do neither (their group is on the other side, or they have no claims)"
    )
    yield f"added: {report['trees_added']} trees on claims, and new calibration curves"
    yield ""
    yield "Held-out rows: serving → candidate, and the gain with its 95 % interval (positive is better)"
    yield from _table(report["slices"])
    if report["canaries"]:
        yield ""
        yield "Canaries: good answers, and the same with something false in them"
        yield from _table(report["canaries"])
    yield ""
    yield from _verdict(report["promotion"])


def _table(slices: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield f"  {'slice':<26} {'rows':>6} {'bad':>5}  " + " ".join(f"{h:<13}" for h in _HEADS) + " gain"
    for found in slices:
        name = printable(f"{found['kind']} {found['name']}".strip())[:26]
        cells = [_change(found["serving"].get(m), found["candidate"].get(m)) for m in _MEASURES]
        first = next((m for m in ("auroc", "f1") if found["gain"].get(m)), None)
        gain = f"{first} {_gain(found['gain'][first])}" if first else ""
        yield (
            f"  {name:<26} {found['rows']:>6,} {found['positives']:>5,}  "
            + " ".join(f"{cell:<13}" for cell in cells)
            + f" {gain}"
        ).rstrip()


def _verdict(promotion: Mapping[str, Any]) -> Iterator[str]:
    if promotion["allowed"]:
        yield "Nothing stands against a promotion."
        return
    yield "Against a promotion:"
    for objection in promotion["objections"]:
        yield f"  - {objection['sentence']}"


def _change(before: Estimate, after: Estimate) -> str:
    return f"{before[0]:.3f} → {after[0]:.3f}" if before and after else "–"


def _gain(gain: Sequence[float]) -> str:
    return f"{gain[0]:+.3f} ({gain[1]:+.3f} to {gain[2]:+.3f})"


__all__ = ["report_lines"]
