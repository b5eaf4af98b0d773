"""Genkit (JavaScript and Go): `genkit:*`, an action a span, its input and output as JSON."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import as_text, first_reason, query_in, shown, top_k_in
from schemas.formats.documents import read_documents
from schemas.formats.messages import read_content, read_messages
from schemas.formats.reading import read_answer
from schemas.formats.span import Span, as_number
from schemas.formats.step import Kind, Step
from schemas.formats.values import unquote

_KINDS: Final = {
    "flow": Kind.CHAIN, "model": Kind.LLM, "retriever": Kind.RETRIEVER, "reranker": Kind.RERANKER,
    "embedder": Kind.EMBEDDING, "tool": Kind.TOOL, "evaluator": Kind.JUDGE, "indexer": Kind.PLAIN,
    "prompt": Kind.PROMPT, "executable-prompt": Kind.PROMPT,
}  # fmt: skip
_SUBTYPE: Final = "genkit:metadata:subtype"


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    if "genkit:type" not in span.attributes:
        return None
    named = span.text(_SUBTYPE) or span.text("genkit:type") or ""
    step = Step(kind=_KINDS.get(named, Kind.CHAIN))
    step.input, step.output = (
        unquote(shown(span.attributes.get(f"genkit:{s}"))) for s in ("input", "output")
    )
    given = step.input if isinstance(step.input, dict) else {}
    came = step.output if isinstance(step.output, dict) else {}
    match step.kind:
        case Kind.LLM:
            _read_model(span, step, given, came)
        case Kind.RETRIEVER | Kind.RERANKER:
            step.query = _text_of(given.get("query"))
            step.documents = read_documents(came.get("documents"))
            step.top_k = top_k_in(given.get("options"))
            step.request_model = span.text("genkit:name") if step.kind is Kind.RERANKER else None
        case Kind.EMBEDDING:
            step.request_model = span.text("genkit:name")
            asked = given.get("input")
            step.query = _text_of(asked[0]) if isinstance(asked, list) and len(asked) == 1 else None
        case Kind.TOOL:
            step.tool_name, step.query = span.text("genkit:name"), query_in(step.input)
        case _:
            pass
    return step


def _read_model(span: Span, step: Step, given: dict[str, Any], came: dict[str, Any]) -> None:
    step.messages = read_messages(given.get("messages"))
    step.reply = read_answer(came.get("message") or came.get("candidates"))
    step.request_model = span.text("genkit:name")
    step.finish_reason = first_reason(came.get("finishReason"))
    usage = came.get("usage")
    step.input_tokens, step.output_tokens = _count(usage, "inputTokens"), _count(usage, "outputTokens")


def _text_of(document: Any) -> str | None:
    """A document's text, as queries are documents too."""
    held = document.get("content") if isinstance(document, dict) else document
    return as_text(read_content(held)[0])


def _count(held: Any, name: str) -> int | None:
    number = as_number(held.get(name)) if isinstance(held, dict) else None
    return None if number is None else int(number)


__all__ = ["read"]
