"""Labelled rows as arrays: vectors of claims and answers, measured by the code that serves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judges.distillation.rows import Row
from judges.distilled.heads.forest import Rows
from judges.distilled.heads.vectors import claim_vectors, describe_traces, fill_judged
from judges.distilled.measuring.batch import Case, read_case, split_cases
from judges.distilled.measuring.features import measure
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats

Names = npt.NDArray[np.str_]
Tell = Callable[[str, int, int], None]
"""Told of progress: what is done, how much of it, of how much."""
UNKNOWN = -1
AT_ONCE = 64


@dataclass(slots=True)
class Table:
    """One entry a row, unless it says otherwise."""

    rows: Sequence[Row]
    vectors: Rows
    """Of the claims of all rows, in order."""
    described: Rows
    """Trace vectors without what a claim forest says."""
    first: Ints
    """First claim of each row, and one past the last."""
    claim_bad: Ints
    """One entry a claim: 1 unsupported, 0 supported, `UNKNOWN` where the source does not say which."""
    bad: Ints
    fold: Ints
    source: Names
    part: Names
    """Source and task."""
    language: Names
    """As detected; "" where none was."""
    made: Bools
    """Rows made by a corruption, or beside one."""
    origin: Names
    """The source, or what a made row was made from."""

    @property
    def owner(self) -> Ints:
        """The row of each claim."""
        return np.repeat(np.arange(len(self.rows)), np.diff(self.first))

    @property
    def claims(self) -> Bools:
        """Rows with at least one claim: the others are not measured."""
        return np.diff(self.first) > 0

    def trace_vectors(self, claim_logits: Floats) -> Rows:
        """The trace vectors, given what a claim forest says of all claims."""
        table = self.described.copy()
        fill_judged(table, self.first, self.vectors, claim_logits)
        return table


def build_table(rows: Sequence[Row], tell: Tell) -> Table:
    """Measure every row (about a millisecond each)."""
    vectors: list[Rows] = []
    described: list[Rows] = []
    labels: list[int] = []
    counts: list[int] = []
    languages: list[str] = []
    for start in range(0, len(rows), AT_ONCE):
        cases = [read_case(row.trace()) for row in rows[start : start + AT_ONCE]]
        for part in split_cases(cases):
            features = measure(part)
            vectors.append(claim_vectors(features))
            described.append(describe_traces(features, vectors[-1]))
        for row, case in zip(rows[start : start + AT_ONCE], cases, strict=True):
            labels += _label_claims(row, case)
            counts.append(len(case.claims))
            languages.append(case.language or "")
        tell("measuring rows", min(start + AT_ONCE, len(rows)), len(rows))
    return Table(
        rows=rows,
        vectors=np.concatenate(vectors),
        described=np.concatenate(described),
        first=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        claim_bad=np.array(labels, dtype=np.int64),
        bad=np.array([row.bad for row in rows], dtype=np.int64),
        fold=np.array([row.fold for row in rows], dtype=np.int64),
        source=np.array([row.source for row in rows]),
        part=np.array([row.part for row in rows]),
        language=np.array(languages),
        made=np.array([row.made for row in rows], dtype=np.bool_),
        origin=np.array([row.origin or row.source for row in rows]),
    )


def _label_claims(row: Row, case: Case) -> list[int]:
    """What is known of each claim: from the marked spans, or because there is but one claim."""
    if not row.bad:
        return [0] * len(case.claims)
    if row.spans:
        return [int(any(a < c.end and c.start < b for a, b in row.spans)) for c in case.claims]
    return [1 if len(case.claims) == 1 else UNKNOWN] * len(case.claims)
