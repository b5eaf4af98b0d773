"""What in an answer is a citation, and which chunks it names."""

from __future__ import annotations

import pytest

from judges.distilled.reading.citations import NOWHERE, find_citations, strip_citations


@pytest.mark.parametrize(
    ("answer", "marks"),
    [
        ("Four weeks [1].", {"[1]": (0,)}),
        ("Four weeks[1].", {"[1]": (0,)}),
        ("A [1,2], b [1-3], c [2, 4–5].", {"[1,2]": (0, 1), "[1-3]": (0, 1, 2), "[2, 4–5]": (1, 3, 4)}),
        ("四周【1】。甲〔2〕，乙［3］。", {"【1】": (0,), "〔2〕": (1,), "［3］": (2,)}),
        ("支持INT4①，功耗为五瓦②。", {"①": (0,), "②": (1,)}),
        ("四周（来源1），押金见(资料2、3)。", {"（来源1）": (0,), "(资料2、3)": (1, 2)}),
        ("See [doc 2], [Source: 3] and (Doc. 4).", {"[doc 2]": (1,), "[Source: 3]": (2,), "(Doc. 4)": (3,)}),
        ("Both say so (Source 1, Source 2).", {"(Source 1, Source 2)": (0, 1)}),
        ("As noted [ref 1; ref 2] and [1; 3].", {"[ref 1; ref 2]": (0, 1), "[1; 3]": (0, 2)}),
        ("Four weeks.[^1] And a deposit.[^2]", {"[^1]": (0,), "[^2]": (1,)}),
        ("Four weeks 【1†source】 and 【4:2†faq.pdf】.", {"【1†source】": (0,), "【4:2†faq.pdf】": (2,)}),
        ("Four weeks [[1]].", {"[1]": (0,)}),
        ("文獻[１]記載", {"[１]": (0,)}),
        ("[1] says four weeks.", {"[1]": (0,)}),
        ("见[文档1][文档2]。", {"[文档1]": (0,), "[文档2]": (1,)}),
        ("A [7] that names a chunk nobody returned.", {"[7]": (6,)}),
        ("Four weeks [0].", {"[0]": (NOWHERE,)}),
        ("四周【0】。", {"【0】": (NOWHERE,)}),
        ("Four weeks [999999999999].", {"[999999999999]": (NOWHERE,)}),
        ("Four weeks [1-999999999].", {"[1-999999999]": (NOWHERE,)}),
        ("Four weeks [1, 999999999].", {"[1, 999999999]": (0, NOWHERE)}),
    ],
)
def test_citations_are_found(answer: str, marks: dict[str, tuple[int, ...]]) -> None:
    assert {answer[c.start : c.end]: c.chunks for c in find_citations(answer)} == marks


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "No marks at all.",
        "In [2024] it rose, as in [1999].",
        "See [1](https://example.com) and [[2]](https://example.com).",
        "(3) is a remark, (a) too, and 3) opens an item.",
        "（3）列表项\n（4）另一项",
        "①支持INT4\n②功耗低",
        "步骤：①打开；②关闭。③完成",
        "[citation needed] [a] [1a] [v1.2] [10:30] [page 4] [3-1]",
        "A score in [0, 1], a band of [20000, 50000], sizes [1-60] and [1024], but not row[0].",
        "[1]: https://example.com\n[2]: https://example.org",
        "[^1]: The first note.",
        "References\n[1] Smith, A first book.\n[2] Jones, A second book.",
        "Use `x[1]` or\n```\ny = x[2]\n```",
        "x[1] = 2",
        "Press [Enter] or [F1].",
        "[x] done, [ ] open",
    ],
)
def test_what_only_looks_like_a_citation_is_none(answer: str) -> None:
    assert find_citations(answer) == []


def test_marks_are_blanked_out_without_moving_the_text() -> None:
    answer = "甲【1】乙[2,3]丙 and (Source 1) end"
    plain = strip_citations(answer, find_citations(answer))
    assert len(plain) == len(answer)
    assert plain.split() == ["甲", "乙", "丙", "and", "end"]
    assert plain.index("丙") == answer.index("丙")


@pytest.mark.parametrize("mark", ["[0]", "[999999999999]", "[1-999999999]"])
def test_numbers_that_cite_nothing_are_no_numbers_of_the_claim(mark: str) -> None:
    answer = f"A notice of four weeks {mark} is needed."
    assert not any(c.isdigit() for c in strip_citations(answer, find_citations(answer)))


def test_marks_are_blanked_out_in_a_part_of_the_answer() -> None:
    answer = "Four weeks [1]. A deposit [2]."
    marks = find_citations(answer)
    assert strip_citations(answer[16:], marks, offset=16) == "A deposit    ."
    assert strip_citations(answer[12:20], marks, offset=12) == "  . A de"
