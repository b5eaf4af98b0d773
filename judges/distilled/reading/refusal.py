"""Does an answer decline? Full, partial or not at all, in Chinese and English.

A sentence declines when the *speaker* cannot *tell*, or the documents do not *say*; how that is worded
stands in `data/refusal.*.txt`. A condition ("if you cannot find it …",
如果无法确定) declines nothing, nor does what somebody else cannot do, nor what is quoted. An answer that
opens by declining and does not turn round (However …, 不过 …) declines in full, whatever it says of its
reasons; one that answers before that, or after a turn, does so in part.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace

from judges.distilled.reading.claims import MAX_ANSWER_CHARS, says_nothing
from judges.distilled.reading.declining import Reading, find_turn, is_idle, read_sentence
from judges.distilled.reading.wording.cues import find_cues
from judges.distilled.reading.wording.fold import fold

MAX_SENTENCE_CHARS = 2_000

_ENDS = re.compile(r"[。!?;\n]+|\.(?=\s)")
_QUOTED = re.compile('“[^“”\n]{1,400}”|「[^「」\n]{1,400}」|『[^『』\n]{1,400}』|"[^"\n]{1,400}"')
_WORD = re.compile(r"[a-z']+|[\u3400-\u9fff]|\d+")

_TURNS = re.compile(
    r"\W*(?:(?:\w+\W{1,2}){0,5}however|but|though|although|nevertheless|nonetheless"
    r"|that said|still|on the other hand"
    r"|但|不过|然而|可是|只是|尽管如此|至于|另外|倒是)"
)
_ATTRIBUTES = re.compile(
    r"\W*(?:according to|as per|per the|under the|in general|generally"
    r"|根据|按照|按(?!钮|键|下)|依据|依照|一般(?:来说|而言|情况下))"
)
_AMOUNT = re.compile(
    r"\d(?::\d\d|\s?(?:(?:million|billion|thousand|[万亿千百])\s?)?(?:%|€|£|euros?|dollars?|percent|hours?|minutes?|days?|weeks?|months?|years?|kg|gb|mb|km|mm|cm|"
    r"元|块|小时|分钟|天|周|个月|年|次|粒|片|公斤|公里|米|岁|人|折|点))|[$€£]\d"
)
_BARE_NO = re.compile(r"\W{0,9}(?:no|none|没有|无)\W{0,9}")
_ASKS_WHAT = re.compile(
    r"\b(?:what|who|whom|whose|which|when|where|why|how)\b|什么|谁|哪|几|多少|怎么|如何|为何|何时|何处|多[大长高久远]"
)
MAX_REDIRECTION = 160
_ELSEWHERE = re.compile(
    r"(?:(?<!\W)\W++)?(?:(?:please|kindly|you can|you may|i suggest|we suggest)\W{1,3}(?:\w+\W{1,3}){0,4}?"
    r"(?:contact|consult|ask|call|write to|reach out to|check with|refer to|visit|look at)\b"
    r"|(?:请|建议|您可以|你可以|可以)[^。,;]{0,10}?(?:联系|咨询|致电|拨打|询问|官网|客服|热线|官方))"
)
"""Opens by naming where else to ask."""
_SERVES = re.compile(
    r"^\W*(?:they|who|and they|someone|somebody)\b.{0,24}\b(?:help|assist|tell|answer)\b|[为帮给]您.{0,6}$"
)
"""What they will do there."""
_ASKS_WAY = re.compile(
    r"\b(?:how|where|who|whom|whose|contact|way|channel|number|e-?mail|phone|address|should i|do i)\b"
    r"|怎么|怎样|如何|哪里|哪儿|何处|谁|联系|渠道|电话|邮箱|途径|办理"
)
"""A question for a way, a place or a person may well be answered by "Please contact …"."""
Span = tuple[int, int]

_SAFETY = re.compile(
    r"\b(?:safety|harm\w*|violen\w*|illegal|unethical|ethical|appropriate|dangerous|sensitive|polic(?:y|ies)|"
    r"guidelines?|weapons?|privacy|discriminat\w*|offensive|abuse|medical advice|legal advice|"
    r"qualified professional)\b"
    r"|暴力|伤害|违法|违规|敏感|隐私|政策|安全|误导|不当|危险|歧视|色情|法律法规|道德|不便|不予|机密"
)


@dataclass(slots=True, frozen=True)
class Refusal:
    """`kind` is full, partial or none; `declining` are the offsets of the sentences that decline.

    `style` says on what grounds: `safety` (policy, harm), or `missing` (nothing found, cannot tell).
    """

    kind: str
    declining: tuple[tuple[int, int], ...] = ()
    style: str | None = None


NONE = Refusal("none")


def find_refusal(answer: str, question: str | None = None) -> Refusal:
    """Whether and how far `answer` declines. Linear in its length (the first 20,000 characters).

    A bare "No" is an answer, unless the question asks what, who or when.
    """
    text = fold(answer[:MAX_ANSWER_CHARS])
    if question and _BARE_NO.fullmatch(text) and _ASKS_WHAT.search(fold(question[:400])):
        return Refusal("full", ((0, len(text)),), "missing")
    readings = _read_sentences(text)
    if not readings:
        return Refusal("full", ((0, len(text)),), "missing") if _sends_elsewhere(text, question) else NONE
    declining = tuple(span for span, _ in readings)
    others = [s for s in _split(text) if not any(s[0] <= a and b <= s[1] for a, b in declining)]
    style = "safety" if any(_SAFETY.search(text, a, b) for a, b in declining) else "missing"
    before = readings[0][1].before or any(
        _answers(text[a:b], question) for a, b in others if b <= declining[0][0]
    )
    after = any(r.after for _, r in readings) or any(
        _resumes(text, a, b, style == "missing") and _answers(text[a:b], question)
        for a, b in others
        if a >= declining[0][1]
    )
    return Refusal("partial" if before or after else "full", declining, style)


def _sends_elsewhere(text: str, question: str | None) -> bool:
    """Whether an answer does nothing but name where else to ask, though the question was not where or how."""
    if len(text) > MAX_REDIRECTION or not _ELSEWHERE.search(text) or not question:
        return False
    if _ASKS_WAY.search(fold(question[:400])):
        return False
    parts = [part.strip() for a, b in _split(text) for part in text[a:b].split(",") if part.strip()]
    return all(says_nothing(p) or is_idle(p) or _ELSEWHERE.match(p) or _SERVES.search(p) for p in parts)


def declines(sentence: str) -> bool:
    """Whether one sentence says that the speaker cannot, or will not, tell."""
    return read_sentence(fold(sentence[:MAX_SENTENCE_CHARS].strip())).declines


def _answers(sentence: str, question: str | None) -> bool:
    """Whether a sentence is more than courtesy, redirection, or an echo of the question."""
    if says_nothing(sentence) or is_idle(sentence):
        return False
    if question:
        words = set(_WORD.findall(sentence))
        return len(words - set(_WORD.findall(fold(question)))) > 2
    return True


def _read_sentences(text: str) -> list[tuple[Span, Reading]]:
    """The sentences that decline. Only those with a cue are read."""
    cues = find_cues(text)
    if not cues:
        return []
    text = _blank_quotes(text)
    ends = [match.end() for match in _ENDS.finditer(text)]
    ends.append(len(text))
    found: list[tuple[Span, Reading]] = []
    done = 0
    for cue in cues:
        if cue < done:
            continue
        which = bisect_right(ends, cue)
        start, done = ends[which - 1] if which else 0, ends[which]
        reading = read_sentence(text[start:done])
        if reading.declines:
            span = _narrow(text, (start, done), reading)
            if reading.before and _SAFETY.search(text, start, span[0]):  # a reason is no answer
                reading, span = replace(reading, before=False), (start, done)
            found.append((span, reading))
    return found


def _narrow(text: str, span: Span, reading: Reading) -> Span:
    """The part of a sentence that declines, where another part of it answers."""
    start, end = span
    turn = find_turn(text[start:end]) if reading.before or reading.after else None
    if turn is None:
        return span
    left = read_sentence(text[start : start + turn]).declines
    return (start, start + turn) if left else (start + turn, end)


def _resumes(text: str, start: int, end: int, missing: bool) -> bool:
    """Whether a sentence after declining goes on to answer: it turns round, or says on what it goes.

    One that names an amount does too, unless it declined on grounds of safety (then it gives reasons).
    """
    if _TURNS.match(text, start, end) or _ATTRIBUTES.match(text, start, end):
        return True
    return missing and _AMOUNT.search(text, start, end) is not None


def _split(text: str) -> list[Span]:
    """The sentences of a text."""
    ends = [match.end() for match in _ENDS.finditer(text)]
    return [s for s in zip([0, *ends], [*ends, len(text)], strict=True) if text[s[0] : s[1]].strip()]


def _blank_quotes(text: str) -> str:
    """What others are quoted to have said is not the speaker's, unless the whole text is quoted."""
    if not any(mark in text for mark in '"“「『'):
        return text
    blanked = _QUOTED.sub(lambda m: m[0][0] + " " * (len(m[0]) - 2) + m[0][-1], text)
    return blanked if _WORD.search(blanked) else text
