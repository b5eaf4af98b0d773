"""An answer to its claims: sentences, list items, table rows and lines of code, with their offsets.

Sentence ends are sentencex's business. What it does not know is done here: a line ends a claim, a Chinese
semicolon does too, and the marker of a list item (`1.`, `-`, `①`, `（二）`) is no part of what the item
claims. Courtesy, headings and questions claim nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import sentencex

from judges.distilled.reading.declining import find_turn, read_sentence
from judges.distilled.reading.wording.closed import COURTESY
from judges.distilled.reading.wording.cues import find_cues
from judges.distilled.reading.wording.fold import fold

MAX_CLAIMS = 200
MAX_ANSWER_CHARS = 20_000
SHORT_LINE = 24
"""A line of fewer characters, without the end of a sentence within, is one claim."""
HEADING_CHARS = 120
"""A line that ends in a colon and is longer than this claims something all the same."""

_MARKER = re.compile(
    r"[\s>]{0,12}(?:"
    r"[-*+•·‣▪●○◦–—]{1,3}\s+"  # - item
    r"|[①-⑳㈠-㈩❶-❿]\s*"  # ① item
    r"|[(（]\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3}|[a-z])\s?[)）]\s*"  # (1) item, （二）item
    r"|(?:\d{1,2}|[a-z])[.)）．](?:\s+|$)"  # 1. item, b) item
    r"|\d{1,2}[、．)）](?!\d)\s*|\d{1,2}\.(?=[^\s\d.])"  # 1、item, 1.item, but not 1.5
    r"|[一二三四五六七八九十]{1,3}[、．.]\s*"  # 一、item
    r"|(?:step|步骤|第)\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})[步点]?\s?[:：,，]\s*"  # Step 2: item
    r")",
    re.IGNORECASE,
)
_ATTRIBUTION = re.compile(
    r"(?:based on|according to|as per|per|from|as stated in|as mentioned in|in)\s+"
    r"(?:(?:the|these|this|your|our|given|provided|above|retrieved|following|information|content|details|in|of|from)\s+){0,5}"
    r"(?:passages?|contexts?|documents?|texts?|sources?|articles?|excerpts?|materials?|information|data|snippets?)"
    r"(?:\s*#?\d{1,2})?(?:\s+(?:provided|given|above|retrieved|alone))?\s*[,:]\s*"
    r"|(?:根据|依据|按照|基于|从|按|据)[^，,：:。！？\n]{0,14}"
    r"(?:资料|資料|文档|文檔|文件|内容|內容|信息|資訊|材料|文本|片段|上下文|文章|段落|说明书|手册|指南)[^，,：:。！？\n]{0,6}[，,：:]\s*",
    re.IGNORECASE,
)
_OPEN_LIST = re.compile(r"[:：.!?;]\s{1,4}\d{1,2}[.)]\s*$")
_BREAK = re.compile(
    r"[\n\r]+|[；;](?=\s*\S)"
    r"|[。！？](?=\s*(?:\d{1,2}[.、)]|[①-⑳]))"  # 。2. next item
    r"|[。！？]{2,9}(?=[^…。！？”’」』）)])"  # ！！！next
    r"|\.(?<=[^\s\d.]\.)(?=[\u3400-\u9fff])"  # a full stop of ASCII in Chinese text.下一句
)
_BREAK_ASCII = re.compile(r"[\n\r]+|;(?=\s*\S)")
_ABBREVIATED = re.compile(
    r"\b(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|nos?|fig|art|sec|vol|ch|pp?|ca|approx|st)\.\s*$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\s*(?:```|~~~)[\w+-]*\s*")
_TITLE = re.compile(r"\s*+(?:#{1,6}\s.*+|\*\*[^*\n.。]{1,60}+\*\*[:：]?)\s*+")
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half characters: sentencex cannot read them."""
_ENDS_WITHIN = re.compile(r"[。！？!?]|\.\s")
_MAY_TURN = re.compile(r"[,，]|\b(?:but|however|though|yet)\b|\s[–—-]\s")
_SAYS = re.compile(r"[^\W_]")


