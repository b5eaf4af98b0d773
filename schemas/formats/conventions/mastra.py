"""Mastra: `mastra.span.type` beside OpenTelemetry's conventions, inputs and outputs under that type."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import as_text, only_text, query_in, shown, top_k_in, waited
from schemas.formats.documents import read_documents
from schemas.formats.messages import ChatMessage, read_messages
from schemas.formats.reading import read_answer
from schemas.formats.span import Span
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse

_TYPE: Final = "mastra.span.type"
_KINDS: Final = {
    "agent_run": Kind.AGENT, "workflow_run": Kind.CHAIN, "workflow_step": Kind.CHAIN, "generic": Kind.CHAIN,
    "model_generation": Kind.LLM, "model_step": Kind.LLM, "model_inference": Kind.LLM,
    "tool_call": Kind.TOOL, "mcp_tool_call": Kind.TOOL, "provider_tool_call": Kind.TOOL,
    "client_tool_call": Kind.TOOL,
    "rag_embedding": Kind.EMBEDDING, "rag_vector_operation": Kind.RETRIEVER, "rag_action": Kind.CHAIN,
    "graph_action": Kind.CHAIN, "scorer_run": Kind.JUDGE, "scorer_step": Kind.JUDGE,
    "classifier_evaluation": Kind.JUDGE,
}  # fmt: skip
"""What is not here (chunks of a stream, memory, processors) says nothing of a question."""


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    named = (span.text(_TYPE) or "").lower()
    if not named:
        return None
    step = Step(kind=_kind(named, span.name.lower()))
    step.input = shown(_first(span, f"mastra.{named}.input", "input"))
    step.output = shown(_first(span, f"mastra.{named}.output", "output"))
    match step.kind:
        case Kind.LLM:
            step.messages = _messages(step.input)
            step.reply = read_answer(step.output)
            step.ttft_ms = waited(span, "mastra.completion_start_time")
        case Kind.TOOL:
            step.query = query_in(step.input)
        case Kind.EMBEDDING:
            step.query = only_text(step.input)
        case Kind.RETRIEVER | Kind.RERANKER:
            step.query = query_in(step.input)
            step.documents = read_documents(step.output)
            step.top_k = top_k_in(step.input)
        case _:
            pass
    return step


def _kind(named: str, called: str) -> Kind:
    kind = _KINDS.get(named, Kind.PLAIN)
    if kind is Kind.RETRIEVER and "query" not in called:
        return Kind.PLAIN  # written to
    return Kind.RERANKER if named == "rag_action" and "rerank" in called else kind


def _first(span: Span, *names: str) -> Any:
    return next((span.attributes[name] for name in names if name in span.attributes), None)


def _messages(given: Any) -> list[ChatMessage] | None:
    opened = parse(given)
    held = opened.get("messages") if isinstance(opened, dict) else opened
    if isinstance(held, str):
        return [ChatMessage("user", held)] if as_text(held) else None
    return read_messages(held)


__all__ = ["read"]
