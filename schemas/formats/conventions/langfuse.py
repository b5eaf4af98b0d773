"""The Langfuse SDK: `langfuse.observation.*`, written by decorators, context managers and wrappers.

Exports of Langfuse are turned into the same attributes (see `schemas.formats.exports.langfuse`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from schemas.formats.conventions.built_in import read_searches
from schemas.formats.conventions.common import as_text, first_reason, query_in, shown, top_k_in, waited
from schemas.formats.documents import read_documents
from schemas.formats.gold import read_gold
from schemas.formats.messages import ChatMessage, read_messages
from schemas.formats.reading import read_answer
from schemas.formats.shape import Table
from schemas.formats.span import Span, as_number
from schemas.formats.step import Evaluation, Kind, Step
from schemas.formats.values import parse

KINDS: Final = {
    "span": Kind.CHAIN, "chain": Kind.CHAIN, "agent": Kind.AGENT, "tool": Kind.TOOL, "event": Kind.PLAIN,
    "retriever": Kind.RETRIEVER, "generation": Kind.LLM, "embedding": Kind.EMBEDDING,
    "evaluator": Kind.JUDGE, "guardrail": Kind.JUDGE,
}  # fmt: skip
_P: Final = "langfuse.observation."
_ITEM: Final = "langfuse.experiment.item."
_INPUT_TOKENS: Final = ("input", "prompt_tokens", "input_tokens", "promptTokens", "inputTokens")
_OUTPUT_TOKENS: Final = ("output", "completion_tokens", "output_tokens", "completionTokens", "outputTokens")
SCORE: Final = "langfuse.score"
"""An attribute of ours for a score that an export holds: `{name, value, stringValue, comment, source}`."""


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    attributes = span.attributes
    if SCORE in attributes:
        return Step(kind=Kind.PLAIN, evaluations=_score(attributes[SCORE]))
    if not span.shape.has(_P):
        return None
    kind = KINDS.get((span.text(_P + "type") or "span").lower(), Kind.CHAIN)
    if kind is Kind.LLM and _embeds(span):
        kind = Kind.EMBEDDING
    step = Step(kind=kind)
    step.input, step.output = shown(attributes.get(_P + "input")), shown(attributes.get(_P + "output"))
    if kind in (Kind.CHAIN, Kind.AGENT):
        _take_trace(span, step)
    step.as_root = attributes.get("langfuse.internal.is_app_root") is True
    for read_part in span.shape.choose(_PARTS):
        read_part(span, step)
    match kind:
        case Kind.LLM | Kind.EMBEDDING:
            _read_generation(span, step)
        case Kind.RETRIEVER:
            step.query = query_in(step.input)
            step.documents = read_documents(step.output)
            step.top_k = span.integer(_P + "metadata.top_k", _P + "metadata.k") or top_k_in(step.input)
            if step.documents is None:
                step.context = as_text(step.output)
        case Kind.TOOL:
            step.tool_name = span.name or None
            step.query = query_in(step.input)
        case _:
            pass
    return step


def _embeds(span: Span) -> bool:
    """Whether a generation is an embedding's call, as applications log it where there is no type for it."""
    named = f"{span.name} {span.text(_P + 'model.name') or ''}"
    return "embed" in named.lower() and read_answer(span.attributes.get(_P + "output")) is None


def _read_error(span: Span, step: Step) -> None:
    if span.text(_P + "level") == "ERROR":
        step.error = span.text(_P + "status_message") or "failed"


def _read_prompt(span: Span, step: Step) -> None:
    name, version = span.text(_P + "prompt.name"), span.text(_P + "prompt.version")
    step.prompt_version = f"{name}@{version}" if name and version else version or name


def _read_item(span: Span, step: Step) -> None:
    held = span.attributes
    step.gold = read_gold(held.get(_ITEM + "expected_output"), held.get(_ITEM + "metadata"))


_PARTS: Final[Table[Callable[[Span, Step], None]]] = (
    ((_P + "level",), _read_error),
    ((_P + "prompt.",), _read_prompt),
    ((_ITEM,), _read_item),
)
"""What reads attributes that begin so."""


def _take_trace(span: Span, step: Step) -> None:
    """What an application said of its trace as a whole; it stands on whichever span was open then."""
    for name in ("input", "output"):
        whole = shown(span.attributes.get(f"langfuse.trace.{name}"))
        if whole is not None and (not span.parent_id or getattr(step, name) is None):
            setattr(step, name, whole)


def _read_generation(span: Span, step: Step) -> None:
    attributes = span.attributes
    if step.kind is Kind.EMBEDDING:
        step.query = query_in(step.input)
    step.messages = _messages(step.input)
    opened = parse(step.output)
    step.reply = read_answer(opened)
    read_searches(step, opened)
    step.finish_reason = first_reason(opened.get("finish_reason")) if isinstance(opened, dict) else None
    step.response_model = span.text(_P + "model.name")  # one name: of the request, until a reply has one
    usage = parse(attributes.get(_P + "usage_details"))
    if isinstance(usage, dict):
        step.input_tokens, step.output_tokens = _count(usage, _INPUT_TOKENS), _count(usage, _OUTPUT_TOKENS)
    step.cost_usd = _cost(parse(attributes.get(_P + "cost_details")))
    step.ttft_ms = waited(span, _P + "completion_start_time")


def _messages(value: Any) -> list[ChatMessage] | None:
    opened = parse(value)
    if isinstance(opened, str):
        return [ChatMessage("user", opened)] if as_text(opened) else None
    if isinstance(opened, dict):
        for key in ("messages", "contents", "input", "prompt"):
            held = opened.get(key)
            if isinstance(held, str):
                return [ChatMessage("user", held)]
            if found := read_messages(held):
                return found
        args = opened.get("args")
        if isinstance(args, list) and args:
            return read_messages(args[0]) or (
                [ChatMessage("user", args[0])] if isinstance(args[0], str) else None
            )
    return read_messages(opened)


def _count(usage: dict[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        number = as_number(usage.get(name))
        if number is not None:
            return int(number)
    return None


def _cost(costs: Any) -> float | None:
    if not isinstance(costs, dict):
        return None
    total = as_number(costs.get("total"))
    parts = [n for key, value in costs.items() if key != "total" and (n := as_number(value)) is not None]
    return total if total is not None else sum(parts) if parts else None


def _score(held: Any) -> list[Evaluation]:
    if not isinstance(held, dict) or not isinstance(held.get("name"), str):
        return []
    value = held.get("value")
    score: float | bool | None = value if isinstance(value, bool) else as_number(value)
    if score is not None and str(held.get("dataType", "")).upper() == "BOOLEAN":
        score = bool(score)
    label = held.get("stringValue") or (value if isinstance(value, str) else None)
    comment, source = held.get("comment"), held.get("source")
    return [
        Evaluation(
            held["name"],
            None if isinstance(label, str) and as_number(value) is None else score,
            label if isinstance(label, str) else None,
            comment if isinstance(comment, str) else None,
            source if isinstance(source, str) else None,
        )
    ]


__all__ = ["KINDS", "SCORE", "read"]
