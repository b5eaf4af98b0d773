"""An answer to its claims: sentences, list items, table rows and lines of code, with their offsets.

Sentence ends are sentencex's business. What it does not know is done here: markers of list items
(`1.`, `-`, `①`, `（二）`) belong to the item, a Chinese semicolon ends a claim, a line ends one too,
and courtesy, headings and questions claim nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import sentencex

MAX_CLAIMS = 200
MAX_ANSWER_CHARS = 20_000

_MARKER_ONLY = re.compile(r"[\s>#*•·\-–—\d.)、（()）:：①-⑳一二三四五六七八九十a-zA-Z]{0,6}\s*")
_SPLIT_LINE = re.compile(r"[\n\r]+|(?<=[；;])(?=\s*\S)|(?<=[。！？])(?=\s*(?:\d+[.、)]|[①-⑳]))")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s.*|[^\n]{1,80}[:：]\s*)$")
_COURTESY = re.compile(
    r"^\W*(?:"
    r"(?:sure|certainly|of course|great question|hello|hi|hi there|thanks?(?: you)?|you'?re welcome|okay|ok|yes|no)\b[^.!?]{0,30}"
    r"|(?:i'?m |we'?re |we are |i am )?(?:so |very |really )?sorry(?: about| for| to)?[^.!?]{0,60}(?:inconvenience|wait|trouble|delay|confusion|hear that)[^.!?]{0,30}"
    r"|(?:please )?(?:let me know|feel free to|don'?t hesitate to|contact us|reach out)[^.!?]{0,90}"
    r"|i hope (?:this|that|it)[^.!?]{0,60}|hope (?:this|that) helps[^.!?]{0,30}"
    r"|is there anything else[^.!?]{0,60}|have a (?:nice|great|good) day"
    r"|(?:您好|你好|亲|好的|当然|没问题|不客气|谢谢|感谢)[^。！？]{0,24}"
    r"|(?:很?抱歉|不好意思|对不起)[^。！？，,]{0,6}(?:久等|给您|让您|带来)[^。！？]{0,20}"
    r"|(?:希望|祝)[^。！？]{0,30}|如(?:果|有|您)[^。！？]{0,40}(?:随时|联系|告诉|咨询|提问)[^。！？]{0,24}"
    r"|(?:请问)?还有(?:什么|其他)[^。！？]{0,30}"
    r")[\s.!?。！？~～…]*$",
    re.IGNORECASE,
)
_INTRO = re.compile(
    r"^\W*(?:(?:based on|according to|from) (?:the )?(?:given |provided |above |retrieved |following )?"
    r"(?:passages?|context|documents?|information|sources?|text|articles?|data)|here (?:is|are)|the following|"
    r"以下是|根据(?:以上|上述|提供的|检索到的|给出的)?(?:资料|文档|内容|信息|材料)(?:内容)?)[^\n]{0,160}[:：]\s*$",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True, frozen=True)
class Span:
    """Characters `[start, end)` of the answer."""

    start: int
    end: int


def split_claims(answer: str, language: str | None) -> list[Span]:
    """The claims of an answer, in order; at most `MAX_CLAIMS`, of its first `MAX_ANSWER_CHARS`."""
    text = answer[:MAX_ANSWER_CHARS]
    spans: list[Span] = []
    start = 0
    for begin, end in _lines(text):
        for left, right in _sentences(text, begin, end, language):
            if _MARKER_ONLY.fullmatch(text, left, right):
                continue  # "1." on its own: its item follows, and starts here
            claim = _trim(text, max(start, begin), right)
            start = right
            if claim is not None and not says_nothing(text[claim.start : claim.end]):
                spans.append(claim)
                if len(spans) == MAX_CLAIMS:
                    return spans
    return spans


def says_nothing(sentence: str) -> bool:
    """Whether a sentence claims nothing: courtesy, an introduction, a heading, a question back."""
    stripped = sentence.strip()
    if len(stripped) < 2 or not (_LETTER.search(stripped) or any(c.isdigit() for c in stripped)):
        return True
    if stripped.endswith(("?", "？")):
        return True
    if len(stripped) > 240:
        return False
    return bool(_COURTESY.match(stripped) or _INTRO.match(stripped) or _HEADING.match(stripped))


def _lines(text: str) -> list[tuple[int, int]]:
    lines, start = [], 0
    for match in _SPLIT_LINE.finditer(text):
        lines.append((start, match.start()))
        start = match.end()
    lines.append((start, len(text)))
    return [(a, b) for a, b in lines if b > a]


def _sentences(text: str, begin: int, end: int, language: str | None) -> list[tuple[int, int]]:
    if end - begin < 24:
        return [(begin, end)]
    found = sentencex.get_sentence_boundaries(language if language in ("zh", "en") else "en", text[begin:end])
    return [(begin + b["start_index"], begin + b["end_index"]) for b in found]


def _trim(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if end > start else None
