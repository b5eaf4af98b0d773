"""What Python libraries do in their own way, each as it was seen in spans that they wrote."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.assembly import NotRag, assemble
from schemas.formats.span import Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

FOUND = "\n\n".join(str(document["text"]) for document in DOCS)
WANTED = "size limit"


def chat(given: list[dict[str, Any]], said: list[dict[str, Any]], at: float = 2.0, **more: Any) -> Span:
    held = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.input.messages": dump(given),
        "gen_ai.output.messages": dump(said),
    }
    return span("chat", at, also=held, **more)


def text(role: str, said: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": said}]}


def called(query: str, tool: str = "search_kb") -> dict[str, Any]:
    part = {"type": "tool_call", "name": tool, "id": "c", "arguments": {"query": query}}
    return {"role": "assistant", "parts": [part]}


def gave(result: str) -> dict[str, Any]:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": result}]}


def test_messages_that_attributes_leave_empty_are_taken_from_the_input() -> None:
    """Haystack 2.15 and 3.4 by openinference-instrumentation-haystack: calls and results are reprs."""
    call = f"ToolCall(tool_name='search_kb', arguments={{'query': '{WANTED}'}}, id='c', extra=None)"
    result = f"ToolCallResult(result={FOUND!r}, origin={call}, error=False)"
    parts = (("USER", f"TextContent(text={Q!r})"), ("ASSISTANT", call), ("TOOL", result))
    written = [
        f"ChatMessage(_role=<ChatRole.{role}: '{role.lower()}'>, _content=[{part}], _name=None, _meta={{}})"
        for role, part in parts
    ]
    held = {
        "openinference.span.kind": "LLM",
        "input.value": dump({"messages": written}),
        "llm.model_name": "m-1",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": Q,
        "llm.input_messages.1.message.role": "assistant",
        "llm.input_messages.2.message.role": "tool",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": A,
    }
    trace = convert(span("OpenAIChatGenerator.run", also=held))
    assert trace.retrieval is not None
    assert (trace.retrieval.chunks, trace.retrieval.prompt_context) == (None, FOUND)
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, WANTED, A)


def test_what_only_an_inner_span_of_the_call_recorded_tells_the_query_too() -> None:
    """Haystack 2.15 without content tracing, and opentelemetry-instrumentation-openai 0.62 inside of it."""
    root = span("haystack.agent.run", also={"haystack.agent.max_steps": 9}, lasts=4)
    held = {"haystack.component.name": "llm", "haystack.component.type": "OpenAIChatGenerator"}
    outer = span("haystack.component.run", 2, parent=root, also=held, lasts=1)
    inner = chat([text("user", Q), called(WANTED), gave(FOUND)], [text("assistant", A)], 2.1, parent=outer)
    trace = convert(root, outer, inner)
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, WANTED, A)


def test_what_a_search_was_asked_in_an_earlier_turn_is_no_rewrite_of_this_question() -> None:
    """Any agent whose conversation goes on: its earlier calls of tools stand in its messages."""
    before = [
        text("user", "Which plans are there?"),
        called("plans"),
        gave("Home and team."),
        text("assistant", "Two."),
    ]
    trace = convert(chat([*before, text("user", Q), called(WANTED), gave(FOUND)], [text("assistant", A)]))
    assert (trace.question, trace.rewritten_query) == (Q, WANTED)
    assert convert(chat([*before, text("user", Q)], [text("assistant", A)])).rewritten_query is None


def test_of_several_tools_only_what_searches_gave_back_is_context() -> None:
    """OpenAI's SDK, or any framework on it: results of tools stand in messages, without the tools' names."""
    both = {"role": "assistant", "parts": [*called(Q, "get_time")["parts"], *called(WANTED)["parts"]]}
    trace = convert(chat([text("user", Q), both, gave("It is 12:00."), gave(FOUND)], [text("assistant", A)]))
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == FOUND
    assert trace.rewritten_query == WANTED


def test_what_a_tool_gave_back_in_blocks_is_their_text() -> None:
    """LlamaIndex 0.14 (FunctionAgent) by openinference-instrumentation-llama-index 4.6."""
    root = span(
        "agent.run", also={"openinference.span.kind": "CHAIN", "input.value": Q, "output.value": A}, lasts=4
    )
    came = {"blocks": [{"block_type": "text", "text": FOUND}], "tool_name": "search_kb", "raw_output": FOUND}
    held = {"openinference.span.kind": "TOOL", "tool.name": "search_kb"}
    held |= {"input.value": dump({"query": WANTED}), "output.value": dump(came)}
    retrieval = convert(root, span("FunctionTool.acall", 1, parent=root, also=held)).retrieval
    assert retrieval is not None
    assert retrieval.prompt_context == FOUND


def test_a_span_that_a_client_writes_of_the_same_call_is_no_second_call() -> None:
    """Anthropic's SDK 2.14 beside OpenLLMetry 0.62: siblings, one of them silent."""
    root = span("answer", lasts=4)
    spoken = chat(
        [text("user", f"<documents>\n{FOUND}\n</documents>\n\n{Q}")], [text("assistant", A)], parent=root
    )
    held = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.usage.input_tokens": 90}
    silent = span("messages.create", 2.1, parent=root, also=held, lasts=0.2)
    trace = convert(root, spoken, silent)
    assert (trace.question, trace.answer) == (Q, A)
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == FOUND
    later = span("messages.create", 3, parent=root, also=held)
    assert convert(root, spoken, later).answer is None


