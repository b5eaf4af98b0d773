"""Which span says what: every convention that a span speaks, read and joined.

A span may speak several at once (OpenLLMetry speaks its own and OpenTelemetry's; a bridge adds
OpenInference to what a framework wrote). Each convention reads what it knows; what one leaves open,
the next fills in. A convention is a module with ``read(span) -> Step | None``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from schemas.formats.conventions import (
    genai,
    genkit,
    haystack,
    langfuse,
    litellm,
    llamaindex,
    mastra,
    openinference,
    others,
    pairs,
    plain,
    traceloop,
    vectorstore,
    vercel,
)
from schemas.formats.conventions.common import error_of
from schemas.formats.shape import Shape
from schemas.formats.span import ERROR, Event, Span, as_number
from schemas.formats.step import Evaluation, Kind, Step

Read = Callable[[Span], Step | None]
CONVENTIONS: Final[tuple[tuple[tuple[str, ...], bool, Read], ...]] = (
    (("langfuse.observation.", langfuse.SCORE), False, langfuse.read),
    (openinference.PREFIXES, False, openinference.read),
    (
        ("langsmith.span.kind", "mlflow.span", "ai.observability.span_type", "spring.ai.kind"),
        False,
        others.read,
    ),
    (("traceloop.",), False, traceloop.read),
    (("ai.",), False, vercel.read),
    (("mastra.span.type",), False, mastra.read),
    (("genkit:",), False, genkit.read),
    (pairs.NAMES, False, pairs.read),
    (("haystack.",), False, haystack.read),
    (("db.", "qdrant.", "spring.ai.kind"), True, vectorstore.read),
    ((), True, llamaindex.read),
    (genai.PREFIXES, True, genai.read),
    (("llm.",), False, litellm.read),
)
"""Each with the beginnings of the names that it knows, and whether it may live in events alone.

The more explicit first: what it says stands.
"""
_NAMESPACES: Final = frozenset(
    {"openinference", "input", "output", "retrieval", "reranker", "llm", "embedding", "session", "user",
     "tag",
     "gen_ai", "langfuse", "traceloop", "ai", "tool", "agent", "haystack", "db", "mlflow", "langsmith"}
)  # fmt: skip
_UNSPECIFIC: Final = (Kind.CHAIN, Kind.PLAIN, Kind.AGENT)


def read_step(span: Span) -> Step:
    """What a span says, in whatever conventions it speaks. Kind `plain` where in none."""
    attributes = span.attributes
    spaces = _spaces(span.shape)
    if spaces and any(isinstance(attributes[name], dict) for name in spaces):
        span.attributes = _flat(span)
    whole: Step | None = None
    for read in _readers(span.shape, bool(span.events)):
        step = read(span)
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
    if span.status == ERROR:
        whole.error = error_of(span) or whole.error
    if span.events:
        whole.evaluations += _results(span.events)
    return whole


def _spaces(shape: Shape) -> Sequence[str]:
    """Names that are prefixes of others, where attributes come nested."""
    found: Sequence[str] | None = shape.kept.get(_NAMESPACES)
    if found is None:
        found = shape.kept[_NAMESPACES] = [name for name in shape.names if name in _NAMESPACES]
    return found


def _readers(shape: Shape, events: bool) -> Sequence[Read]:
    """The conventions that a span may speak, by the names of its attributes."""
    found: Sequence[Read] | None = shape.kept.get(events)
    if found is None:
        found = shape.kept[events] = [
            read
            for prefixes, in_events, read in CONVENTIONS
            if (events and in_events) or (prefixes and shape.has(*prefixes))
        ]
    return found


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
