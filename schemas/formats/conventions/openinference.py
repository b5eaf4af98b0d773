"""OpenInference: span kinds, `input.value`, numbered documents and messages."""

from __future__ import annotations

import re
from typing import Any, Final

from schemas.formats.conventions.built_in import read_searches
from schemas.formats.conventions.common import as_text, is_hidden, model_named, only_text, query_in, shown
from schemas.formats.documents import Document, read_documents
from schemas.formats.messages import ChatMessage, read_content, read_message, read_messages
from schemas.formats.reading import last_said, read_answer
from schemas.formats.span import NS_A_MS, Span, as_number
from schemas.formats.step import Evaluation, Kind, Step
from schemas.formats.values import parse, regrow

KINDS: Final = {
    "CHAIN": Kind.CHAIN, "AGENT": Kind.AGENT, "LLM": Kind.LLM, "RETRIEVER": Kind.RETRIEVER,
    "RERANKER": Kind.RERANKER, "EMBEDDING": Kind.EMBEDDING, "TOOL": Kind.TOOL, "PROMPT": Kind.PROMPT,
    "GUARDRAIL": Kind.JUDGE, "EVALUATOR": Kind.JUDGE, "UNKNOWN": Kind.CHAIN,
    "TASK": Kind.CHAIN, "ENTRY": Kind.CHAIN, "STEP": Kind.CHAIN, "WORKFLOW": Kind.CHAIN,
}  # fmt: skip
_KIND: Final = "openinference.span.kind"
_KIND_OF_ARMS: Final = "gen_ai.span.kind"
"""The same, as Alibaba Cloud's conventions have it (LoongSuite, Dify): most other names are the same too."""
PREFIXES: Final[tuple[str, ...]] = (_KIND, _KIND_OF_ARMS, "evaluations", "annotations", "trace.")
"""How the names of this convention begin that tell it."""
_MODEL: Final = re.compile(r'"model(?:_name|_id)?"\s*:\s*"([^"\\]+)"')
_CALLED: Final = "automatic_function_calling_history"
_EVALUATION: Final = re.compile(r"((?:trace\.)?(?:evaluations|annotations))(?:\.|$)")


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    named = span.attributes.get(_KIND) or span.attributes.get(_KIND_OF_ARMS)
    kind = (KINDS.get(named) or KINDS.get(named.upper())) if isinstance(named, str) else None
    if kind is Kind.LLM and _fills_a_template(span):
        kind = Kind.PROMPT
    evaluations = _evaluations(span)
    if kind is None and not evaluations:
        return None
    step = Step(kind=kind or Kind.PLAIN, evaluations=evaluations)
    step.input = shown(span.attributes.get("input.value"))
    step.output = shown(span.attributes.get("output.value"))
    match step.kind:
        case Kind.LLM:
            _read_llm(span, step)
        case Kind.RETRIEVER:
            step.query = shown(span.text("retrieval.query")) or query_in(step.input)
            step.documents = _documents(span, "retrieval.documents")
            if step.documents is None:
                step.documents = _documents(span, "retrieval.document")
            _fill_from_output(step)
        case Kind.RERANKER:
            step.query = shown(span.text("reranker.query")) or query_in(step.input)
            step.documents = _documents(span, "reranker.output_documents")
            if step.documents is None:
                step.documents = _documents(span, "reranker.output_document")
            step.top_k = span.integer("reranker.top_k")
            step.request_model = span.text("reranker.model_name")
            _fill_from_output(step)
        case Kind.EMBEDDING:
            step.request_model = model_named(span, "embedding.model_name", "llm.model_name")
            step.query = _embedded(span)
        case Kind.TOOL:
            step.tool_name = span.text("tool.name")
            step.input = (
                step.input if step.input is not None else shown(span.attributes.get("tool.parameters"))
            )
            step.query = query_in(step.input)
        case Kind.AGENT | Kind.CHAIN:
            _read_messages(span, step)
            if step.input is None and step.messages:
                step.input = [{"role": m.role, "content": m.text} for m in step.messages]
            step.output = step.output if step.output is not None else step.reply
        case _:
            pass
    return step