def test_a_reranker_s_places_and_scores_order_the_passages_that_it_was_given() -> None:
    """Cohere's rerank by opentelemetry-instrumentation-cohere 0.62."""
    root = span("answer", lasts=4)
    given = [{"role": "system", "content": d["text"]} for d in DOCS] + [{"role": "user", "content": WANTED}]
    held: dict[str, Any] = {"llm.request.type": "rerank", "gen_ai.request.model": "rerank-1"}
    for i, message in enumerate(given):
        held |= {f"gen_ai.prompt.{i}.{key}": value for key, value in message.items()}
    held |= {
        "gen_ai.completion.0.content": "Doc 1, Score: 0.9",
        "gen_ai.completion.1.content": "Doc 0, Score: 0.2",
    }
    ranked = span("cohere.rerank", 1, parent=root, also=held)
    trace = convert(root, ranked, chat([text("user", Q)], [text("assistant", A)], parent=root))
    assert trace.retrieval is not None
    chunks = trace.retrieval.chunks or []
    assert [(c.text, c.rerank_score) for c in chunks] == [(DOCS[1]["text"], 0.9), (DOCS[0]["text"], 0.2)]
    assert trace.release is not None
    assert trace.release.reranker == "rerank-1"


def test_documents_among_the_parts_of_a_message_are_context_and_not_the_question() -> None:
    """Anthropic's citations by OpenInference 3.1: a part, and again as JSON in its text."""
    held = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m-1",
        "llm.input_messages.0.message.role": "user",
    }
    for i, document in enumerate(DOCS):
        source = {"type": "text", "media_type": "text/plain", "data": document["text"]}
        part = f"llm.input_messages.0.message.contents.{i}.message_content"
        held |= {f"{part}.type": "document", f"{part}.text": dump({"type": "document", "source": source})}
    held |= {"llm.input_messages.0.message.contents.2.message_content.text": Q}
    trace = convert(span("messages.create", also=held))
    assert trace.question == Q
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == FOUND


def test_tools_that_a_client_called_by_itself_stand_in_its_history() -> None:
    """google-genai 3.6 by OpenInference 1.4: functions are called within one call."""
    turns = [
        {"parts": [{"text": Q}]},
        {"role": "model", "parts": [{"function_call": {"name": "search_kb", "args": {"query": WANTED}}}]},
        {"parts": [{"function_response": {"name": "search_kb", "response": {"result": FOUND}}}]},
    ]
    held = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m-1",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": Q,
        "llm.output_messages.0.message.role": "model",
        "llm.output_messages.0.message.content": A,
        "output.value": dump({"candidates": [], "automatic_function_calling_history": turns}),
    }
    trace = convert(span("GenerateContent", also=held))
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, WANTED, A)
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == FOUND


def test_a_prompt_that_is_the_bare_question_is_no_context() -> None:
    """An application's own span of its search, without what it found, around any client."""
    root = span("answer", lasts=4)
    found = span("retrieve", 1, parent=root, also={"query": Q, "result_count": 2})
    trace = convert(root, found, chat([text("user", Q)], [text("assistant", A)], parent=root))
    assert trace.retrieval is not None
    assert (trace.retrieval.chunks, trace.retrieval.prompt_context) == (None, None)


def test_a_span_that_is_only_called_a_model_s_makes_no_trace() -> None:
    """LlamaIndex 0.14 by OpenInference 4.6: a streamed answer's memory, by itself."""
    held = {"openinference.span.kind": "LLM", "input.value": dump({"memory": "Memory(token_limit=3000)"})}
    assert isinstance(
        assemble([span("StreamingAgentChatResponse.write_response_to_history", also=held)]), NotRag
    )


