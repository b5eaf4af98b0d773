"""OpenLLMetry (Traceloop): `traceloop.*` around spans that also speak the GenAI conventions."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import as_text, query_in, shown
from schemas.formats.documents import read_documents
from schemas.formats.span import Span
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse, unquote

KINDS: Final = {"workflow": Kind.CHAIN, "task": Kind.CHAIN, "agent": Kind.AGENT, "tool": Kind.TOOL}
_OPERATIONS: Final = {
    "vector_db_retrieve": Kind.RETRIEVER,
    "retrieval": Kind.RETRIEVER,
    "rerank": Kind.RERANKER,
    "execute_tool": Kind.TOOL,
}


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    if not span.shape.has("traceloop."):
        return None
    named = span.text("traceloop.span.kind") or ""
    kind = _OPERATIONS.get(span.text("gen_ai.operation.name") or "") or KINDS.get(named.lower(), Kind.PLAIN)
    step = Step(kind=kind, prompt_version=_prompt(span))
    given = unquote(shown(span.attributes.get("traceloop.entity.input")))
    came = unquote(shown(span.attributes.get("traceloop.entity.output")))
    step.input, step.output = _unwrap(given, "inputs"), _unwrap(came, "outputs")
    tags = given.get("tags") if isinstance(given, dict) else None
    step.tags = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else None
    metadata = given.get("metadata") if isinstance(given, dict) else None
    step.metadata = metadata if isinstance(metadata, dict) else None
    match kind:
        case Kind.RETRIEVER | Kind.RERANKER:
            step.query = query_in(given)
            step.documents = read_documents(came)
            if step.documents is None:
                step.context = as_text(step.output)
        case Kind.TOOL:
            step.tool_name = span.text("gen_ai.tool.name", "traceloop.entity.name")
            step.query = query_in(given)
            step.output = _unwrap(_unwrap(came, "output"), "outputs") if came is not None else None
        case _:
            pass
    return step


def _unwrap(value: Any, key: str) -> Any:
    """The callback's own wrapper (`inputs`, `outputs`) taken off; JSON that was cut stays text."""
    opened = parse(value)
    if isinstance(opened, dict) and key in opened:
        return opened[key]
    return opened


def _prompt(span: Span) -> str | None:
    return span.text("traceloop.prompt.version_name", "traceloop.prompt.version")


__all__ = ["KINDS", "read"]
