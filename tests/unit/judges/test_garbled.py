"""Text that a program broke is found, and odd text that none broke is left alone."""

from __future__ import annotations

import textwrap

import pytest

from judges.distilled.measuring.shape import find_suspects
from judges.distilled.measuring.tokens import tokenize
from judges.distilled.reading.garbled import find_broken_answer, find_broken_text, repeats_endlessly
from tests.unit.judges.sentences import read_sections

ENGLISH = (
    "The RK3588 integrates an NPU of 6 TOPS, which runs models in INT4, INT8 and INT16 – and “mixed” ones. "
    "It doesn’t need a fan below 70 °C; the supply voltage may vary between 4.5 and 5.5 volts. "
    "Naïve users often confuse its café mode with standby, so the manual’s second chapter explains both."
)
CHINESE = (
    "该芯片集成了算力为6TOPS的神经网络处理器，支持INT4、INT8和混合运算。"
    "设备在七十度以下不需要风扇；供电电压可在4.5至5.5伏之间变化。"
    "说明书第二章解释了“待机”与“休眠”的区别，并附有详细的接线图。"
)
TRADITIONAL = (
    "該晶片整合了算力為6TOPS的神經網路處理器，支援混合運算。"
    "設備在七十度以下不需要風扇，供電電壓可在四點五至五點五伏之間變化。"
)


def misread(text: str, written_as: str, read_as: str) -> str:
    return text.encode(written_as, "ignore").decode(read_as, "replace")


MOJIBAKE = {
    "Chinese in UTF-8 read as Latin-1": misread(CHINESE, "utf-8", "latin-1"),
    "Chinese in UTF-8 read as Windows-1252": misread(CHINESE, "utf-8", "cp1252"),
    "Chinese in UTF-8 read as GBK": misread(CHINESE, "utf-8", "gbk"),
    "Chinese in UTF-8 read as Big5": misread(CHINESE, "utf-8", "big5"),
    "Chinese in GBK read as Latin-1": misread(CHINESE, "gbk", "latin-1"),
    "Chinese in GBK read as Windows-1252": misread(CHINESE, "gbk", "cp1252"),
    "Chinese in GBK read as UTF-8": misread(CHINESE, "gbk", "utf-8"),
    "Chinese in GBK read as Big5": misread(CHINESE, "gbk", "big5"),
    "Chinese in UTF-16 read as Latin-1": misread(CHINESE, "utf-16-le", "latin-1"),
    "traditional Chinese in Big5 read as GBK": misread(TRADITIONAL, "big5", "gbk"),
    "traditional Chinese in Big5 read as Latin-1": misread(TRADITIONAL, "big5", "latin-1"),
    "traditional Chinese in UTF-8 read as GBK": misread(TRADITIONAL, "utf-8", "gbk"),
    "Chinese misread twice": misread(misread(CHINESE, "utf-8", "latin-1"), "utf-8", "latin-1"),
    "replaced by question marks": CHINESE.encode("ascii", "replace").decode(),
    "private use characters of a font": "".join(chr(0xE000 + ord(c) % 2000) for c in CHINESE),
    "bytes that were lost": CHINESE.encode()[::3].decode("utf-8", "replace"),
}
RESIDUE = {
    "glyph numbers": "".join(f"(cid:{ord(c) % 900})" for c in ENGLISH[:60]),
    "escapes": CHINESE[:40].encode("unicode_escape").decode(),
    "an HTML table": "<table><tr><td>Plan</td><td>Price</td></tr><tr><td>Pro</td><td>30</td></tr></table>"
    * 2,
    "entities": "Plan&nbsp;&nbsp;A&nbsp;&lt;b&gt;30&lt;/b&gt;&nbsp;&amp;&nbsp;&#8212;&nbsp;&quot;" * 3,
    "LaTeX": r"\begin{array}{cc} \frac{\partial L}{\partial x} & \sum\nolimits_{i} & \\ \hline & \end{array}"
    * 2,
    "empty cells": "| | | | |\n| NaN | NaN | | |\n| Unnamed: 0 | Unnamed: 1 | | |\n" * 3,
    "boxes": "□□□□ Plan □□ A □□□□ 30 □□□□□□□□ euros □□□□ □□□□",
    "a table of contents": "Setup ......... 3\nUse ........... 7\nRepair ........ 12\nIndex ........ 30",
    "line noise": "x#9f$k%2@!q~^v*7+p|z<8>{w}=&y%$#@!j*^~+k|m<3>{r}#@%&9=^*~!x+$" * 2,
}
CLEAN = read_sections("clean_texts") | {"empty": ""}


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in MOJIBAKE.items()])
def test_mojibake_is_found(text: str) -> None:
    assert find_broken_text(text) == "mojibake"


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in RESIDUE.items()])
def test_residue_of_markup_and_glyphs_is_found(text: str) -> None:
    assert find_broken_text(text) is not None


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in CLEAN.items()])
def test_odd_text_that_nothing_broke_is_left_alone(text: str) -> None:
    assert find_broken_text(text) is None
    assert find_broken_answer(text) is None
    assert find_broken_text(text * 3) is None


UNNOTICED = {"Chinese in GBK read as Big5", "glyph numbers"}
"""Broken, but made of letters alone: the quick look at whole batches passes over them."""


