"""No text makes reading hang: a megabyte of the worst for each pattern ends in a moment.

These are no benchmarks. The bound is a hundred times what is needed, and far below what a pattern with
nested repetition takes.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from judges.distilled.measuring.batch import read_case
from judges.distilled.measuring.shape import find_suspects
from judges.distilled.measuring.tokens import tokenize
from judges.distilled.reading import declining
from judges.distilled.reading.answerable import kind_of_answer
from judges.distilled.reading.citations import find_citations, strip_citations
from judges.distilled.reading.claims import says_nothing, split_claims
from judges.distilled.reading.followup import is_fragment, points_back
from judges.distilled.reading.garbled import find_broken_answer, find_broken_text, is_glued, repeats_endlessly
from judges.distilled.reading.language import detect, normalise
from judges.distilled.reading.refusal import declines, find_refusal
from judges.distilled.reading.wording.grammar import Grammar
from schemas.trace import Message, Retrieval, Trace
from tests.support.time_limit import no_longer_than

MEGABYTE = 1_000_000
SECONDS = 2.0

UNITS = [
    "a", "A", "é", "字", "它", "0", "9", " ", "\t", "\n", "\r\n", "\u3000", "\0", "\ud800", "\ufffd",
    "😀", ".", ",", ";", ":", "!", "?", "。", "，", "；", "：", "！", "？", "、", "…", "-", "—", "~",
    "_", "*", "#", "|", "(", ")", "[", "]", "{", "}", "<", ">", "【", "】", "（", "）", "“", "”", "「",
    "」", "《", "'", '"', "`", "\\", "/", "&", "%", "$", "@", "^", "=", "+", "†", "[1", "[1,", "[1]",
    "[1, 2; ", "(doc", "【1†", "(来源1、", "①", "1. ", "1.", "a) ", "(1) ", "一、", "- ", "> ",
    "Step 1: ", "步骤1：", "```", "~~~", "**", "# ", "| | ", "||", ". . . ", "....", "_ _ ", "& & ",
    "\\\\", "\\frac", "\\u12", "\\x1", "(cid:", "(cid:1", "/g1 ", "<td", "<td ", "<td>", "</", "&nbsp;",
    "&#", "rowspan=", "{{", "{ ", "{{context", ": {{", "<|", "<|im_", "</s>", "[INST", '{"', '{"error": ',
    '"error"', "at a.b(", "at x", 'File "', "Error", "ErrorError", "a.b.",
    "Traceback (most recent call last)", "HTTP/", "5000 ", "NaN ", "Unnamed: ", "http://", "x=", "a,b",
    "a,", "longlonglonglong", "don't ", "n't", "I ", "I can ", "I cannot ", "not ", "no ", "not not ",
    "unable to ", "if ", "when ", "the document does ", "does not ", "I do not ", "could you ",
    "there is no ", "based on the ", "according to the passages ", "from the ",
    "in the documents of the ", "However, ", "but ", "although ", "please ", "sorry ", "thank you ",
    "I hope ", "let me know ", "it ", "this that ", "what about ", "and ", "他", "无", "无法", "没有",
    "不", "不能", "我不", "如果", "资料", "资料没有", "没有提到", "根据", "根据资料", "抱歉，", "但",
    "请提供", "您好", "希望", "谢谢", "系统", "系统繁忙", "那", "呢", "这个", "是什么", "百分之", "一",
    "万", "点", "年", "三万五千", "5:30 ", "1,", "1,000", "12:", "k", "million ",
]  # fmt: skip

FUNCTIONS: dict[str, Callable[[str], object]] = {
    "find_refusal": find_refusal,
    "find_refusal with the question": lambda text: find_refusal(text, text),
    "declines": declines,
    "points_back": points_back,
    "is_fragment": is_fragment,
    "split_claims in English": lambda text: split_claims(text, "en"),
    "split_claims in Chinese": lambda text: split_claims(text, "zh"),
    "says_nothing": says_nothing,
    "find_broken_text": find_broken_text,
    "find_broken_answer": find_broken_answer,
    "repeats_endlessly": repeats_endlessly,
    "is_glued": lambda text: is_glued(text[:4_000]),
    "find_citations": lambda text: strip_citations(text, find_citations(text)),
    "kind_of_answer": kind_of_answer,
    "detect": detect,
    "normalise": normalise,
    "read_case": lambda text: read_case(
        Trace(
            trace_id="t",
            question=text,
            answer=text,
            rewritten_query=text,
            language=text,
            history=[Message(role="user", content=text)],
            retrieval=Retrieval(chunks=[], prompt_context=text),
        )
    ),
}


def check_all(text: str, what: str) -> None:
    for name, read in FUNCTIONS.items():
        with no_longer_than(SECONDS, f"{name} on {what}"):
            read(text)


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_a_megabyte_of_anything_ends_in_a_moment(unit: str) -> None:
    check_all((unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE], repr(unit))


@pytest.mark.parametrize(
    ("first", "second"), list(zip(UNITS[::3], UNITS[7::3] + UNITS[:7:3], strict=False)), ids=ascii
)
def test_a_megabyte_that_almost_fits_ends_in_a_moment(first: str, second: str) -> None:
    text = (first + second) * (MEGABYTE // len(first + second)) + "!x。"
    check_all(text, f"{first!r} and {second!r}")


@pytest.mark.parametrize("step", [1, 7, 31])
@pytest.mark.parametrize("grammar", [declining.ENGLISH.grammar, declining.CHINESE.grammar], ids=["en", "zh"])
def test_all_the_words_of_refusals_in_any_order_end_in_a_moment(grammar: Grammar, step: int) -> None:
    words = sorted(grammar.letters)
    shuffled = [words[i * step % len(words)] for i in range(len(words))]
    for joint in (" ", "", ". ", "，"):
        with no_longer_than(SECONDS, f"find_refusal on words joined by {joint!r}"):
            find_refusal((joint.join(shuffled) + joint) * 200)


def test_tokenising_a_megabyte_of_anything_ends_in_a_moment() -> None:
    for unit in UNITS[::3]:
        with no_longer_than(10 * SECONDS, f"tokenize on {unit!r}"):
            find_suspects(tokenize([unit * (MEGABYTE // len(unit) // 4)]))
