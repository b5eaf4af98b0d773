"""Which traces annotators get to see: some of every kind, each with a known probability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

UNCERTAIN: Final = (0.2, 0.8)
"""A probability of hallucination in between is uncertain."""
SURE: Final = 0.7
"""Below this confidence a class is uncertain."""


@dataclass(slots=True, frozen=True, order=True)
class Stratum:
    """A kind of trace: what was said of it, in which language, and how surely."""

    failure: str
    language: str
    uncertain: bool

    def __str__(self) -> str:
        return f"{self.failure}/{self.language or '-'}/{'uncertain' if self.uncertain else 'sure'}"


@dataclass(slots=True, frozen=True)
class Drawn:
    """One trace for the sheet, and the probability that a trace of its kind was drawn with."""

    trace_id: str
    stratum: Stratum
    probability: float


def is_uncertain(
    hallucination: float | None, confidence: float | None, disagreement: float | None = None
) -> bool:
    """Whether whoever judged this was in two minds: people should see such traces more often."""
    low, high = UNCERTAIN
    return (
        (hallucination is not None and low < hallucination < high)
        or (confidence is not None and confidence < SURE)
        or (disagreement or 0.0) > 0.0
    )


def draw(population: Mapping[str, Stratum], size: int, seed: int) -> list[Drawn]:
    """`size` traces (or all, if there are fewer), in random order; the same for the same seed.

    Every stratum gets the same number, as far as it has them; within one, each set of traces is as likely
    as any other: the probability of a trace is drawn / there.
    """
    random = Random(seed)
    strata: defaultdict[Stratum, list[str]] = defaultdict(list)
    for trace_id in sorted(population):
        strata[population[trace_id]].append(trace_id)
    shares = allot({stratum: len(ids) for stratum, ids in strata.items()}, size, random)
    drawn = [
        Drawn(trace_id, stratum, shares[stratum] / len(ids))
        for stratum, ids in sorted(strata.items())
        if shares[stratum]
        for trace_id in random.sample(ids, shares[stratum])
    ]
    random.shuffle(drawn)
    return drawn


def allot(sizes: Mapping[Stratum, int], total: int, random: Random) -> dict[Stratum, int]:
    """How many of each: equally many, none more than it has; the last few go to strata at random."""
    given = dict.fromkeys(sizes, 0)
    left = min(total, sum(sizes.values()))
    while left:
        open_ = sorted(stratum for stratum, size in sizes.items() if given[stratum] < size)
        if left < len(open_):
            for stratum in random.sample(open_, left):
                given[stratum] += 1
            return given
        for stratum in open_:
            more = min(left // len(open_), sizes[stratum] - given[stratum])
            given[stratum] += more
        left = min(total, sum(sizes.values())) - sum(given.values())
    return given


def strata_of(drawn: Iterable[Drawn]) -> dict[str, int]:
    """How many were drawn of each stratum, by its name."""
    counts: defaultdict[str, int] = defaultdict(int)
    for one in drawn:
        counts[str(one.stratum)] += 1
    return dict(sorted(counts.items()))


__all__ = ["SURE", "UNCERTAIN", "Drawn", "Stratum", "allot", "draw", "is_uncertain", "strata_of"]
