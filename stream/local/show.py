"""The demonstration, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from stream.calibrate.show import figure
from stream.local.demonstrate import Demonstration

CAVEAT: Final = (
    "A demonstration of judging without a key: a small model on simulated traces. No claim about quality "
    "rests on these figures."
)


def demonstration_lines(found: Demonstration) -> Iterator[str]:
    """Agreement with the injected truth: all of it, and by language."""
    each = found.seconds / max(found.judged, 1)
    yield (
        f"{found.model}: {found.judged:,} traces judged in {found.seconds:,.0f} s ({each:.1f} s each, "
        f"{found.usage.calls:,} questions)"
    )
    for reason, count in sorted(found.unjudged.items()):
        yield f"not judged: {count:,} ({reason})"
    yield ""
    yield "agreement with the injected truth (hallucination or healthy)"
    for one in found.shown:
        agreement = one.agreement
        auc = "–" if one.auc is None else f"{one.auc:.2f}"
        yield (
            f"  {one.language or 'all':<4} n {agreement.n:>4}  kappa {figure(agreement.kappa):<21} "
            f"raw {figure(agreement.raw):<21} AUC {auc}"
        )
    everything = found.shown[0].agreement.confusion if found.shown else [[0, 0], [0, 0]]
    (right_no, false_alarm), (missed, right_yes) = everything
    found_of, alarms_of = f"{right_yes} of {right_yes + missed}", f"{false_alarm} of {right_no + false_alarm}"
    yield f"  hallucinations found: {found_of}; false alarms: {alarms_of}"
    yield ""
    yield CAVEAT


__all__ = ["CAVEAT", "demonstration_lines"]
