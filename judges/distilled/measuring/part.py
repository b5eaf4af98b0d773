"""A part of a batch as arrays: its tokens, what each of them belongs to, and what each counts for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judges.distilled.kernel import wording
from judges.distilled.measuring.batch import Case, Layout, Role, lay_out
from judges.distilled.measuring.lexicon import read_number_words, word_flags
from judges.distilled.measuring.tokens import Bools, Ints, Tokens, tokenize
from judges.distilled.measuring.units import Floats, Units, find_units, token_weights

QUESTION, REWRITE, HISTORY = 0, 1, 2
GROUPS_PER_CASE = 3


@dataclass(slots=True)
class Part:
    """All arrays but `units` have one entry a token.

    A *group* is something that is looked for in the chunks: the claims of all answers come first, in
    order; then question, rewrite and history of each case. `group` is -1 for tokens of none.
    """

    cases: Sequence[Case]
    layout: Layout
    tokens: Tokens
    units: Units
    flags: Ints
    weight: Floats
    case: Ints
    role: Ints
    group: Ints
    claim_case: Ints
    """The case of each claim."""
    claim_first: Ints
    """First claim of each case, and one past the last: `len(cases) + 1` entries."""

    @property
    def claims(self) -> int:
        """How many claims there are."""
        return len(self.claim_case)

    @property
    def in_claim(self) -> Bools:
        """Tokens of a claim (the claims are the first groups)."""
        return (self.group >= 0) & (self.group < self.claims)

    @property
    def in_chunk(self) -> Bools:
        """Tokens of a chunk."""
        mask: Bools = self.role == Role.CHUNK
        return mask

    @property
    def group_case(self) -> Ints:
        """The case of each group."""
        return np.concatenate([self.claim_case, np.repeat(np.arange(len(self.cases)), GROUPS_PER_CASE)])

    def group_of(self, case: int, which: int) -> int:
        """The group of a case's question, rewrite or history."""
        return self.claims + GROUPS_PER_CASE * case + which


def read_part(cases: Sequence[Case]) -> Part:
    """Tokenise the texts of some cases (see `batch.split_cases`) and say what each token belongs to."""
    layout = lay_out(cases)
    tokens = tokenize(layout.texts)
    read_number_words(tokens)
    flags = word_flags(tokens)
    counts = [len(c.claims) for c in cases]
    claim_case = np.repeat(np.arange(len(counts)), counts)
    answers = np.array(layout.chunk_first, dtype=np.int64) - 1  # the answer stands right before the chunks
    case, role, group = wording.assign_groups(
        tokens.text,
        tokens.start,
        np.array(layout.case, dtype=np.int64),
        np.array(layout.role, dtype=np.int64),
        answers[claim_case],
        np.array([span.start for c in cases for span in c.claims], dtype=np.int64),
        np.array([span.end for c in cases for span in c.claims], dtype=np.int64),
        int(Role.HISTORY),
        GROUPS_PER_CASE,
    )
    return Part(
        cases=cases,
        layout=layout,
        tokens=tokens,
        units=find_units(tokens, flags),
        flags=flags,
        weight=token_weights(tokens, flags),
        case=case,
        role=role,
        group=group,
        claim_case=claim_case,
        claim_first=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
    )
