"""What the forests look at, for many traces: measured part by part, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judges.distilled.coverage import decide_coverage
from judges.distilled.heads.forest import Rows
from judges.distilled.heads.vectors import claim_vectors, describe_traces, fill_judged
from judges.distilled.measuring.batch import Case, read_case, split_cases
from judges.distilled.measuring.features import measure
from judges.distilled.measuring.tokens import Ints
from judges.distilled.measuring.units import Floats
from judges.distilled.reading.claims import Span
from judges.distilled.undisturbed import undisturbed
from schemas.taxonomy import MEASURED
from schemas.trace import Trace

Tell = Callable[[str, int, int], None]
"""Told how far a step is: what is being done, how many are done, of how many."""


@dataclass(slots=True)
class Claims:
    """Every claim of every trace. Claims lie in the order of their traces."""

    cases: list[Case]
    vectors: Rows
    """Shape (claims, features), as `vectors.claim_vectors` gives them."""
    described: Rows
    """Trace vectors, without what a claim forest says: shape (traces, features)."""
    owner: Ints
    """The trace of each claim."""
    first: Ints
    """First claim of each trace, and one past the last."""
    measured: npt.NDArray[np.bool_]
    """Traces that have a hallucination score at all."""

    @property
    def languages(self) -> list[str | None]:
        """The language of each trace, as scoring reads it."""
        return [case.language for case in self.cases]

    def only_measured(self) -> Claims:
        """The same without the traces that have no hallucination score."""
        kept = self.measured[self.owner]
        number = np.cumsum(self.measured) - 1
        count = np.diff(self.first)[self.measured]
        return Claims(
            cases=[
                case for case, measured in zip(self.cases, self.measured.tolist(), strict=True) if measured
            ],
            vectors=self.vectors[kept],
            described=self.described[self.measured],
            owner=number[self.owner[kept]],
            first=np.concatenate(([0], np.cumsum(count))).astype(np.int64),
            measured=np.ones(len(count), dtype=bool),
        )

    def spans(self, trace: int) -> list[Span]:
        """Where the claims of one trace stand in its answer."""
        return self.cases[trace].claims

    def trace_vectors(self, logits: Floats) -> Rows:
        """What the trace forest sees, given what a claim forest says of all claims."""
        table = self.described.copy()
        fill_judged(table, self.first, self.vectors, logits)
        return table

    def worst(self, logits: Floats) -> npt.NDArray[np.bool_]:
        """One claim of each trace: that with the highest logit (of several, the first)."""
        order = np.lexsort((-logits, self.owner))
        chosen = np.zeros(len(logits), dtype=bool)
        chosen[order[self.first[:-1][np.diff(self.first) > 0]]] = True
        return chosen


def measure_claims(traces: Sequence[Trace], tell: Tell) -> Claims:
    """Read the traces and measure all their claims."""
    cases = [read_case(trace) for trace in traces]
    vectors, described, counts, measured = [], [], [], []
    for part in split_cases(cases):
        with undisturbed():
            features = measure(part)
            vectors.append(claim_vectors(features))
            described.append(describe_traces(features, vectors[-1]))
        mine = np.diff(features.part.claim_first)
        counts.append(mine)
        measured += [decide_coverage(c, int(n)) in MEASURED for c, n in zip(part, mine.tolist(), strict=True)]
        tell("measuring answers", len(measured), len(cases))
    count = np.concatenate(counts) if counts else np.zeros(0, dtype=np.int64)
    return Claims(
        cases=cases,
        vectors=np.concatenate(vectors) if vectors else np.zeros((0, 0), dtype=np.float32),
        described=np.concatenate(described) if described else np.zeros((0, 0), dtype=np.float32),
        owner=np.repeat(np.arange(len(cases)), count),
        first=np.concatenate(([0], np.cumsum(count))).astype(np.int64),
        measured=np.array(measured, dtype=bool),
    )


__all__ = ["Claims", "Tell", "measure_claims"]