@dataclass(slots=True, frozen=True)
class Span:
    """Characters `[start, end)` of the answer."""

    start: int
    end: int


def split_claims(answer: str, language: str | None) -> list[Span]:
    """The claims of an answer, in order; at most `MAX_CLAIMS`, of its first `MAX_ANSWER_CHARS`."""
    text = _SURROGATE.sub("\ufffd", answer[:MAX_ANSWER_CHARS])
    spans: list[Span] = []
    folded = fold(text)
    cues = find_cues(folded)
    last = len(text.rstrip())
    for line, end in _lines(text):
        begin = _skip_marker(text, line, end)
        if end < last and _TITLE.fullmatch(text, begin, end):
            continue  # what stands under it claims something
        for left, right in _cut_at_turns(text, folded, cues, _sentences(text, begin, end, language)):
            claim = _trim(text, left, right)
            if claim is not None and not says_nothing(
                text[claim.start : claim.end], folded[claim.start : claim.end]
            ):
                spans.append(claim)
                if len(spans) == MAX_CLAIMS:
                    return spans
    return spans


def says_nothing(sentence: str, folded: str | None = None) -> bool:
    """Whether a sentence claims nothing: courtesy, an introduction, a lone marker, a question back.

    `folded`: the same as `wording.fold` makes it, where that is at hand.
    """
    stripped = sentence.strip()
    if len(stripped) < 2 or not _SAYS.search(stripped) or _FENCE.fullmatch(stripped):
        return True
    last = stripped[-1]
    if last in "?？" or (last in ":：" and len(stripped) <= HEADING_CHARS) or stripped.startswith("#"):
        return True
    marker = _MARKER.match(stripped)
    return (marker is not None and marker.end() == len(stripped)) or COURTESY.fits(
        stripped, folded.strip() if folded is not None else None
    )


def _lines(text: str) -> list[tuple[int, int]]:
    """The lines of a text; a semicolon ends one too, and so does what a sentence splitter would miss."""
    lines, start = [], 0
    for match in (_BREAK_ASCII if text.isascii() else _BREAK).finditer(text):
        newline = text[match.start()] in "\n\r"
        lines.append((start, match.start() if newline else match.end()))
        start = match.end()
    lines.append((start, len(text)))
    return [(a, b) for a, b in lines if b > a]


def _skip_marker(text: str, begin: int, end: int) -> int:
    """Where the item begins that stands behind a list marker; `begin` where there is none, or no item."""
    marker = _MARKER.match(text, begin, end)
    return marker.end() if marker is not None and marker.end() < end else begin


def _sentences(text: str, begin: int, end: int, language: str | None) -> list[tuple[int, int]]:
    if end - begin < SHORT_LINE and not _ENDS_WITHIN.search(text, begin, end - 1):
        return [(begin, end)]
    found = sentencex.get_sentence_boundaries(language if language in ("zh", "en") else "en", text[begin:end])
    return [(begin + b["start_index"], begin + b["end_index"]) for b in found]


def _cut_at_turns(
    text: str, folded: str, cues: Sequence[int], sentences: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Cut sentences that decline in one part and answer in another: "I can't see your order, but …"."""
    parts: list[tuple[int, int]] = []
    for start, end in sentences:
        turn = None
        if bisect_left(cues, start) < bisect_left(cues, end) and _MAY_TURN.search(text, start, end):
            sentence = folded[start:end]
            reading = read_sentence(sentence)
            turn = find_turn(sentence) if reading.before or reading.after else None
        parts += [(start, end)] if turn is None else [(start, start + turn), (start + turn, end)]
    return parts


def _trim(text: str, start: int, end: int) -> Span | None:
    """A sentence without the space around it, and its attribution (According to the passages, …),
    and the marker of the item that follows it."""
    while start < end and text[start].isspace():
        start += 1
    attribution = _ATTRIBUTION.match(text, start, end)
    if attribution and attribution.end() < end:
        start = attribution.end()
    opens = _OPEN_LIST.search(text, max(start, end - 12), end)
    if opens and not _ABBREVIATED.search(text, max(start, opens.start() - 8), opens.start() + 1):
        end = opens.start() + 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if end > start else None