def _fills_a_template(span: Span) -> bool:
    """Whether a step that is called a model's only put a prompt together (Haystack's prompt builders)."""
    asked = ("llm.model", "llm.input_", "llm.output_", "llm.token", "llm.inv")
    return span.shape.has("llm.prompt_template.") and not span.shape.has(*asked)


def _read_llm(span: Span, step: Step) -> None:
    _read_messages(span, step)
    read_searches(step, step.output)
    if step.messages is None:
        step.messages = _prompts(span, step.input)
    if step.reply is None:
        step.reply = _choices(span) or (
            read_answer(step.output) if not _messages(numbered(span, "llm.output_messages")) else None
        )
    step.request_model = span.text("llm.request.model_name", "llm.input_model_name") or _asked_model(span)
    step.response_model = span.text("llm.response.model_name", "llm.output_model_name", "llm.model_name")
    if step.request_model is None and step.response_model is None:
        step.request_model = _given_model(step.input)
    step.input_tokens = span.integer("llm.token_count.prompt")
    step.output_tokens = span.integer("llm.token_count.completion")
    step.cost_usd = span.number("llm.cost.total")
    step.finish_reason = span.text("llm.finish_reason")
    step.prompt_version = span.text("llm.prompt_template.version")
    for event in span.events:
        if event.name == "First Token Stream Event" and span.start_ns and event.time_ns >= span.start_ns:
            step.ttft_ms = (event.time_ns - span.start_ns) / NS_A_MS
            break


def _embedded(span: Span) -> str | None:
    """The text that was embedded, where it is one."""
    items = numbered(span, "embedding.embeddings")
    if not isinstance(items, list):
        return only_text(span.text("embedding.text"))
    held = items[0].get("embedding", items[0]) if len(items) == 1 and isinstance(items[0], dict) else {}
    return only_text(held.get("text")) if isinstance(held, dict) else None


def _asked_model(span: Span) -> str | None:
    """The model among the parameters of the call; also where their JSON was cut after it."""
    parameters = parse(span.attributes.get("llm.invocation_parameters"))
    if isinstance(parameters, str):
        found = _MODEL.search(parameters)
        return found.group(1) if found else None
    if not isinstance(parameters, dict):
        return None
    named = (parameters.get(key) for key in ("model", "model_name", "model_id", "modelId", "deployment_name"))
    return next((name for name in named if isinstance(name, str) and name), None)


def _given_model(value: Any) -> str | None:
    """The model among the arguments of a decorated function."""
    opened = parse(value)
    named = opened.get("model") if isinstance(opened, dict) else None
    return named if isinstance(named, str) and named else None


def _read_messages(span: Span, step: Step) -> None:
    if not span.shape.has("llm.input_messages", "llm.output_messages"):
        return
    items = numbered(span, "llm.input_messages")
    given, said = _messages(items), _messages(numbered(span, "llm.output_messages"))
    step.messages = _whole(given, items, step.input) or None
    if step.messages and isinstance(step.output, str) and _CALLED in step.output:
        step.messages = _called_along(step.output) or step.messages
    step.reply = last_said(said) if said else None


def _messages(items: Any) -> list[ChatMessage]:
    if not isinstance(items, list):
        return []
    found = []
    for item in items:
        inner = item.get("message", item) if isinstance(item, dict) else item
        message = read_message(inner)
        if message is None and isinstance(inner, dict):
            text, calls = read_content(inner.get("content") or inner.get("contents"))
            message = ChatMessage("assistant", text, calls) if text or calls else None
        if message is not None:
            message.text = "" if is_hidden(message.text) else message.text
            if message.text or message.calls:
                found.append(message)
    return found


def _whole(given: list[ChatMessage], items: Any, value: Any) -> list[ChatMessage]:
    """The messages of the input, where attributes leave some empty: calls of tools, what these gave back."""
    written = _given(value) if given and len(given) < len(items) else None
    return written if written and len(written) > len(given) else given


