"""LlamaIndex's own OpenTelemetry integration: all is in events, one before and one after a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from schemas.formats.conventions.common import as_text, first_reason
from schemas.formats.documents import read_documents
from schemas.formats.messages import ChatMessage, read_messages
from schemas.formats.reading import read_answer
from schemas.formats.span import Span, as_number
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse, unflatten

_KINDS: Final = {
    "QueryStartEvent": Kind.CHAIN, "QueryEndEvent": Kind.CHAIN, "SynthesizeStartEvent": Kind.CHAIN,
    "SynthesizeEndEvent": Kind.CHAIN, "AgentChatWithStepStartEvent": Kind.AGENT,
    "AgentChatWithStepEndEvent": Kind.AGENT, "RetrievalStartEvent": Kind.RETRIEVER,
    "RetrievalEndEvent": Kind.RETRIEVER, "ReRankStartEvent": Kind.RERANKER, "ReRankEndEvent": Kind.RERANKER,
    "LLMPredictStartEvent": Kind.LLM, "LLMPredictEndEvent": Kind.LLM, "LLMCompletionStartEvent": Kind.LLM,
    "LLMCompletionEndEvent": Kind.LLM, "LLMChatStartEvent": Kind.LLM, "LLMChatEndEvent": Kind.LLM,
    "EmbeddingStartEvent": Kind.EMBEDDING, "AgentToolCallEvent": Kind.PLAIN, "workflow.output": Kind.AGENT,
    "StreamChatStartEvent": Kind.PLAIN,
}  # fmt: skip


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    known = [event for event in span.events if event.name in _KINDS]
    if not known:
        return None
    step = Step(kind=_KINDS[known[0].name])
    for event in known:
        _take(step, event.name, event.attributes)
    return step


def _take(step: Step, name: str, held: Mapping[str, Any]) -> None:
    query = _query(held)
    match step.kind:
        case Kind.RETRIEVER | Kind.RERANKER:
            step.query = step.query or query
            if name.endswith("EndEvent"):
                step.documents = read_documents(held.get("nodes"))
            top_n = as_number(held.get("top_n"))
            step.top_k = int(top_n) if top_n is not None else step.top_k
            step.request_model = step.request_model or as_text(held.get("model_name"))
        case Kind.LLM:
            step.messages = step.messages or _messages(held)
            step.reply = step.reply or _reply(held)
            step.request_model = step.request_model or _asked_model(held)
            _read_reply(step, held)
        case Kind.CHAIN | Kind.AGENT:
            step.input = step.input or query or as_text(held.get("user_msg"))
            step.output = step.output or (_reply(held) if step.kind is Kind.CHAIN else _told(held))
        case _:
            pass


def _asked_model(held: Mapping[str, Any]) -> str | None:
    named = _under(held, "model_dict")
    return as_text(named.get("model")) or as_text(named.get("model_name"))


def _read_reply(step: Step, held: Mapping[str, Any]) -> None:
    """What the model's own answer tells beside its text, where the library keeps it whole."""
    raw = _under(held, "response.raw")
    if not raw:
        return
    step.response_model = as_text(raw.get("model"))
    usage = raw.get("usage") if isinstance(raw.get("usage"), dict) else {}
    step.input_tokens = _count(usage, "prompt_tokens", "input_tokens")
    step.output_tokens = _count(usage, "completion_tokens", "output_tokens")
    choices = parse(raw.get("choices"))
    first = choices[0] if isinstance(choices, list) and choices else None
    step.finish_reason = first_reason(first.get("finish_reason")) if isinstance(first, dict) else None


def _count(usage: Any, *names: str) -> int | None:
    found = next((number for name in names if (number := as_number(usage.get(name))) is not None), None)
    return None if found is None else int(found)


def _told(held: Mapping[str, Any]) -> str | None:
    """An agent's answer; its repr ends in three dots where it was cut, and is none then."""
    if (whole := held.get("output")) is not None and isinstance(whole, str):
        return None if whole.endswith("...") else read_answer(whole)
    return _reply(held)


def _query(held: Mapping[str, Any]) -> str | None:
    names = ("query", "query.query_str", "str_or_query_bundle", "str_or_query_bundle.query_str", "query_str")
    return next((text for name in names if (text := as_text(held.get(name))) and text != "null"), None)


def _messages(held: Mapping[str, Any]) -> list[ChatMessage] | None:
    if (found := read_messages(held.get("messages"))) is not None:
        return found
    if prompt := as_text(held.get("prompt")):
        return [ChatMessage("user", prompt)]
    arguments = {
        name: text
        for place in ("template.kwargs", "template_args")
        for name, value in _under(held, place).items()
        if (text := as_text(value))
    }
    if filled := _fill(read_messages(held.get("template.message_templates")), arguments):
        return filled
    if "context_str" in arguments:  # the template's values, in place of the filled template
        asked = arguments.get("query_str") or as_text(held.get("template.kwargs.query_str")) or ""
        return [ChatMessage("user", f"Context:\n{arguments['context_str']}\n\nQuestion: {asked}")]
    return None


def _fill(template: list[ChatMessage] | None, arguments: dict[str, str]) -> list[ChatMessage] | None:
    """A prompt of several messages with its values in it."""
    for message in template or ():
        for name, value in arguments.items():
            message.text = message.text.replace(f"{{{name}}}", value)
    return template


def _reply(held: Mapping[str, Any]) -> str | None:
    for name in ("output", "response.response", "response.text", "response.message", "response"):
        found = read_answer(parse(held[name])) if name in held else None
        if found and found != "null":
            return found
    return read_answer(_under(held, "response.message") or None)


def _under(held: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A value that was flattened to dotted names, or that is JSON."""
    whole = parse(held.get(name))
    if isinstance(whole, dict):
        return whole
    prefix = f"{name}."
    found = unflatten((key[len(prefix) :], value) for key, value in held.items() if key.startswith(prefix))
    return found if isinstance(found, dict) else {}


__all__ = ["read"]
