"""The Vercel AI SDK: `ai.*`, an outer span for the call and inner ones for each request."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import only_text, query_in, shown
from schemas.formats.documents import Document, read_documents
from schemas.formats.messages import ChatMessage, read_messages
from schemas.formats.span import Span, as_number
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse, unquote

_TEXTS: Final = ("ai.response.text", "ai.result.text")
_OBJECTS: Final = ("ai.response.object", "ai.result.object")
"""The second of each was written by version 3."""
_CALLS: Final = ("ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject")


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    operation = span.text("ai.operationId") or span.name.split(" ")[0]
    if not operation.startswith("ai."):
        return None
    step = Step(kind=_kind(operation))
    if step.kind is Kind.TOOL:
        step.tool_name = span.text("ai.toolCall.name")
        step.input = shown(span.text("ai.toolCall.args", "ai.toolCall.input"))
        step.output = unquote(shown(span.text("ai.toolCall.result", "ai.toolCall.output")))
        step.query = query_in(step.input)
        return step
    step.request_model, step.response_model = span.text("ai.model.id"), span.text("ai.response.model")
    if step.kind is Kind.RERANKER:
        step.documents = _ranked(span)
        return step
    if step.kind is Kind.EMBEDDING:
        step.query = only_text(unquote(span.attributes.get("ai.value")) or span.attributes.get("ai.values"))
        return step
    step.messages = _messages(span)
    if step.kind is Kind.AGENT:
        step.input = shown(span.attributes.get("ai.prompt"))
    step.reply = shown(span.text(*_TEXTS)) or shown(span.text(*_OBJECTS))
    step.output = step.reply
    step.finish_reason = span.text("ai.response.finishReason", "ai.finishReason")
    step.input_tokens = span.integer("ai.usage.inputTokens", "ai.usage.promptTokens")
    step.output_tokens = span.integer("ai.usage.outputTokens", "ai.usage.completionTokens")
    step.ttft_ms = span.number("ai.response.msToFirstChunk", "ai.stream.msToFirstChunk")
    return step


def _kind(operation: str) -> Kind:
    if operation.startswith("ai.embed"):
        return Kind.EMBEDDING
    if operation.startswith("ai.rerank"):
        return Kind.RERANKER
    if operation == "ai.toolCall":
        return Kind.TOOL
    return Kind.AGENT if operation in _CALLS else Kind.LLM


def _messages(span: Span) -> list[ChatMessage] | None:
    found = read_messages(span.attributes.get("ai.prompt.messages"))
    if found:
        return found
    prompt = parse(span.attributes.get("ai.prompt"))
    if isinstance(prompt, dict):
        first = [ChatMessage("system", prompt["system"])] if isinstance(prompt.get("system"), str) else []
        if isinstance(prompt.get("prompt"), str):
            return [*first, ChatMessage("user", prompt["prompt"])]
        rest = read_messages(prompt.get("messages"))
        return first + rest if rest else None
    return [ChatMessage("user", prompt)] if isinstance(prompt, str) and prompt else None


def _ranked(span: Span) -> list[Document] | None:
    """The documents in the order that the ranking gives them."""
    given = read_documents(_opened(span.attributes.get("ai.documents")))
    order = _opened(span.attributes.get("ai.ranking"))
    if given is None or not isinstance(order, list):
        return None
    found = []
    for item in order:
        index = item.get("originalIndex", item.get("index")) if isinstance(item, dict) else None
        if isinstance(index, int) and 0 <= index < len(given):
            document = given[index]
            document.score = as_number(item.get("score", item.get("relevanceScore")))
            found.append(document)
    return found


def _opened(value: Any) -> Any:
    """Lists come as JSON, at times as a list of JSON texts."""
    value = parse(value)
    return [unquote(item) for item in value] if isinstance(value, list) else value


__all__ = ["read"]