def _called_along(output: str) -> list[ChatMessage] | None:
    """The conversation with tools that Google's SDK called by itself, within one call of the model."""
    opened = parse(output)
    turns = opened.get(_CALLED) if isinstance(opened, dict) else None
    if not isinstance(turns, list):
        return None
    return read_messages([{"role": "user", **turn} for turn in turns if isinstance(turn, dict)])


def _given(value: Any) -> list[ChatMessage] | None:
    opened = parse(value)
    return read_messages(opened.get("messages")) if isinstance(opened, dict) else None


def _prompts(span: Span, value: Any) -> list[ChatMessage] | None:
    """Completion models: prompts as texts; else messages inside the input."""
    items = numbered(span, "llm.prompts")
    texts = []
    for item in items if isinstance(items, list) else ():
        held = item.get("prompt", item) if isinstance(item, dict) else item
        text = held.get("text") if isinstance(held, dict) else held
        if isinstance(text, str) and not is_hidden(text):
            texts.append(text)
    if texts:
        return [ChatMessage("user", "\n".join(texts))]
    opened = parse(value)
    if isinstance(opened, str):
        return [ChatMessage("user", opened)] if as_text(opened) else None
    held = opened.get("messages") if isinstance(opened, dict) else opened
    if isinstance(held, list):
        flat = held[0] if len(held) == 1 and isinstance(held[0], list) else held
        return [m for item in flat if (m := read_message(item)) is not None] or None
    return None


def _choices(span: Span) -> str | None:
    items = numbered(span, "llm.choices")
    for item in items if isinstance(items, list) else ():
        held = item.get("completion", item) if isinstance(item, dict) else None
        text = held.get("text") if isinstance(held, dict) else None
        if isinstance(text, str) and not is_hidden(text):
            return text
    return None


def _documents(span: Span, name: str) -> list[Document] | None:
    items = numbered(span, name)
    if items is None:
        return None
    if isinstance(items, list):
        items = [item.get("document", item) if isinstance(item, dict) else item for item in items]
    found = read_documents(items)
    for document in found or ():
        document.text = None if is_hidden(document.text) else document.text
    return found


def _fill_from_output(step: Step) -> None:
    """Ids and scores that stand only in the output's JSON; all of it where nothing is numbered."""
    written = read_documents(step.output) if not isinstance(parse(step.output), str) else None
    if step.documents is None:
        step.documents = written
        if written is None:
            step.context = as_text(step.output)
        return
    if written and len(written) == len(step.documents):
        for document, other in zip(step.documents, written, strict=True):
            if document.text is None or other.text is None or document.text == other.text:
                document.id = other.id or document.id
                document.score = other.score if document.score is None else document.score


def numbered(span: Span, name: str) -> Any:
    """A list, whether it is one attribute or many numbered ones; null where there is none."""
    if (whole := span.attributes.get(name)) is not None:
        return _undotted(parse(whole))
    prefix = f"{name}."
    return regrow(span.under(prefix)) if span.shape.has(prefix) else None


def _undotted(whole: Any) -> Any:
    """Phoenix's tables keep lists of objects whose names are dotted (`document.content`)."""
    if not isinstance(whole, list):
        return whole
    return [
        regrow((tuple(name.split(".")), _undotted(held)) for name, held in item.items())
        if isinstance(item, dict) and any("." in name for name in item)
        else item
        for item in whole
    ]


def _evaluations(span: Span) -> list[Evaluation]:
    found: list[Evaluation] = []
    if not span.shape.has("evaluations", "annotations", "trace."):
        return found
    names = {match.group(1) for known in span.attributes if (match := _EVALUATION.match(known))}
    for name in sorted(names):
        items = numbered(span, name)
        for item in items if isinstance(items, list) else ():
            held = item.get("evaluation") or item.get("annotation") or item if isinstance(item, dict) else {}
            if isinstance(held, dict) and isinstance(held.get("name"), str):
                found.append(
                    Evaluation(
                        held["name"],
                        as_number(held.get("score")),
                        _text(held.get("label")),
                        _text(held.get("explanation")),
                        _text(held.get("annotator_kind")),
                    )
                )
    return found


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


__all__ = ["KINDS", "PREFIXES", "numbered", "read"]
