"""Citations in an answer: [1], [1,2], [1-3], 【1】, 〔2〕, ①, (来源1), [^1], [doc 2], 【1†source】.

A number cites the chunk of that place, counted from 1; [0] and numbers of seven digits and more cite
`NOWHERE`, which is wrong whatever was retrieved (between them lie years, amounts and intervals). What
a mark belongs to is the sentence it stands in or closes. Links, code, the notes that define a mark, and
numbers that open list items cite nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, pairwise

_LABEL = (
    r"(?:doc(?:ument)?|source|src|passage|chunk|context|ref(?:erence)?|citation|excerpt"
    r"|资料|文档|来源|参考|段落|片段|引用|上下文|文献|資料|來源|參考|引文)"
)
_PLACE = r"(?:\d{1,3}|\d{7,15})(?!\d)"
_ITEM = rf"(?:{_LABEL}s?[ _]?[:：#.]?\s?)?\^?{_PLACE}(?:\s?[-–~至]\s?{_PLACE})?"
_GROUP = re.compile(
    rf"[\[【〔［(（]\s{{0,2}}({_ITEM}(?:\s?[,，、;；]\s?{_ITEM}){{0,20}})(?:†[^\[\]【】\n]{{0,80}})?\s{{0,2}}[\]】〕］)）]",
    re.IGNORECASE,
)
_INDEXED = re.compile(r"【\d{1,3}:(\d{1,3})†[^【】\n]{0,80}】")
"""【message:place†file】: the place is counted from 0."""
_NAMED = re.compile(_LABEL, re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z0-9_]")
_CIRCLED = re.compile(r"[①-⑳]")
_PART = re.compile(rf"({_PLACE})(?:\s?[-–~至]\s?({_PLACE}))?")
_CODE = re.compile(r"```.{0,8000}?(?:```|$)|`[^`\n]{1,300}`", re.DOTALL)
_OPENS_LINE = re.compile(r"^[ \t]{0,4}([\[【]\^?(\d{1,3})[\]】])", re.MULTILINE)
_DEFINES = re.compile(r"\]?[:：]\s{0,3}\S|\]?\s{0,3}(?:https?://|www\.)")
MAX_CITED = 50
NOWHERE = -2
"""The place of a chunk that cannot be. (-1 is the prompt's context, see `batch.Case`.)"""
MAX_MARKS = 2_000
OPENING, ROUND = "[【〔［(（", "(（"
BEFORE_ITEM = "\n：:；;。，,、"
"""A circled number behind one of these opens an item."""


@dataclass(slots=True, frozen=True)
class Citation:
    """A mark at characters `[start, end)`, naming chunks by place, from 0."""

    start: int
    end: int
    chunks: tuple[int, ...]


def find_citations(answer: str) -> list[Citation]:
    """The citation marks of an answer, in order."""
    found: list[Citation] = []
    if any(mark in answer for mark in OPENING):
        code = [m.span() for m in _CODE.finditer(answer)] if "`" in answer else []
        listed = _find_listed(answer)
        for match in islice(_GROUP.finditer(answer), MAX_MARKS):
            start, end = match.span()
            if start in listed or any(a < end and start < b for a, b in code):
                continue
            if _is_mark(answer, start, end):
                found.append(Citation(start, end, _places(match.group(1))))
        for match in islice(_INDEXED.finditer(answer), MAX_MARKS):
            found.append(Citation(*match.span(), (int(match.group(1)),)))
    for match in islice(_CIRCLED.finditer(answer), MAX_MARKS):
        before = answer[max(match.start() - 40, 0) : match.start()].rstrip(" ")
        if before and before[-1] not in BEFORE_ITEM:
            found.append(Citation(*match.span(), (ord(match.group(0)) - ord("①"),)))
    found.sort(key=lambda c: c.start)
    return [c for c in found if c.chunks]


def strip_citations(text: str, citations: list[Citation], offset: int = 0) -> str:
    """`text` (which starts at `offset` of the answer) with its marks blanked out, length unchanged."""
    parts, done = [], 0
    for mark in citations:
        start, end = max(mark.start - offset, done), min(mark.end - offset, len(text))
        if end > start:
            parts += [text[done:start], " " * (end - start)]
            done = end
    return "".join(parts) + text[done:]


def _is_mark(answer: str, start: int, end: int) -> bool:
    if answer[start] in ROUND and not _NAMED.search(answer, start, end):
        return False  # (3) is a remark or a list marker
    after = answer[end : end + 2]
    if after.startswith("(") or after == "](":
        return False  # [1](url) is a link
    if after in (" =", "=="):
        return False  # x[1] = 2 is code
    if answer[start + 1 : end - 1] == "0" and _WORD.match(answer[start - 1 : start]):
        return False  # so is x[0]; a mark stands behind a space or a Chinese character
    opens_line = start == 0 or answer[start - 1] == "\n"
    return not (opens_line and _DEFINES.match(answer, end))


def _find_listed(answer: str) -> set[int]:
    """Where marks open the lines of a list or of the references: [1] …, and [2] … on the next line."""
    opening = [(m.start(1), int(m.group(2))) for m in _OPENS_LINE.finditer(answer)]
    listed: set[int] = set()
    for (at, number), (next_at, next_number) in pairwise(opening):
        if next_number == number + 1 and answer.count("\n", at, next_at) <= 2:
            listed |= {at, next_at}
    return listed


def _places(group: str) -> tuple[int, ...]:
    parts = [(int(first), int(last or first)) for first, last in _PART.findall(group)]
    if len(parts) > 1 and parts[0][0] == 0:
        return ()  # [0, 1] is an interval
    places: list[int] = []
    for low, high in parts:
        if max(low, high) > 999 or high == 0:
            places.append(NOWHERE)
        elif 0 < low <= high <= low + MAX_CITED:
            places.extend(range(low - 1, high))
    return tuple(dict.fromkeys(places[:MAX_CITED]))
