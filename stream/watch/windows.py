"""Rows of table `rates`: each measure of each segment over the windows that end now. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from schemas.taxonomy import MEASURED
from stream.watch.bins import COVERAGES, MEASURES
from stream.watch.changes import COMPARED, EXPECTED, Changes, N, interval_of
from stream.watch.measures import ALERTED, told
from stream.watch.records import Floats, Measure, SegmentKey

WINDOWS: Final = {300: 60, 3_600: 300, 86_400: 3_600}
"""Each window in seconds, and how often it is computed anew at most."""
LEVEL: Final = 0.95
_BY_CHUNKS: Final = (Measure.HALLUCINATION, Measure.FAITHFULNESS)
"""Measured only where answer and chunks are there; everything else is measured on every trace."""
_UNMEASURED: Final = tuple(
    (place, name) for place, name in enumerate(COVERAGES) if name not in {one.value for one in MEASURED}
)


@dataclass(slots=True, frozen=True)
class RateNow:
    """One measure of one segment over one window; faithfulness the right way up. Null: nothing measured."""

    at: float
    window_s: int
    segment: SegmentKey
    measure: str
    """One of Measure, or `judged_agreement`."""
    traces: float
    measured: float
    not_measured: dict[str, int]
    value: float | None
    low: float | None
    high: float | None
    effective_n: float
    cheap: tuple[float | None, float | None, float | None]
    """Value, low and high as the scorer alone has them, whatever verdicts made of them."""
    method: str
    judged: int
    baseline: float | None
    evidence: float | None
    threshold: float | None
    """The evidence from which on there is an incident; not kept in the table."""
    scorer_version: str

    def row(self, stamp: str, computed_at: str) -> dict[str, Any]:
        """As table `rates` has it."""
        return {
            "at": stamp,
            "window_s": self.window_s,
            "measure": str(self.measure),
            "segment": self.segment.text,
            "app": self.segment.value("app"),
            "tenant": self.segment.value("tenant"),
            "language": self.segment.value("language"),
            "traces": round(self.traces),
            "measured": round(self.measured),
            "not_measured": self.not_measured,
            "cheap_value": self.cheap[0],
            "cheap_low": self.cheap[1],
            "cheap_high": self.cheap[2],
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": LEVEL,
            "method": self.method,
            "judged": self.judged,
            "effective_n": self.effective_n,
            "baseline": self.baseline,
            "evidence": self.evidence,
            "scorer_version": self.scorer_version,
            "computed_at": computed_at,
        }


def rates_of(changes: Changes, at: float, window_s: int, scorer_version: str) -> Iterator[RateNow]:
    """All that there is to say of a window; segments without traffic in it are left out."""
    sums = changes.tally.total(at - window_s, at)
    traffic = changes.traffic.total(at - window_s, at)
    for place, segment in enumerate(changes.watched.keys):
        if segment is None or traffic[place].sum() <= 0:
            continue
        for number, measure in enumerate(MEASURES):
            yield _rate(
                changes,
                at,
                window_s,
                segment,
                place,
                measure,
                sums[number, place],
                traffic[place],
                scorer_version,
            )


def _rate(
    changes: Changes,
    at: float,
    window_s: int,
    segment: SegmentKey,
    place: int,
    measure: Measure,
    sums: Floats,
    coverage: Floats,
    scorer_version: str,
) -> RateNow:
    effect = changes.effect(measure, place)
    value, low, high = interval_of(sums, effect, LEVEL)
    ends = sorted((told(measure, low), told(measure, high)))
    measured = bool(sums[N] > 0)
    usual = told(measure, float(sums[EXPECTED] / sums[COMPARED])) if sums[COMPARED] > 0 else None
    missing = {name: round(coverage[number]) for number, name in _UNMEASURED if coverage[number] > 0}
    cheap = (told(measure, value), ends[0], ends[1]) if measured else (None, None, None)
    return RateNow(
        at=at,
        window_s=window_s,
        segment=segment,
        measure=measure,
        traces=float(coverage.sum()),
        measured=float(sums[N]),
        not_measured=missing if measure in _BY_CHUNKS else {},
        value=cheap[0],
        low=cheap[1],
        high=cheap[2],
        effective_n=float(sums[N]) / effect,
        cheap=cheap,
        method="cheap" if measured else "none",
        judged=0,
        baseline=usual,
        evidence=changes.evidence(measure, place),
        threshold=changes.threshold(segment, measure) if measure in ALERTED else None,
        scorer_version=scorer_version,
    )


__all__ = ["LEVEL", "WINDOWS", "RateNow", "rates_of"]