@pytest.mark.parametrize("name", sorted({**MOJIBAKE, **RESIDUE}.keys() - UNNOTICED))
def test_a_quick_look_at_a_batch_notices_broken_text(name: str) -> None:
    broken = {**MOJIBAKE, **RESIDUE}[name]
    texts = [broken, "", "A plain sentence stands beside it.", broken]
    assert find_suspects(tokenize(texts)).tolist() == [True, False, False, True]


def read_across(left: str, right: str, width: int) -> str:
    """Two columns of a page as a parser reads them that does not know of columns."""
    lines = [[text[i : i + width] for i in range(0, len(text), width)] for text in (left, right)]
    return "\n".join(line for pair in zip(*lines, strict=False) for line in pair)


COLUMNS = read_sections("columns")


@pytest.mark.parametrize(
    ("left", "right", "width"),
    [("left", "right", 25), ("left zh", "right zh", 9), ("left zh", "right zh", 13)],
)
def test_columns_read_across_are_found(left: str, right: str, width: int) -> None:
    text = read_across(COLUMNS[left], COLUMNS[right], width)
    assert find_broken_text(text) == "columns"
    assert find_suspects(tokenize([text]))[0]


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in COLUMNS.items()])
@pytest.mark.parametrize("width", [10, 17, 25, 40])
def test_a_single_column_is_left_alone(text: str, width: int) -> None:
    lines = [text[i : i + width] for i in range(0, len(text), width)]
    wrapped = textwrap.fill(text, width, break_long_words=False) if text.isascii() else "\n".join(lines)
    assert find_broken_text(wrapped) is None


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("The fee is 30 euros.<|im_end|>", "leak"),
        ("<s>[INST] Answer the question [/INST] Four weeks.</s>", "leak"),
        ("Use this context: {context}\nQuestion: {question}", "leak"),
        ("请根据以下内容回答：{{context}}", "leak"),
        ("[object Object]", "leak"),
        ("Four weeks.<end_of_turn>", "leak"),
        ("手续费为30元。<|endoftext|>", "leak"),
        ('Traceback (most recent call last):\n  File "app.py", line 3, in answer\nKeyError: 0', "dump"),
        ("java.lang.NullPointerException: null\n\tat com.acme.Rag.answer(Rag.java:42)", "dump"),
        ('{"error": {"code": 429, "message": "Rate limit exceeded"}}', "dump"),
        ('{"status": 500, "message": "内部错误"}', "dump"),
        ("<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head>", "dump"),
        ("HTTP/1.1 503 Service Unavailable", "dump"),
        ("openai.APITimeoutError: Request timed out.", "dump"),
        ("系统繁忙，请稍后再试。", "outage"),
        ("服务暂时不可用，请稍后重试", "outage"),
        ("网络异常，请检查网络后重试。", "outage"),
        ("抱歉，服务器开小差了，请稍后再试！", "outage"),
        ("系統錯誤，請稍後再試", "outage"),
        ("Something went wrong. Please try again later.", "outage"),
        ("Internal server error", "outage"),
        ("The service is temporarily unavailable.", "outage"),
        ("Sorry, an unexpected error has occurred. Try again later.", "outage"),
        ("Error: request timed out", "outage"),
        (MOJIBAKE["Chinese in UTF-8 read as Latin-1"], "garbled"),
    ],
)
def test_an_answer_of_a_broken_program_is_told_from_what_broke(answer: str, why: str) -> None:
    assert find_broken_answer(answer) == why


@pytest.mark.parametrize(
    "answer",
    [
        "The system restarts when an error occurs.",
        "An internal server error (500) means that the server failed; reload the page after a minute.",
        "If the service is unavailable, check the status page.",
        "系统繁忙时，请求会排队，最长等待三十秒。",
        "服务器异常的常见原因有三个：内存不足、磁盘已满和网络中断。",
        "The request timed out because the firewall blocks port 443; open it in the settings.",
        "Use `{{ name }}` in a Jinja template to print the variable.",
        "In Python, {question} inside an f-string is replaced by its value, as in f'{question}?'.",
        'The API returns {"status": "ok", "items": []} if nothing was found.',
        'On failure, the API returns {"error": "not_found"} with the status 404.',
        "A KeyError: 'name' means that the dictionary has no such key.",
        "Human: a play in two acts. System: a later one.",
        "The tokens <s> and </s> mark the begin and the end of a sentence in that model.",
    ],
)
def test_an_answer_that_explains_errors_is_no_error(answer: str) -> None:
    assert find_broken_answer(answer) is None


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("The fee is due. " * 20, True),
        ("手续费于每月一日支付。" * 15, True),
        ("The answer is four weeks. " + "and so on " * 40, True),
        ("哈" * 500, True),
        ("1, 2, 3, " * 60, True),
        ("a b " * 300, True),
        ("I said yes. I said yes. I said yes.", False),
        ("We will, we will rock you. " * 2, False),
        (ENGLISH, False),
        (CHINESE, False),
        ("-" * 80, False),
        ("=" * 120 + "\nTitle\n" + "=" * 120, False),
        ("", False),
        (" " * 3000, False),
        ("0" * 90, False),
    ],
)
def test_endless_repetition_is_found(text: str, loops: bool) -> None:
    assert repeats_endlessly(text) is loops


def test_a_refrain_is_no_loop() -> None:
    verses = [
        f"And the {x} on the bus goes round and round,\nround and round, round and round.\n" for x in "abcd"
    ]
    assert not repeats_endlessly(
        "".join(v + f"Verse {i} tells of something new.\n" for i, v in enumerate(verses))
    )
