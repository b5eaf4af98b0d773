"""Do the cited chunks say what the sentences that cite them say?"""

from __future__ import annotations

import numpy as np

from judges.distilled.batch import Case
from judges.distilled.claims import Span
from judges.distilled.lexicon import read_number_words, word_flags
from judges.distilled.overlap import in_trace, occurs
from judges.distilled.tokens import tokenize
from judges.distilled.units import find_units, token_weights

HOLDS = 0.6
"""Share of a sentence's weight that the cited chunk must cover."""


def citation_precision(case: Case) -> float:
    """Share of cited (sentence, chunk) pairs in which the chunk exists and covers the sentence, 0..1.

    A mark that names a chunk which was not retrieved counts as wrong.
    """
    place = {index: i for i, index in enumerate(case.chunk_index)}
    pairs = [(_sentence_of(case, mark.start), chunk) for mark in case.citations for chunk in mark.chunks]
    right = 0
    for sentence, chunk in pairs:
        right += chunk in place and sentence is not None and _covers(case.chunks[place[chunk]], sentence)
    return right / len(pairs) if pairs else 0.0


def _sentence_of(case: Case, position: int) -> str | None:
    """The claim that a mark at `position` stands in or closes."""
    best: Span | None = None
    for claim in case.claims:
        if claim.start <= position:
            best = claim
    return None if best is None else case.answer[best.start : best.end]


def _covers(chunk: str, sentence: str) -> bool:
    tokens = tokenize([chunk, sentence])
    read_number_words(tokens)
    flags = word_flags(tokens)
    weights = token_weights(tokens, flags)
    units = find_units(tokens, flags)
    text = tokens.text[units.last]
    zeros = np.zeros(len(text), dtype=np.int64)
    asked = np.flatnonzero(text == 1)
    sought = in_trace(units.key[asked], zeros[asked])
    hit = asked[occurs(units.key[text == 0], zeros[text == 0], sought)]
    covered = np.zeros(len(weights), dtype=np.bool_)
    covered[units.first[hit]] = covered[units.last[hit]] = True
    said = tokens.text == 1
    total = float(weights[said].sum())
    return total == 0 or float(weights[said & covered].sum()) >= HOLDS * total
