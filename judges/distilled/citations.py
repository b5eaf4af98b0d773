"""Citations in an answer: [1], [1,2], [1-3], 【1】, 〔2〕, ①, (来源1), [^1], [doc 2].

A number cites the chunk of that place, counted from 1. What a mark belongs to is the sentence it
stands in or closes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_GROUP = re.compile(
    r"[\[【〔［(（]\s*(?:\^|(?:doc(?:ument)?|source|passage|chunk|context|ref(?:erence)?|citation|资料|文档|来源|参考|段落|片段|引用|上下文)\s*[:：#]?\s*)?"
    r"(\d{1,3}(?:\s*[,，、;；]\s*\^?\d{1,3}|\s*[-–~至]\s*\d{1,3})*)\s*[\]】〕］)）]",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?:doc|source|passage|chunk|context|ref|citation|资料|文档|来源|参考|段落|片段|引用|上下文)",
    re.IGNORECASE,
)
_CIRCLED = re.compile(r"[①-⑳]")
_PART = re.compile(r"(\d{1,3})(?:\s*[-–~至]\s*(\d{1,3}))?")
MAX_CITED = 50


@dataclass(slots=True, frozen=True)
class Citation:
    """A mark at characters `[start, end)`, naming chunks by place, from 0."""

    start: int
    end: int
    chunks: tuple[int, ...]


def find_citations(answer: str) -> list[Citation]:
    """The citation marks of an answer, in order. Circled numbers that open a list item are none."""
    found: list[Citation] = []
    for match in _GROUP.finditer(answer):
        bracket = answer[match.start()]
        if bracket in "(（" and not _NAMED.search(match.group(0)):
            continue  # (3) is a remark or a list marker
        if answer[match.end() : match.end() + 1] == "(":
            continue  # [1](url) is a link
        found.append(Citation(match.start(), match.end(), _numbers(match.group(1))))
    for match in _CIRCLED.finditer(answer):
        before = answer[: match.start()].rstrip(" ")
        if before and before[-1] not in "\n：:；;。，,、":
            found.append(Citation(match.start(), match.end(), (ord(match.group(0)) - ord("①"),)))
    found.sort(key=lambda c: c.start)
    return [c for c in found if c.chunks]


def strip_citations(text: str, citations: list[Citation], offset: int = 0) -> str:
    """`text` (which starts at `offset` of the answer) with its marks blanked out, length unchanged."""
    for mark in citations:
        start, end = mark.start - offset, mark.end - offset
        if end > 0 and start < len(text):
            start, end = max(start, 0), min(end, len(text))
            text = text[:start] + " " * (end - start) + text[end:]
    return text


def _numbers(group: str) -> tuple[int, ...]:
    places: list[int] = []
    for first, last in _PART.findall(group):
        low = int(first)
        high = int(last) if last else low
        if low == 0 or high < low or high - low > MAX_CITED:
            continue
        places.extend(range(low - 1, high))
    return tuple(dict.fromkeys(places[:MAX_CITED]))