def test_a_step_that_gives_passages_back_with_other_scores_is_a_reranker() -> None:
    """LlamaIndex 0.14 by opentelemetry-instrumentation-llamaindex 0.62: a postprocessor of any name."""

    def nodes(*scored: tuple[int, float]) -> list[str]:
        held = (
            {"node": {"id_": DOCS[i]["id"], "text": DOCS[i]["text"]}, "score": score} for i, score in scored
        )
        return [dump(node) for node in held]

    def task(name: str, at: float, parent: Span | None, given: object, came: object) -> Span:
        io = {"traceloop.entity.input": dump(given), "traceloop.entity.output": dump(came)}
        kind = {"traceloop.span.kind": "task" if parent else "workflow"}
        return span(name, at, parent=parent, also=kind | io, lasts=4 - at)

    root = task("RetrieverQueryEngine.workflow", 0, None, {"str_or_query_bundle": Q}, {"response": A})
    first = nodes((0, 0.9), (1, 0.4))
    found = task("KB.task", 1, root, {"str_or_query_bundle": {"query_str": Q}}, first)
    ranked = task("Newest.task", 2, root, {"nodes": first}, nodes((1, 0.8), (0, 0.1)))
    retrieval = convert(root, found, ranked).retrieval
    assert retrieval is not None
    assert [(c.id, c.rerank_score) for c in retrieval.chunks or ()] == [("k2", 0.8), ("k1", 0.1)]
    same = task("Newest.task", 2, root, {"nodes": first}, first)
    retrieval = convert(root, found, same).retrieval
    assert retrieval is not None
    assert [(c.id, c.rerank_score) for c in retrieval.chunks or ()] == [("k1", None), ("k2", None)]


ROOT, STEP = {"args": [Q], "kwargs": {"user_id": "u-1"}}, {"args": [Q], "kwargs": {}}


@pytest.mark.parametrize(
    ("root", "found"),
    [
        (
            {
                "traceloop.span.kind": "workflow",
                "traceloop.entity.input": dump(ROOT),
                "traceloop.entity.output": dump(A),
            },
            {
                "traceloop.span.kind": "task",
                "traceloop.entity.input": dump(STEP),
                "traceloop.entity.output": dump(DOCS),
            },
        ),
        (
            {
                "agentops.span.kind": "session",
                "agentops.entity.input": dump(ROOT),
                "agentops.entity.output": A,
            },
            {
                "agentops.span.kind": "task",
                "agentops.task.input": dump(STEP),
                "agentops.task.output": dump(DOCS),
            },
        ),
        (
            {
                "lmnr.span.type": "DEFAULT",
                "lmnr.span.input": dump({"question": Q}),
                "lmnr.span.output": dump(A),
            },
            {"lmnr.span.type": "DEFAULT", "lmnr.span.input": dump({"q": Q}), "lmnr.span.output": dump(DOCS)},
        ),
        (
            {"function.args": str((Q,)), "function.kwargs": "{}", "gen_ai.completion": A},
            {
                "function.args": str((Q,)),
                "function.kwargs": "{}",
                "gen_ai.completion": [str(d["text"]) for d in DOCS],
            },
        ),
        (
            {
                "logfire.json_schema": dump({"type": "object", "properties": {"question": {}, "return": {}}}),
                "question": Q,
                "return": A,
            },
            {
                "logfire.json_schema": dump({"type": "object", "properties": {"q": {}, "return": {}}}),
                "q": Q,
                "return": dump(DOCS),
            },
        ),
    ],
    ids=["traceloop", "agentops", "laminar", "openlit", "logfire"],
)
def test_decorated_functions_tell_the_question_the_passages_and_the_answer(
    root: dict[str, Any], found: dict[str, Any]
) -> None:
    """traceloop-sdk 0.62, AgentOps 0.4, Laminar 0.7, OpenLIT 1.36, Logfire 5.4: each under its own names."""
    top = span("rag", also=root, lasts=4)
    trace = convert(top, span("retrieve", 1, parent=top, also=found))
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, None, A)
    assert texts(trace) == [document["text"] for document in DOCS]


