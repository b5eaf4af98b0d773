"""OpenTelemetry's GenAI conventions: current names, earlier ones, and what frameworks add to them.

Content may be attributes (structured or JSON), numbered attributes (`gen_ai.prompt.0.content`) or
span events; with content switched off, none of it is there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from schemas.formats.conventions.common import first_reason, model_named, query_in, shown
from schemas.formats.conventions.genai_content import ANSWERS, CONTENT, finish_of, read_content
from schemas.formats.conventions.genai_rerank import read_rerank
from schemas.formats.documents import read_documents
from schemas.formats.messages import USER
from schemas.formats.reading import last_said
from schemas.formats.shape import Table
from schemas.formats.span import Span
from schemas.formats.step import Kind, Step
from schemas.formats.values import unquote

KINDS: Final = {
    "chat": Kind.LLM, "completion": Kind.LLM, "text_completion": Kind.LLM, "generate_content": Kind.LLM,
    "generate": Kind.LLM, "llm_request": Kind.LLM, "responses": Kind.LLM, "message": Kind.LLM,
    "embeddings": Kind.EMBEDDING, "embedding": Kind.EMBEDDING,
    "retrieval": Kind.RETRIEVER, "retrieve": Kind.RETRIEVER, "vector_db_retrieve": Kind.RETRIEVER,
    "rerank": Kind.RERANKER, "reranking": Kind.RERANKER,
    "execute_tool": Kind.TOOL, "tool": Kind.TOOL,
    "invoke_agent": Kind.AGENT, "create_agent": Kind.AGENT, "agent": Kind.AGENT,
    "invoke_workflow": Kind.CHAIN, "execute_task": Kind.CHAIN, "workflow": Kind.CHAIN, "task": Kind.CHAIN,
    "chain": Kind.CHAIN, "framework": Kind.CHAIN, "execute_event_loop_cycle": Kind.CHAIN,
    "evaluation": Kind.JUDGE, "evaluate": Kind.JUDGE,
}  # fmt: skip
"""By `gen_ai.operation.name`; the last ones are what frameworks put there."""
_TTFT_SECONDS: Final = ("gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk")
PREFIXES: Final[tuple[str, ...]] = ("gen_ai.", "gcp.vertex.agent.", "llm.request.")
"""How the names of these conventions begin."""
_INPUT_TOKENS: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens")
_OUTPUT_TOKENS: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.usage.completion_tokens",
)
_ARGUMENTS: Final = (
    "gen_ai.tool.call.arguments", "tool_arguments", "gcp.vertex.agent.tool_call_args", "gen_ai.tool.input",
    "gen_ai.tool.arguments", "gen_ai.tool.args",
)  # fmt: skip
_RESULT: Final = (
    "gen_ai.tool.call.result", "tool_response", "gcp.vertex.agent.tool_response", "gen_ai.tool.output",
    "gen_ai.tool.result",
)  # fmt: skip
"""What a tool was given, and gave back; the last ones are what frameworks wrote ahead of any convention."""
_TTFT_MS: Final = ("gen_ai.server.time_to_first_token",)


def read(span: Span) -> Step | None:
    """What a span says in these conventions; null where it says nothing in them."""
    shape = span.shape
    if not shape.has(*PREFIXES) and not any(event.name.startswith("gen_ai.") for event in span.events):
        return None
    step = Step(kind=_kind(span))
    for read_part in shape.choose(_PARTS):
        read_part(span, step)
    if span.events or shape.has(*CONTENT):
        _read_text(span, step)
    if step.kind is Kind.RETRIEVER:
        _read_retrieval(span, step)
    elif step.kind is Kind.TOOL:
        _read_tool(span, step)
    elif step.kind is Kind.RERANKER:
        read_rerank(step, [message.text for message in read_content(span)[1]])
    elif step.kind is Kind.EMBEDDING and step.messages and len(step.messages) == 1:
        step.query = step.messages[0].text or None
    return step


def _read_request(span: Span, step: Step) -> None:
    step.request_model = model_named(span, "gen_ai.request.model", "llm.request.model")


def _read_usage(span: Span, step: Step) -> None:
    step.input_tokens = span.integer(*_INPUT_TOKENS)
    step.output_tokens = span.integer(*_OUTPUT_TOKENS)
    step.cost_usd = span.number("gen_ai.usage.cost", "gen_ai.usage.total_cost", "operation.cost")


def _read_response(span: Span, step: Step) -> None:
    step.response_model = model_named(span, "gen_ai.response.model", "llm.response.model")
    step.finish_reason = first_reason(
        span.attributes.get("gen_ai.response.finish_reasons")
        or span.attributes.get("gen_ai.response.finish_reason")
        or span.attributes.get("gen_ai.completion.0.finish_reason")
    )
    step.ttft_ms = _ttft(span)


_PARTS: Final[Table[Callable[[Span, Step], None]]] = (
    (("gen_ai.request.model", "llm.request.model"), _read_request),
    (("gen_ai.usage.", "llm.usage.", "operation.cost"), _read_usage),
    (
        ("gen_ai.response.", "gen_ai.completion.0.", "gen_ai.client.", "gen_ai.server.", "llm.response"),
        _read_response,
    ),
)
"""What reads attributes that begin so."""


def _kind(span: Span) -> Kind:
    operation = span.text("gen_ai.operation.name", "llm.request.type")
    if operation and (kind := KINDS.get(operation.lower())):
        return kind
    if span.text("gen_ai.retrieval.query.text", "gen_ai.retrieval.query"):
        return Kind.RETRIEVER
    if span.text("gen_ai.tool.name", "gcp.vertex.agent.tool_call_args"):
        return Kind.TOOL
    if span.text("gen_ai.agent.name") and not span.text("gen_ai.request.model"):
        return Kind.AGENT
    if "agent run" in span.name or span.text("pydantic_ai.all_messages", "all_messages_events"):
        return Kind.AGENT
    if span.text("gen_ai.request.model", "gen_ai.response.model", "gen_ai.output.messages"):
        return Kind.LLM
    if any(event.name in ANSWERS for event in span.events):
        return Kind.LLM
    return Kind.CHAIN


def _read_text(span: Span, step: Step) -> None:
    given, said, final = read_content(span)
    if given:
        step.messages = given
        if step.kind is not Kind.LLM:
            step.input = [{"role": m.role, "content": m.text} for m in given] if _has_user(given) else None
    if final is not None:
        step.output = final
    elif said:
        step.reply = last_said(said)
        step.output = step.reply
        if step.finish_reason is None:
            step.finish_reason = first_reason(finish_of(span))
        reasons = [call.name for message in said for call in message.calls]
        if step.reply is None and reasons and step.finish_reason is None:
            step.finish_reason = "tool_calls"


def _has_user(messages: list[Any]) -> bool:
    return any(message.role == USER and message.text for message in messages)


def _read_retrieval(span: Span, step: Step) -> None:
    attributes = span.attributes
    step.query = shown(span.text("gen_ai.retrieval.query.text", "gen_ai.retrieval.query"))
    step.documents = read_documents(attributes.get("gen_ai.retrieval.documents"))
    if step.documents is None:
        events = (event.attributes.get("gen_ai.retrieval.documents") for event in span.events)
        step.documents = next((found for held in events if (found := read_documents(held)) is not None), None)
    step.top_k = span.integer("gen_ai.retrieval.top_k", "gen_ai.request.top_k")


def _read_tool(span: Span, step: Step) -> None:
    step.tool_name = span.text("gen_ai.tool.name")
    arguments = next((span.attributes[name] for name in _ARGUMENTS if name in span.attributes), None)
    result = next((span.attributes[name] for name in _RESULT if name in span.attributes), None)
    if arguments is None and step.messages:
        arguments = (
            step.messages[-1].calls[0].arguments if step.messages[-1].calls else step.messages[-1].text
        )
    step.input = shown(arguments)
    step.query = query_in(step.input)
    step.output = unquote(shown(result)) if result is not None else step.output
    step.messages = step.reply = None


def _ttft(span: Span) -> float | None:
    seconds = span.number(*_TTFT_SECONDS)
    return seconds * 1_000 if seconds is not None else span.number(*_TTFT_MS)


__all__ = ["KINDS", "PREFIXES", "read"]
