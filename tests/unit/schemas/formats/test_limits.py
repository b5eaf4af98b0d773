"""Texts that a limit on attributes cut on their way, and texts that only look like it."""

from __future__ import annotations

import pytest

from schemas.formats.assembly.limits import find_limit
from schemas.formats.span import Span
from tests.unit.schemas.formats.spans import convert, span

LONG_EN = (
    "Files on the free plan may be up to two gigabytes large, and on the business plan there is no limit. "
)
LONG_ZH = (
    "免费版单个文件的上传上限为二吉字节,专业版为二十吉字节,企业版不设上限;超过上限的文件会被标记为未同步。"
)


def rag(limit: int | None, text: str, *, in_bytes: bool = False) -> list[Span]:
    def cut(value: str) -> str:
        if limit is None:
            return value
        return value.encode()[:limit].decode(errors="ignore") if in_bytes else value[:limit]

    passage = text * 40
    root = span(
        "rag",
        also={"openinference.span.kind": "CHAIN", "input.value": "q?", "output.value": cut(passage)},
        lasts=9,
    )
    documents = {
        "retrieval.documents.0.document.content": cut("A " + passage),
        "retrieval.documents.1.document.content": "short and whole.",
    }
    found = span(
        "retrieve",
        1,
        parent=root,
        also={
            "openinference.span.kind": "RETRIEVER",
            "input.value": "q?",
            "output.value": cut('{"documents": [{"page_content": "' + passage),
            **documents,
        },
    )
    called = span("llm", 2, parent=root, also={"openinference.span.kind": "LLM", "llm.model_name": "m"})
    return [root, found, called]


@pytest.mark.parametrize("limit", [96, 250, 1000, 1234])
@pytest.mark.parametrize("text", [LONG_EN, LONG_ZH], ids=["en", "zh"])
def test_a_limit_gives_itself_away_and_nothing_cut_is_taken_for_whole(limit: int, text: str) -> None:
    spans = rag(limit, text)
    assert find_limit(spans).chars == limit
    trace = convert(*spans)
    assert trace.answer is None
    assert trace.retrieval is not None
    assert [chunk.text for chunk in trace.retrieval.chunks or ()] == [None, "short and whole."]
    extra = trace.extra or {}
    assert extra["ragpulse_cut"] == {"answer": 1, "chunk_texts": 1}
    assert extra["ragpulse_beginnings"]["answer"] == (text * 40)[:limit]


@pytest.mark.parametrize("limit", [1000, 1024, 4096])
def test_a_collector_that_cuts_at_bytes_is_recognised_in_chinese_too(limit: int) -> None:
    trace = convert(*rag(limit, LONG_ZH, in_bytes=True))
    assert trace.answer is None
    assert (trace.extra or {})["ragpulse_cut"]["answer"] == 1


@pytest.mark.parametrize("text", [LONG_EN, LONG_ZH], ids=["en", "zh"])
def test_without_a_limit_everything_is_whole(text: str) -> None:
    trace = convert(*rag(None, text))
    assert trace.answer == text * 40
    assert "ragpulse_cut" not in (trace.extra or {})


@pytest.mark.parametrize(
    "mark",
    [
        "... [truncated]",
        "… (truncated)",
        "[TRUNCATED]",
        "<truncated>",
        "…[已截断]",
        "...(1200 more chars)",
        " [cut]",
    ],
)
def test_a_mark_at_the_end_says_it_too(mark: str) -> None:
    root = span(
        "rag",
        also={"openinference.span.kind": "CHAIN", "input.value": "q?", "output.value": f"Files may be{mark}"},
    )
    trace = convert(root, span("llm", 1, parent=root, also={"openinference.span.kind": "LLM"}))
    assert trace.answer is None
    assert (trace.extra or {})["ragpulse_cut"] == {"answer": 1}


@pytest.mark.parametrize("answer", ["Up to 2 GB.", "x" * 100, "Wait...", "See [1].", "a" * 95 + "。"])
def test_an_ordinary_answer_is_not_called_cut(answer: str) -> None:
    root = span("rag", also={"openinference.span.kind": "CHAIN", "input.value": "q?", "output.value": answer})
    assert (
        convert(root, span("llm", 1, parent=root, also={"openinference.span.kind": "LLM"})).answer == answer
    )


def test_json_that_was_cut_is_no_question_and_no_answer() -> None:
    cut = {"input.value": '{"question": "How large may a fi', "output.value": '{"answer": "Up to'}
    root = span("rag", also={"openinference.span.kind": "CHAIN", **cut})
    trace = convert(root, span("llm", 1, parent=root, also={"openinference.span.kind": "LLM"}))
    assert (trace.question, trace.answer) == (None, None)


def test_attributes_that_were_dropped_for_being_too_many_are_marked() -> None:
    spans = rag(None, LONG_EN)
    spans[1].dropped = 12
    assert (convert(*spans).extra or {})["ragpulse_cut"] == {"attributes": 12}


def test_passages_come_from_the_prompt_where_it_alone_is_whole() -> None:
    passage = LONG_EN * 3
    root = span(
        "rag", also={"openinference.span.kind": "CHAIN", "input.value": "q?", "output.value": "a."}, lasts=9
    )
    found = span(
        "retrieve",
        1,
        parent=root,
        also={
            "openinference.span.kind": "RETRIEVER",
            "input.value": "q?",
            "retrieval.documents": [{"text": f"{passage[:50]}... [truncated]"}],
        },
    )
    called = span(
        "llm",
        2,
        parent=root,
        also={
            "openinference.span.kind": "LLM",
            "llm.input_messages": [{"role": "user", "content": f"Context:\n{passage}\n\nQuestion: q?"}],
        },
    )
    trace = convert(root, found, called)
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == passage.strip()
