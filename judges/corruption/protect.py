"""What no corruption may touch: citation marks, list markers, addresses, code."""

from __future__ import annotations

import re

from judges.distilled.reading.citations import find_citations

_SHIELDED = re.compile(
    r"https?://[^\s<>\"'（）()，。；]+|www\.[^\s<>\"'，。；]+"
    r"|(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.-]+"  # addresses
    r"|(?:~|\.{0,2})(?:/[\w.-]+){2,}"  # paths
    r"|^[ \t]*(?:[#>*•·-]+[ \t]+)?(?:\d{1,2}[.)、](?!\d)|[(（]\d{1,2}[)）])"  # list markers
    r"|\b(?:passages?|documents?|sources?|chunks?)\s?\d+(?:,? (?:and )?\d+)*"  # what an answer points to
    r"|```.*?```|`[^`\n]+`|\{\{(?:[^{}]|\{(?!\{)|\}(?!\}))*+\}\}|</?\w[^<>\n]*>",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)


def protected_spans(text: str) -> list[tuple[int, int]]:
    """Character spans `[start, end)` of `text` to be left alone, in no particular order.

    >>> protected_spans("1. It has 3 ports [2].")
    [(0, 2), (18, 21)]
    """
    spans = [match.span() for match in _SHIELDED.finditer(text)]
    return spans + [(mark.start, mark.end) for mark in find_citations(text)]
