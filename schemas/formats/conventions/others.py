"""Conventions of a kind, an input and an output, and little more: LangSmith, MLflow, TruLens, Spring AI."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import model_named, query_in, shown
from schemas.formats.documents import read_documents
from schemas.formats.gold import read_gold
from schemas.formats.messages import ChatMessage, read_messages
from schemas.formats.reading import read_answer
from schemas.formats.span import NS_A_MS, Span, as_number
from schemas.formats.step import Evaluation, Kind, Step
from schemas.formats.values import parse, unquote

_LANGSMITH: Final = {
    "chain": Kind.CHAIN, "llm": Kind.LLM, "tool": Kind.TOOL, "retriever": Kind.RETRIEVER,
    "embedding": Kind.EMBEDDING, "prompt": Kind.PROMPT, "parser": Kind.CHAIN,
}  # fmt: skip
_MLFLOW: Final = {
    "CHAIN": Kind.CHAIN, "AGENT": Kind.AGENT, "LLM": Kind.LLM, "CHAT_MODEL": Kind.LLM, "TOOL": Kind.TOOL,
    "RETRIEVER": Kind.RETRIEVER, "RERANKER": Kind.RERANKER, "EMBEDDING": Kind.EMBEDDING, "PARSER": Kind.CHAIN,
    "WORKFLOW": Kind.CHAIN, "TASK": Kind.CHAIN, "EVALUATOR": Kind.JUDGE, "GUARDRAIL": Kind.JUDGE,
    "UNKNOWN": Kind.CHAIN,
}  # fmt: skip
_MLFLOW_NAMES: Final = ("spanType", "spanInputs", "spanOutputs", "chat.tokenUsage", "llm.model")
_TRULENS: Final = {
    "record_root": Kind.CHAIN, "retrieval": Kind.RETRIEVER, "generation": Kind.LLM,
    "reranking": Kind.RERANKER,
    "tool": Kind.TOOL, "agent": Kind.AGENT, "workflow": Kind.CHAIN, "graph_node": Kind.CHAIN,
    "unknown": Kind.CHAIN, "eval": Kind.JUDGE, "eval_root": Kind.JUDGE,
}  # fmt: skip


def read(span: Span) -> Step | None:
    """What a span says in one of these conventions; null where it says nothing in them."""
    attributes = span.attributes
    if "langsmith.span.kind" in attributes:
        return _read_langsmith(span)
    if "mlflow.spanType" in attributes or "mlflow.spanInputs" in attributes:
        return _read_mlflow(span)
    if "ai.observability.span_type" in attributes:
        return _read_trulens(span)
    if "spring.ai.kind" in attributes:
        return _read_spring(span)
    return None


def _read_mlflow(span: Span) -> Step:
    held = {name: _plain(span.attributes.get(f"mlflow.{name}")) for name in _MLFLOW_NAMES}
    kind = _MLFLOW.get(str(held["spanType"] or "").upper(), Kind.CHAIN)
    step = _step(kind, held["spanInputs"], held["spanOutputs"])
    usage, model = held["chat.tokenUsage"], held["llm.model"]
    if isinstance(usage, dict):
        counts = (as_number(usage.get(name)) for name in ("input_tokens", "output_tokens"))
        step.input_tokens, step.output_tokens = (None if n is None else int(n) for n in counts)
    if kind is Kind.LLM:
        asked = held["spanInputs"].get("model") if isinstance(held["spanInputs"], dict) else None
        step.request_model = asked if isinstance(asked, str) else None
        step.response_model = model if isinstance(model, str) else None
    return step


def _read_langsmith(span: Span) -> Step:
    attributes = span.attributes
    kind = _LANGSMITH.get((span.text("langsmith.span.kind") or "").lower(), Kind.CHAIN)
    step = _step(kind, parse(attributes.get("gen_ai.prompt")), parse(attributes.get("gen_ai.completion")))
    step.tool_name = span.name if kind is Kind.TOOL else None
    step.gold = read_gold(attributes.get("langsmith.reference_outputs"))
    step.request_model = span.text("langsmith.metadata.ls_model_name", "gen_ai.request.model")
    if kind is Kind.LLM:
        _read_reply(step, step.output)
        first = next((event.time_ns for event in span.events if event.name == "new_token"), 0)
        step.ttft_ms = (first - span.start_ns) / NS_A_MS if span.start_ns and first >= span.start_ns else None
    for parts, held in span.under("langsmith.feedback."):
        step.evaluations.append(_feedback(".".join(parts), held))
    return step


_USAGES: Final = ("usage_metadata", "usage", "token_usage", "tokenUsage")


def _read_reply(step: Step, came: Any) -> None:
    """What a model's reply tells beside its text: LangChain's generations, or a provider's own answer."""
    held = came if isinstance(came, dict) else {}
    first = _first_of(held.get("generations")) or _first_of(held.get("choices")) or held
    message = first["message"] if isinstance(first.get("message"), dict) else held
    message = message["kwargs"] if isinstance(message.get("kwargs"), dict) else message
    about = [
        place
        for name in ("generation_info", "response_metadata", "llm_output")
        for source in (first, message, held)
        if isinstance(place := source.get(name), dict)
    ]
    places = [first, message, held, *about]
    step.finish_reason = _from_any(places, "finish_reason", "stop_reason")
    step.response_model = _from_any(places, "model_name", "model")
    counts = (place.get(name) for place in places for name in _USAGES)
    usages = [usage for usage in counts if isinstance(usage, dict)]
    step.input_tokens = _tokens(usages, "input_tokens", "prompt_tokens", "promptTokens")
    step.output_tokens = _tokens(usages, "output_tokens", "completion_tokens", "completionTokens")


