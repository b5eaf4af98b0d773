"""Rows whose truth nobody had to label: good answers changed on purpose, from the user's own traffic.

Labels that are wrong are wrong on both sides of a split, and a scorer that learned their errors is praised
for them. So a candidate is also examined on canaries (`judges.corruption`): traces that the serving scorer
is sure of, as they are and with something false written into them. Both scorers see the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from judges.corruption.traces import Pool, build_canaries
from judges.distillation.evaluate import Scored
from judges.distillation.examples import Example
from judges.distilled.measuring.tokens import Ints
from judges.distilled.measuring.units import Floats
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace

SURE: Final = 0.25
"""Chance of a hallucination up to which a trace may become a canary."""
A_LANGUAGE: Final = 150
"""At most so many traces of a language become canaries."""
MARKER: Final = "distill"


@dataclass(slots=True)
class Canaries:
    """Changed and unchanged traces; one entry each."""

    traces: list[Trace]
    bad: Floats
    """1 where something false was written into it."""
    language: list[str]
    source: Ints
    """Number of the trace that it was made from: two of one trace err together."""


def make_canaries(examples: Sequence[Example], serving: Scored, seed: int) -> Canaries:
    """Canaries from the traces that the serving scorer takes for good and nobody labelled otherwise."""
    random = Random(seed)
    found = Canaries([], np.zeros(0), [], np.zeros(0, dtype=np.int64))
    bad: list[float] = []
    source: list[int] = []
    for language in sorted({e.language for e in examples}):
        mine = [i for i, e in enumerate(examples) if e.language == language and _is_sure(e, serving, i)]
        for i in random.sample(mine, min(len(mine), A_LANGUAGE)):
            for trace, is_bad in _change(examples[i].trace, random):
                found.traces.append(trace)
                found.language.append(language)
                bad.append(is_bad)
                source.append(i)
    found.bad, found.source = np.array(bad), np.array(source, dtype=np.int64)
    return found


def _is_sure(example: Example, serving: Scored, i: int) -> bool:
    label = example.label
    healthy = label.failure in (None, HEALTHY) and label.hallucination is not True
    chance = float(serving.hallucination[i])
    return healthy and serving.coverage[i] == "full" and chance <= SURE  # NaN is not


def _change(trace: Trace, random: Random) -> list[tuple[Trace, float]]:
    """The trace with something false in it, and as it is; nothing where it admits no change."""
    try:
        made = build_canaries(trace, Pool(), random, marker=MARKER, failures={Failure.HALLUCINATION})
    except ValueError:  # no question, or a language that nothing is written in: no canary from this one
        return []
    return [(made[0].trace, 1.0), (trace, 0.0)] if made else []


__all__ = ["Canaries", "make_canaries"]
