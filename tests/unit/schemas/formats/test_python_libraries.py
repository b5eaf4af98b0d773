"""What Python libraries do in their own way, each as it was seen in spans that they wrote."""

from __future__ import annotations

from typing import Any

from schemas.formats.span import Span
from tests.unit.schemas.formats.spans import convert, span
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
