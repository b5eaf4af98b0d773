"""Which sentences of long documents a judge is shown, when there is no room for all.

First the sentence of each document that has most in common with question and answer, best document first,
then the next best ones wherever they stand, until the room is used up; what is shown keeps its order. So a
long first document does not push out a later one, and evidence is shown rather than what happens to stand at
a beginning. Words count the more, the fewer sentences they occur in. Whatever is not shown makes its document
*cut*: what a judge does not find there is not known to be missing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from judges.llm.quotes import words_of
from judges.llm.tokens import estimate

MAX_PIECE_CHARS: Final = 400
OVERHEAD: Final = 8
"""Tokens of the line above a document."""
MOST_CHARS_A_TOKEN: Final = 8
"""Blanks are cheap and still have to be sent."""
_PER_LINE: Final = 2
_PIECE = re.compile(
    r"[^\n。！？!?；;.]++(?:[.](?=\S)[^\n。！？!?；;.]*+)*+[\n。！？!?；;.\s]*+|[\n。！？!?；;.\s]++"
)


@dataclass(slots=True)
class Shown:
    """What is shown of the document at `index`: passages of its text, each unbroken, in order.

    `index` is the chunk's place in the trace, -1 for the prompt's context. `cut`: there is more of it.
    """

    index: int
    passages: list[str] = field(default_factory=list)
    cut: bool = False


@dataclass(slots=True)
class _Piece:
    document: int
    start: int
    end: int
    words: frozenset[str]
    cost: int
    score: float = 0.0


def fit(documents: Sequence[tuple[int, str]], about: str, tokens: int) -> list[Shown]:
    """Show `documents` (index and text) within about `tokens`, first the sentences that speak of `about`."""
    if _fits(documents, tokens):
        return [Shown(index, [text]) for index, text in documents]
    pieces = [piece for i, (_, text) in enumerate(documents) for piece in _split(i, text)]
    _weigh(pieces, frozenset(_terms(about)))
    chosen = _choose(pieces, tokens)
    shown = []
    for i, (index, text) in enumerate(documents):
        passages = _join(text, [p for p in chosen if p.document == i])
        shown.append(Shown(index, passages, cut=passages != [text]))
    return shown


def _fits(documents: Sequence[tuple[int, str]], tokens: int) -> bool:
    if sum(len(text) for _, text in documents) > MOST_CHARS_A_TOKEN * tokens:
        return False
    return sum(_cost(text) + OVERHEAD for _, text in documents) <= tokens


def _split(document: int, text: str) -> Iterator[_Piece]:
    for match in _PIECE.finditer(text):
        for start in range(match.start(), match.end(), MAX_PIECE_CHARS):
            end = min(start + MAX_PIECE_CHARS, match.end())
            piece = text[start:end]
            yield _Piece(document, start, end, frozenset(_terms(piece)), _cost(piece))


def _terms(text: str) -> Iterator[str]:
    """Words, and pairs of Chinese characters, which are words more often than single ones."""
    words = words_of(text)
    for left, right in pairwise(words):
        if len(left) == len(right) == 1 and left > "\u2e80" and right > "\u2e80":
            yield left + right
    yield from (word for word in words if len(word) > 1 or word.isdigit())


def _weigh(pieces: Sequence[_Piece], about: frozenset[str]) -> None:
    seen = Counter(word for piece in pieces for word in piece.words & about)
    weight = {word: math.log1p(len(pieces) / count) for word, count in seen.items()}
    for piece in pieces:
        piece.score = sum(weight[word] for word in piece.words & about)


def _choose(pieces: Sequence[_Piece], tokens: int) -> list[_Piece]:
    ranked = sorted(pieces, key=lambda p: -p.score)
    best: dict[int, _Piece] = {}
    for piece in ranked:
        best.setdefault(piece.document, piece)
    firsts = {id(piece) for piece in best.values()}
    chosen, opened, left = [], set(), tokens
    for piece in (*best.values(), *(p for p in ranked if id(p) not in firsts)):
        cost = piece.cost + (0 if piece.document in opened else OVERHEAD)
        if cost <= left:
            left -= cost
            opened.add(piece.document)
            chosen.append(piece)
    return sorted(chosen, key=lambda p: (p.document, p.start))


def _join(text: str, pieces: Sequence[_Piece]) -> list[str]:
    """Neighbours become one passage."""
    spans: list[list[int]] = []
    for piece in pieces:
        if spans and spans[-1][1] == piece.start:
            spans[-1][1] = piece.end
        else:
            spans.append([piece.start, piece.end])
    return [text[start:end] for start, end in spans]


def _cost(text: str) -> int:
    return max(estimate(text) + _PER_LINE * text.count("\n"), len(text) // MOST_CHARS_A_TOKEN)


def cut_tokens(text: str, tokens: int) -> tuple[str, bool]:
    """The beginning of `text` of about `tokens`, and whether anything was left out."""
    part = text[: MOST_CHARS_A_TOKEN * tokens]
    if len(part) == len(text) and _cost(text) <= tokens:
        return text, False
    low, high = 0, len(part)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _cost(part[:middle]) <= tokens else (low, middle - 1)
    return part[:low], True


__all__ = ["OVERHEAD", "Shown", "cut_tokens", "fit"]
