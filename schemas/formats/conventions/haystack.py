"""Haystack's own tracing: a span a component, inputs and outputs as JSON (content tracing on)."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import first_reason, query_in
from schemas.formats.documents import read_documents
from schemas.formats.messages import ChatMessage, read_messages
from schemas.formats.reading import read_answer
from schemas.formats.span import Span, as_number
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse

_COMPONENT: Final = "haystack.component."


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    if not span.shape.has("haystack."):
        return None
    named = span.text(_COMPONENT + "type")
    if named is None:
        return _read_whole(span)
    step = Step(kind=_kind(named, span.text(_COMPONENT + "name") or ""))
    step.input, step.output = (
        parse(span.attributes.get(_COMPONENT + "input")),
        parse(span.attributes.get(_COMPONENT + "output")),
    )
    given = step.input if isinstance(step.input, dict) else {}
    came = step.output if isinstance(step.output, dict) else {}
    match step.kind:
        case Kind.RETRIEVER | Kind.RERANKER:
            step.query = query_in(given)
            step.documents = read_documents(came.get("documents")) if "documents" in came else None
            top_k = as_number(given.get("top_k"))
            step.top_k = int(top_k) if top_k is not None else None
        case Kind.LLM:
            _read_generator(given, came, step)
        case Kind.TOOL:
            step.tool_name = span.text(_COMPONENT + "name")
        case _:
            pass
    return step


def _kind(named: str, called: str) -> Kind:
    """By the component's class; where that is an own one, by what the pipeline calls it."""
    if "Retriever" in named:
        return Kind.RETRIEVER
    if "Ranker" in named:
        return Kind.RERANKER
    if "Generator" in named:
        return Kind.LLM
    if "Embedder" in named:
        return Kind.EMBEDDING
    if "PromptBuilder" in named:
        return Kind.PROMPT
    if "Evaluator" in named:
        return Kind.JUDGE
    if "ToolInvoker" in named:
        return Kind.TOOL
    if named.endswith("Agent"):
        return Kind.AGENT
    return Kind.RETRIEVER if "retriever" in called.lower() else Kind.CHAIN


def _read_generator(given: dict[str, Any], came: dict[str, Any], step: Step) -> None:
    prompt = given.get("prompt")
    step.messages = (
        [ChatMessage("user", prompt)] if isinstance(prompt, str) else read_messages(given.get("messages"))
    )
    replies = came.get("replies")
    step.reply = read_answer(replies)
    meta = came.get("meta")
    if not meta and isinstance(replies, list) and replies and isinstance(replies[0], dict):
        meta = replies[0].get("meta") or replies[0].get("_meta")
    meta = meta[0] if isinstance(meta, list) and meta else meta
    if isinstance(meta, dict):
        usage = meta.get("usage") if isinstance(meta.get("usage"), dict) else {}
        step.response_model = meta["model"] if isinstance(meta.get("model"), str) else None
        step.finish_reason = first_reason(meta.get("finish_reason"))
        step.input_tokens = _count(usage, "prompt_tokens", "input_tokens")
        step.output_tokens = _count(usage, "completion_tokens", "output_tokens")


def _count(usage: Any, *names: str) -> int | None:
    found = next((as_number(usage.get(name)) for name in names if usage.get(name) is not None), None)
    return int(found) if found is not None else None


def _read_whole(span: Span) -> Step:
    """A pipeline, an agent, or a step of one."""
    agent = span.shape.has("haystack.agent.")
    step = Step(kind=Kind.AGENT if agent else Kind.CHAIN)
    if span.text("haystack.tool.name"):
        step.kind, step.tool_name = Kind.TOOL, span.text("haystack.tool.name")
    for name in (
        "haystack.pipeline.input_data",
        "haystack.agent.input",
        "haystack.agent.step.tool.input",
        "haystack.tool.input",
    ):
        step.input = parse(span.attributes.get(name)) if step.input is None else step.input
    for name in (
        "haystack.pipeline.output_data",
        "haystack.agent.output",
        "haystack.agent.step.tool.output",
        "haystack.tool.output",
    ):
        step.output = _answer_part(parse(span.attributes.get(name))) if step.output is None else step.output
    if step.kind is Kind.TOOL:
        step.query = query_in(step.input)
    return step


def _answer_part(output: Any) -> Any:
    """A pipeline's output has a part for each last component: the one with replies or answers."""
    if isinstance(output, dict):
        for key in ("answers", "replies"):
            for part in output.values():
                if isinstance(part, dict) and part.get(key):
                    return part[key]
    return output


__all__ = ["read"]
