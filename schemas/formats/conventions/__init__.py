"""Which span says what: every convention that a span speaks, read and joined.

A span may speak several at once (OpenLLMetry speaks its own and OpenTelemetry's; a bridge adds
OpenInference to what a framework wrote). Each convention reads what it knows; what one leaves open,
the next fills in. A convention is a module with ``read(span) -> Step | None``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from schemas.formats.conventions import (
    genai,
    haystack,
    langfuse,
    llamaindex,
    openinference,
    others,
    plain,
    traceloop,
    vectorstore,
    vercel,
)
from schemas.formats.conventions.common import error_of
from schemas.formats.span import Event, Span, as_number
from schemas.formats.step import Evaluation, Kind, Step

Read = Callable[[Span], Step | None]
EVENTS: Final = " events"
"""Stands for a span that has events: some conventions live in them alone."""
CONVENTIONS: Final[tuple[tuple[frozenset[str], Read], ...]] = (
    (frozenset({"langfuse"}), langfuse.read),
    (frozenset({"openinference", "evaluations", "annotations", "trace"}), openinference.read),
    (frozenset({"langsmith", "mlflow", "ai", "spring"}), others.read),
    (frozenset({"traceloop"}), traceloop.read),
    (frozenset({"ai"}), vercel.read),
    (frozenset({"haystack"}), haystack.read),
    (frozenset({"db", "qdrant", "spring", EVENTS}), vectorstore.read),
    (frozenset({EVENTS}), llamaindex.read),
    (frozenset({"gen_ai", "gcp", "llm", EVENTS, "pydantic_ai"}), genai.read),
)
"""Each with the beginnings of the names it knows. The more explicit first: what it says stands."""
_NAMESPACES: Final = frozenset(
    {"openinference", "input", "output", "retrieval", "reranker", "llm", "embedding", "session", "user",
     "tag",
     "gen_ai", "langfuse", "traceloop", "ai", "tool", "agent", "haystack", "db", "mlflow", "langsmith"}
)  # fmt: skip
_UNSPECIFIC: Final = (Kind.CHAIN, Kind.PLAIN, Kind.AGENT)


def read_step(span: Span) -> Step:
    """What a span says, in whatever conventions it speaks. Kind `plain` where in none."""
    if any(isinstance(value, dict) and name in _NAMESPACES for name, value in span.attributes.items()):
        span.attributes = _flat(span)
    heads = {name.partition(".")[0] for name in span.attributes}
    if span.events:
        heads.add(EVENTS)
    whole: Step | None = None
    for known, read in CONVENTIONS:
        step = None if known.isdisjoint(heads) else read(span)
        if step is None:
            continue
        if whole is None:
            whole = step
            continue
        if whole.kind is Kind.PLAIN or (whole.kind is Kind.CHAIN and step.kind not in _UNSPECIFIC):
            whole.kind = step.kind
        whole.fill(step)
    whole = whole or plain.read(span) or Step()
    whole.span = span
    whole.error = error_of(span) or whole.error
    whole.evaluations += _results(span.events)
    return whole


def _flat(span: Span) -> dict[str, object]:
    """Attributes that come nested (`{"input": {"value": …}}`), under their dotted names."""
    flat: dict[str, object] = {}

    def walk(prefix: str, value: object, depth: int) -> None:
        if (
            isinstance(value, dict)
            and depth < 6
            and value
            and not prefix.endswith((".metadata", ".variables"))
        ):
            for key, inner in value.items():
                walk(f"{prefix}.{key}", inner, depth + 1)
        else:
            flat[prefix] = value

    for name, value in span.attributes.items():
        if name in _NAMESPACES:
            walk(name, value, 0)
        else:
            flat[name] = value
    return flat


def _results(events: tuple[Event, ...]) -> list[Evaluation]:
    """Evaluation events, as OpenTelemetry names them."""
    found = []
    for event in events:
        name = event.attributes.get("gen_ai.evaluation.name")
        if event.name == "gen_ai.evaluation.result" and isinstance(name, str):
            label = event.attributes.get("gen_ai.evaluation.score.label")
            comment = event.attributes.get("gen_ai.evaluation.explanation")
            found.append(
                Evaluation(
                    name,
                    as_number(event.attributes.get("gen_ai.evaluation.score.value")),
                    label if isinstance(label, str) else None,
                    comment if isinstance(comment, str) else None,
                    "otel",
                )
            )
    return found


__all__ = ["CONVENTIONS", "read_step"]