def test_a_block_of_logfire_that_shows_passages_is_a_retrieval() -> None:
    """Logfire 5.4: attributes of blocks, told by a schema."""

    def block(name: str, at: float, parent: Span | None, **held: Any) -> Span:
        schema = {"type": "object", "properties": {key: {} for key in held}}
        return span(name, at, parent=parent, also={"logfire.json_schema": dump(schema)} | held, lasts=4 - at)

    top = block("answering {question}", 0, None, question=Q)
    found = block("searching knowledge base", 1, top, query=WANTED, documents=dump(DOCS))
    trace = convert(top, found, chat([text("user", Q)], [text("assistant", A)], parent=top))
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, WANTED, A)
    assert texts(trace) == [document["text"] for document in DOCS]


def test_a_conversation_in_one_text_is_told_apart_by_its_roles() -> None:
    """OpenLIT 1.36: roles at the beginnings of lines, and the type of a part ahead of its text."""
    held = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.completion": A}
    asked = f"user: Hello.\nassistant: Hi.\nuser: text: {Q}"
    prompt = f"system: Answer from the context.\n\nContext:\n{FOUND}\n{asked}"
    trace = convert(span("chat m-1", also=held | {"gen_ai.prompt": prompt}))
    assert (trace.question, trace.answer) == (Q, A)
    assert [turn.content for turn in trace.history] == ["Hello.", "Hi."]
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == FOUND


def test_what_tools_were_asked_is_taken_from_the_request_as_it_went_out() -> None:
    """LiteLLM 1.80's callback: calls of tools stand in the inner span alone; most metadata is empty."""
    held: dict[str, Any] = {"llm.request.type": "completion", "gen_ai.request.model": "m-1"}
    turns = [("user", Q), ("assistant", ""), ("tool", FOUND)]
    for i, (role, said) in enumerate(turns):
        held |= {f"gen_ai.prompt.{i}.role": role} | ({f"gen_ai.prompt.{i}.content": said} if said else {})
    held |= {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": A}
    held |= {"metadata.user_api_key_hash": "", "metadata.requester_metadata": "", "metadata.team": "search"}
    outer = span("litellm_request", also=held, lasts=3)
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "search_kb", "arguments": dump({"query": WANTED})},
    }
    raw = [
        {"role": "user", "content": Q},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": FOUND},
    ]
    inner = span("raw_gen_ai_request", 1, parent=outer, also={"llm.openai.messages": str(raw)})
    trace = convert(outer, inner)
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, WANTED, A)
    assert trace.retrieval is not None
    assert trace.retrieval.prompt_context == FOUND
    assert (trace.extra or {})["metadata"] == {"team": "search"}


def test_a_call_of_which_no_end_is_recorded_has_an_unknown_answer_and_no_empty_one() -> None:
    """OpenAI Agents 0.24 on chat completions, by opentelemetry-instrumentation-openai-agents 0.62."""
    given = {"gen_ai.input.messages": dump([text("user", Q)])}
    held = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"} | given
    trace = convert(span("openai.response", also=held))
    assert (trace.extra or {})["ragpulse_unrecorded"] == ["answer"]
    ended = convert(span("openai.response", also=held | {"gen_ai.response.finish_reasons": ["length"]}))
    assert "ragpulse_unrecorded" not in (ended.extra or {})


def test_what_a_model_wrote_and_a_later_step_was_asked_is_the_rewrite() -> None:
    """LangChain 0.3's ConversationalRetrievalChain, OpenLLMetry 0.46: no retriever's span, turns in pairs."""

    def task(name: str, at: float, parent: Span | None, given: object, came: object) -> Span:
        io = {
            "traceloop.entity.input": dump({"inputs": given}),
            "traceloop.entity.output": dump({"outputs": came}),
        }
        kind = {"traceloop.span.kind": "task" if parent else "workflow"}
        return span(name, at, parent=parent, also=kind | io, lasts=6 - at)

    before = [["Which plans are there?", "Home and team."]]
    root = task("rag.workflow", 0, None, {"question": Q, "chat_history": before}, {"answer": A})
    wrote = chat([text("user", f"Rephrase: {Q}")], [text("assistant", WANTED)], 1, parent=root)
    docs = [{"page_content": d["text"], "metadata": {}} for d in DOCS]
    stuff = task(
        "StuffDocumentsChain.task", 2, root, {"question": WANTED, "input_documents": docs}, {"output_text": A}
    )
    said = chat(
        [text("user", f"Context:\n{FOUND}\n\nQuestion: {WANTED}")], [text("assistant", A)], 3, parent=stuff
    )
    trace = convert(root, wrote, stuff, said)
    assert (trace.question, trace.rewritten_query, trace.answer) == (Q, WANTED, A)
    assert [turn.role for turn in trace.history] == ["user", "assistant"]
