"""Spring AI (1.0 milestones and later) and LangChain4j in Quarkus 1, shaped as their sources write it."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.span import Event, Span
from tests.unit.schemas.formats.spans import convert, span, texts

Q, A = "How large may an upload be?", "Up to 25 MB."
TEXTS = ["Uploads are limited\nto 25 MB per file.", 'Plan "Plus": 2 GB.']
LINE = "---------------------"
ABOVE = f"Context information is below, surrounded by {LINE}\n\n{LINE}\n"
PROMPT = f"{Q}\n\n{ABOVE}{TEXTS[0]}\n{TEXTS[1]}\n{LINE}"


def unescaped(*held: str) -> str:
    """A list of texts as the milestones put it together."""
    return "[" + ", ".join(f'"{text}"' for text in held) + "]"


def spring(*, events: bool, content: bool = True) -> list[Span]:
    """Numbers are text, as Micrometer has them."""
    client = {"spring.ai.kind": "chat_client", "gen_ai.operation.name": "framework"}
    client |= {"spring.ai.chat.client.conversation.id": "c7"}
    root = span("spring_ai chat_client", 0, lasts=9, also=client)
    asked = {"spring.ai.kind": "vector_store", "db.operation.name": "query", "db.system": "pg_vector"}
    asked |= {"db.vector.query.content": Q, "db.vector.query.top_k": "4"}
    called = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.usage.input_tokens": "90",
    }
    told: dict[str, list[Event]] = {"found": [], "called": []}
    if content and events:
        told["found"] = [Event("db.vector.content.query.response", 1, {"db.vector.query.content": TEXTS})]
        told["called"] = [
            Event("gen_ai.content.prompt", 1, {"gen_ai.prompt": ["You help.", PROMPT]}),
            Event("gen_ai.content.completion", 2, {"gen_ai.completion": [A]}),
        ]
    elif content:
        asked["db.vector.query.response.documents"] = unescaped(*TEXTS)
        called |= {"gen_ai.prompt": unescaped("You help.", PROMPT), "gen_ai.completion": unescaped(A)}
    found = span("pg_vector query", 1, parent=root, also=asked, events=tuple(told["found"]))
    return [root, found, span("chat m-1", 2, parent=root, also=called, events=tuple(told["called"]))]


@pytest.mark.parametrize("events", [True, False], ids=["events", "attributes"])
def test_lists_of_texts_without_escapes_are_read(events: bool) -> None:
    trace = convert(*spring(events=events))
    assert (trace.question, trace.answer, trace.rewritten_query, trace.conversation_id) == (Q, A, None, "c7")
    assert texts(trace) == TEXTS
    assert trace.generation is not None
    assert trace.generation.input_tokens == 90


def test_without_content_the_question_is_what_was_searched_and_nothing_else_is_known() -> None:
    trace = convert(*spring(events=True, content=False))
    assert (trace.question, trace.answer) == (Q, None)
    assert trace.retrieval is not None
    assert (trace.retrieval.chunks, trace.retrieval.prompt_context, trace.retrieval.top_k) == (None, None, 4)


def quarkus(prompt: str, tool: Any = None) -> list[Span]:
    """All messages of a call in one text, without roles."""
    root = span("langchain4j.aiservices.HelpDesk.chat", 0, lasts=9)
    called = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}
    called |= {"gen_ai.prompt": prompt, "gen_ai.completion": A, "gen_ai.response.finish_reasons": "STOP"}
    asked = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "searchDocs"}
    asked |= {"gen_ai.tool.call.arguments": '{"query": "limit"}', "gen_ai.tool.call.result": tool}
    found = [span("langchain4j.tools.searchDocs", 1, parent=root, also=asked)] if tool else []
    return [root, *found, span("completion m-1", 2, parent=root, also=called)]


def test_passages_behind_the_question_are_told_from_it() -> None:
    trace = convert(*quarkus(f"{Q}\n\nAnswer using the following information:\n{TEXTS[0]}\n\n{TEXTS[1]}"))
    assert (trace.question, trace.answer) == (Q, A)
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == "\n\n".join(TEXTS)


def test_a_prompt_with_passages_in_it_is_no_question_and_neither_is_what_a_model_searched_for() -> None:
    trace = convert(*quarkus(f"You help.\n{Q}\n{TEXTS[0]}", tool=TEXTS[0]))
    assert (trace.question, trace.rewritten_query) == (None, "limit")
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == TEXTS[0]
