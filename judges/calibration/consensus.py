"""Several annotators of one trace, made one: the heavier side counts, and a tie says nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from judges.agreement import Figure, Level, krippendorff_alpha
from judges.calibration.labels import About, Label
from judges.calibration.measures import Measure


@dataclass(slots=True, frozen=True)
class Truth:
    """What people take to be so, by trace, in one measure."""

    values: dict[str, Hashable]
    undecided: int
    """Traces on which they cancel each other out."""
    annotators: int
    alpha: Figure
    """How far they agree with each other, over traces that two of them labelled: no judge need do better."""


def agree_on(
    measure: Measure, labels: Iterable[Label], about: dict[str, About], *, seed: int, resamples: int
) -> Truth:
    """Bring the labels of all annotators together. Ranks become their weighted median."""
    rows: defaultdict[str, dict[str, tuple[Hashable, float]]] = defaultdict(dict)
    for label in labels:
        value = measure.of_label(label)
        if value is not None:
            rows[label.trace_id][label.annotator] = (value, label.weight)
    values: dict[str, Hashable] = {}
    for trace_id, votes in rows.items():
        value = _median(votes.values()) if measure.ranked else _heavier(votes.values())
        if value is not None:
            values[trace_id] = value
    names = sorted({name for votes in rows.values() for name in votes})
    return Truth(
        values,
        undecided=len(rows) - len(values),
        annotators=len(names),
        alpha=krippendorff_alpha(
            [[votes.get(name, (None,))[0] for name in names] for votes in rows.values()],
            measure.classes,
            Level.ORDINAL if measure.ranked else Level.NOMINAL,
            clusters=[about.get(trace_id, About()).conversation or trace_id for trace_id in rows],
            seed=seed,
            resamples=resamples,
        ),
    )


def _heavier(votes: Iterable[tuple[Hashable, float]]) -> Hashable | None:
    total: defaultdict[Hashable, float] = defaultdict(float)
    for value, weight in votes:
        total[value] += weight
    best = max(total.values())
    first = [value for value, weight in total.items() if weight >= best - 1e-9]
    return first[0] if len(first) == 1 else None


def _median(votes: Iterable[tuple[Hashable, float]]) -> Hashable | None:
    """The lower of the two in the middle, so that it is always a rank that somebody gave."""
    ordered: Sequence[tuple[int, float]] = sorted((value, weight) for value, weight in votes)  # type: ignore[misc]
    half, seen = sum(weight for _, weight in ordered) / 2, 0.0
    for value, weight in ordered:
        seen += weight
        if seen >= half - 1e-9:
            return value
    return None


__all__ = ["Truth", "agree_on"]
