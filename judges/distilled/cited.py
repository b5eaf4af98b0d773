"""Do the cited chunks say what the text that cites them says?

A mark stands for what lies before it in its sentence, back to the mark before ("… two hours [1], sliced
thin [2]"); marks side by side, and a mark at the head of a sentence, stand for the whole sentence. Chunks
that are cited together have to hold the text together, and each a part of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judges.distilled.batch import Case
from judges.distilled.citations import Citation
from judges.distilled.claims import Span
from judges.distilled.lexicon import read_number_words, word_flags
from judges.distilled.tokens import Bools, tokenize
from judges.distilled.units import Floats, find_units, token_weights

HOLDS = 0.6
"""Share of a text's weight that the cited chunk must cover."""
HOLDS_A_PART = 0.3
"""The same for one of several chunks that are cited together and hold the text together."""
MIN_CHARS = 3
"""Less between two marks is punctuation."""


def citation_precision(case: Case) -> float:
    """Share of cited (text, chunk) pairs in which the chunk exists and says so, 0..1.

    A mark that names a chunk which was not retrieved counts as wrong.
    """
    place = {index: i for i, index in enumerate(case.chunk_index)}
    right = total = 0
    for chunks, text in _pair(case):
        total += len(chunks)
        known = [case.chunks[place[c]] for c in chunks if c in place]
        right += _count_holding(known, text) if text else 0
    return right / total if total else 0.0


def _pair(case: Case) -> list[tuple[list[int], str | None]]:
    """The chunks that are cited together, with the text that cites them."""
    pairs: list[tuple[list[int], str | None]] = []
    previous: Citation | None = None
    for mark in case.citations:
        sentence = _sentence_of(case.answer, case.claims, mark)
        if previous and mark.start - previous.end < MIN_CHARS and pairs:
            pairs[-1][0].extend(c for c in mark.chunks if c not in pairs[-1][0])
        else:
            pairs.append((list(mark.chunks), _text_of(case.answer, sentence, previous, mark)))
        previous = mark
    return pairs


def _text_of(answer: str, sentence: Span | None, previous: Citation | None, mark: Citation) -> str | None:
    if sentence is None:
        return None
    start = max(sentence.start, previous.end if previous else 0)
    if mark.start - start < MIN_CHARS:
        return answer[sentence.start : sentence.end]
    return answer[start : mark.start]


def _sentence_of(answer: str, claims: Sequence[Span], mark: Citation) -> Span | None:
    """The claim that a mark stands in or closes; the next one where the mark opens a line."""
    if not answer[answer.rfind("\n", 0, mark.start) + 1 : mark.start].strip():
        following = next((c for c in claims if c.start >= mark.end), None)
        if following and not answer[mark.end : following.start].strip():
            return following
    before = [claim for claim in claims if claim.start <= mark.start]
    return before[-1] if before else None


def _count_holding(chunks: list[str], text: str) -> int:
    """How many of `chunks` hold `text`: each alone, or each a part of what they hold together."""
    if not chunks:
        return 0
    covered, weights = _cover(chunks, text)
    total = float(weights.sum())
    if total == 0:
        return len(chunks)
    shares = [float(weights[mask].sum()) / total for mask in covered]
    together = float(weights[np.logical_or.reduce(covered)].sum()) / total >= HOLDS
    return sum(s >= HOLDS or (together and s >= HOLDS_A_PART) for s in shares)


def _cover(chunks: list[str], text: str) -> tuple[list[Bools], Floats]:
    """Which tokens of `text` each chunk covers, and what the tokens weigh."""
    tokens = tokenize([text, *chunks])
    read_number_words(tokens)
    flags = word_flags(tokens)
    weights = token_weights(tokens, flags)
    units = find_units(tokens, flags)
    owner = tokens.text[units.last]
    said = np.flatnonzero(owner == 0)
    size = int(np.count_nonzero(tokens.text == 0))
    covered: list[Bools] = []
    for i in range(1, len(chunks) + 1):
        hit = said[np.isin(units.key[said], units.key[owner == i])]
        mask = np.zeros(len(weights), dtype=np.bool_)
        mask[units.first[hit]] = mask[units.last[hit]] = True
        covered.append(mask[:size])
    return covered, weights[:size]
