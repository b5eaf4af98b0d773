"""Do the cited chunks say what the text that cites them says?

A mark stands for what lies before it in its sentence, back to the mark before ("… two hours [1], sliced
thin [2]"); marks side by side, and a mark at the head of a sentence, stand for the whole sentence. Chunks
that are cited together have to hold the text together, and each a part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from judges.distilled.kernel.holding import weigh_held
from judges.distilled.measuring.batch import Case
from judges.distilled.measuring.lexicon import read_number_words, word_flags
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.tokens import Keys, tokenize
from judges.distilled.measuring.units import Floats, Units, find_units, token_weights
from judges.distilled.reading.citations import Citation
from judges.distilled.reading.claims import Span

HOLDS = 0.6
"""Share of a text's weight that the cited chunk must cover."""
HOLDS_A_PART = 0.3
"""The same for one of several chunks that are cited together and hold the text together."""
MIN_CHARS = 3
"""Less between two marks is punctuation."""


def citation_precision(part: Part, i: int) -> float:
    """Share of cited (text, chunk) pairs of case `i` in which the chunk exists and says so, 0..1.

    A mark that names a chunk which was not retrieved counts as wrong.
    """
    case = part.cases[i]
    place = {index: k for k, index in enumerate(case.chunk_index)}
    pairs = _pair(case)
    total = sum(len(chunks) for chunks, _ in pairs)
    held = [([place[c] for c in chunks if c in place], text) for chunks, text in pairs if text]
    held = [(chunks, text) for chunks, text in held if chunks]
    if not held:
        return 0.0
    said = _read_texts([text for _, text in held])
    right = sum(_count_holding(part, i, chunks, text) for (chunks, _), text in zip(held, said, strict=True))
    return right / total


@dataclass(slots=True, frozen=True)
class _Said:
    """The units of one text, and what its tokens weigh; tokens are counted from its first."""

    units: Units
    weight: Floats


def _read_texts(texts: Sequence[str]) -> list[_Said]:
    tokens = tokenize(texts)
    read_number_words(tokens)
    flags = word_flags(tokens)
    weight = token_weights(tokens, flags)
    units = find_units(tokens, flags)
    bounds = np.searchsorted(units.last, tokens.text_token).tolist()
    said = []
    for k, (begin, end) in enumerate(pairwise(tokens.text_token.tolist())):
        low, high = bounds[k], bounds[k + 1]
        mine = Units(units.key[low:high], units.first[low:high] - begin, units.last[low:high] - begin)
        said.append(_Said(mine, weight[begin:end]))
    return said


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


def _count_holding(part: Part, i: int, chunks: Sequence[int], said: _Said) -> int:
    """How many of a case's `chunks` hold a text: each alone, or each a part of what they hold together."""
    total = float(said.weight.sum())
    if total == 0:
        return len(chunks)
    units, together = said.units, np.zeros(len(said.weight), dtype=np.bool_)
    shares = [
        weigh_held(units.key, units.first, units.last, said.weight, _units_of(part, i, chunk), together)
        / total
        for chunk in chunks
    ]
    whole = float(said.weight[together].sum()) / total >= HOLDS
    return sum(s >= HOLDS or (whole and s >= HOLDS_A_PART) for s in shares)


def _units_of(part: Part, i: int, chunk: int) -> Keys:
    """The units of one of a case's chunks."""
    text = part.layout.chunk_first[i] + chunk
    bounds = part.tokens.text_token[text : text + 2]
    first, last = np.searchsorted(part.units.last, bounds).tolist()
    return part.units.key[first:last]