def _first_of(held: Any) -> dict[str, Any] | None:
    while isinstance(held, list) and held:
        held = held[0]
    return held if isinstance(held, dict) else None


def _from_any(places: list[dict[str, Any]], *names: str) -> str | None:
    found = (place[name] for place in places for name in names if isinstance(place.get(name), str))
    return next((text for text in found if text), None)


def _tokens(usages: list[dict[str, Any]], *names: str) -> int | None:
    found = (as_number(usage.get(name)) for usage in usages for name in names)
    return next((int(number) for number in found if number is not None), None)


def _feedback(name: str, held: Any) -> Evaluation:
    if not isinstance(held, dict):
        return Evaluation(name, as_number(held))
    score = held.get("score", held.get("avg"))
    label, comment = held.get("value"), held.get("comment")
    return Evaluation(
        name,
        score if isinstance(score, bool) else as_number(score),
        label if isinstance(label, str) else None,
        comment if isinstance(comment, str) else None,
        held["source"] if isinstance(held.get("source"), str) else None,
    )


def _read_trulens(span: Span) -> Step:
    prefix = "ai.observability."
    named = span.text(prefix + "span_type") or "unknown"
    kind = _TRULENS.get(named, Kind.CHAIN)
    step = _step(kind, None, None)
    if kind is Kind.RETRIEVER:
        step.query = shown(span.text(prefix + "retrieval.query_text"))
        step.documents = read_documents(span.attributes.get(prefix + "retrieval.retrieved_contexts"))
    elif kind is Kind.RERANKER:
        step.query = shown(span.text(prefix + "reranking.query_text"))
        step.documents = read_documents(span.attributes.get(prefix + "reranking.output_ranked_contexts"))
    elif named == "record_root":
        step.input = span.attributes.get(prefix + "record_root.input")
        step.output = span.attributes.get(prefix + "record_root.output")
        step.gold = read_gold(span.text(prefix + "record_root.ground_truth_output"))
    elif kind is Kind.LLM:
        step.reply = shown(span.text(prefix + "call.return"))
        step.response_model = model_named(span, prefix + "cost.model")
        step.input_tokens = span.integer(prefix + "cost.num_prompt_tokens")
        step.output_tokens = span.integer(prefix + "cost.num_completion_tokens")
        if (span.text(prefix + "cost.cost_currency") or "USD") == "USD":
            step.cost_usd = span.number(prefix + "cost.cost")
    elif named == "eval_root" and (metric := span.text(prefix + "eval_root.metric_name")):
        step.evaluations.append(Evaluation(metric, span.number(prefix + "eval_root.score"), source="trulens"))
    return step


def _read_spring(span: Span) -> Step:
    named = span.text("spring.ai.kind")
    kind = {"vector_store": Kind.RETRIEVER, "tool_call": Kind.TOOL}.get(named or "", Kind.CHAIN)
    if kind is Kind.RETRIEVER and (span.text("db.operation.name") or "query") != "query":
        kind = Kind.PLAIN
    step = Step(kind=kind)
    if kind is Kind.CHAIN:
        step.input = shown(span.text("spring.ai.chat.client.user.text", "spring.ai.chat.client.prompt"))
    if kind is Kind.TOOL:
        step.tool_name = span.text("spring.ai.tool.definition.name", "gen_ai.tool.name")
        step.input = shown(span.text("spring.ai.tool.call.arguments"))
        step.output = shown(span.text("spring.ai.tool.call.result"))
        step.query = query_in(step.input)
    return step


def _step(kind: Kind, given: Any, came: Any) -> Step:
    """A step whose input and output tell everything."""
    step = Step(kind=kind, input=shown(given) or None, output=shown(came) or None)
    if kind in (Kind.RETRIEVER, Kind.RERANKER):
        step.query = query_in(given)
        step.documents = read_documents(came)
    elif kind is Kind.TOOL:
        step.query = query_in(given)
    elif kind is Kind.LLM:
        held = given.get("messages", given.get("prompts")) if isinstance(given, dict) else given
        step.messages = read_messages(held)
        if step.messages is None:
            texts = held if isinstance(held, list) else [held]
            said = [ChatMessage("user", text) for text in texts if isinstance(text, str) and text]
            step.messages = said or None
        step.reply = read_answer(came)
    return step


def _plain(value: Any) -> Any:
    """MLflow writes everything as JSON, plain text too."""
    return unquote(value)


__all__ = ["read"]
