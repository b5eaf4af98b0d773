"""Texts to sentences, with their offsets. Simple on purpose: a change needs its neighbourhood, no more."""

from __future__ import annotations

import re
from functools import lru_cache

_STOP = (
    r"(?<!\b[A-Z])(?<!\b(?:Mr|Ms|Dr|St|No|vs))(?<!\b(?:Mrs|Inc|Ltd|etc|e\.g|i\.e))(?<!^\d)(?<!^\d\d)\."
    r"(?=[\s\"'”’)\]]|$)"
)
_END = re.compile(rf"(?:[。！？；!?]+|{_STOP})[\"'”’」』）)]*\s*|\n+", re.MULTILINE)


@lru_cache(maxsize=1_024)
def split_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Spans `[start, end)` that cover `text` from end to end; each holds the space behind it.

    >>> split_sentences("Dr. Wu left. 他走了。回来了")
    ((0, 13), (13, 17), (17, 20))
    """
    spans, start = [], 0
    for match in _END.finditer(text):
        if match.end() > start:
            spans.append((start, match.end()))
            start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return tuple(spans)


def list_sentences(text: str) -> list[str]:
    """The sentences of a text, without the space around them; empty ones are left out.

    >>> list_sentences("It rains. It pours.")
    ['It rains.', 'It pours.']
    """
    return [piece for start, end in split_sentences(text) if (piece := text[start:end].strip())]


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The span from the start of the sentence that holds `start` to the end of the one that holds `end`.

    >>> sentence_around("One. Two. Three.", 5, 8)
    (5, 10)
    """
    begin, last = 0, len(text)
    for low, high in split_sentences(text):
        if low <= start:
            begin = low
        if high >= end:
            last = high
            break
    return begin, last
