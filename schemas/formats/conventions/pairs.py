"""Decorated functions: what they were given and what they gave back, under names of each library's own.

AgentOps, Laminar, OpenLIT and Logfire. What they write of models' calls is in the GenAI conventions.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from schemas.formats.conventions.common import query_in, shown
from schemas.formats.conventions.plain import told_by_name
from schemas.formats.span import Span
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse, unquote

_AGENTOPS: Final = "agentops.span.kind"
_LAMINAR: Final = "lmnr.span.type"
_OPENLIT: Final = "function.args"
_LOGFIRE: Final = "logfire.json_schema"
NAMES: Final = (_AGENTOPS, _LAMINAR, _OPENLIT, _LOGFIRE)
"""Attributes that tell which of them wrote a span."""
_KINDS: Final = {
    "agent": Kind.AGENT, "tool": Kind.TOOL, "llm": Kind.LLM, "guardrail": Kind.JUDGE,
    "evaluator": Kind.JUDGE, "human_evaluator": Kind.JUDGE, "http": Kind.PLAIN, "text": Kind.PLAIN,
}  # fmt: skip
_MAX_CHARS: Final = 100_000


def read(span: Span) -> Step | None:
    """What a span says in one of these ways; null where it says nothing in them."""
    attributes = span.attributes
    if _AGENTOPS in attributes:
        named = str(attributes[_AGENTOPS]).lower()
        given, came = _under(span, "input"), _under(span, "output")
    elif _LAMINAR in attributes:
        named = str(attributes[_LAMINAR]).lower()
        given, came = attributes.get("lmnr.span.input"), attributes.get("lmnr.span.output")
    elif _OPENLIT in attributes:
        named, given = "function", _arguments(span)
        came = attributes.get("gen_ai.completion")
    elif _LOGFIRE in attributes:
        return _read_logfire(span)
    else:
        return None
    return _step(span, _KINDS.get(named, Kind.CHAIN), unquote(given), unquote(came))


def _step(span: Span, kind: Kind, given: Any, came: Any) -> Step | None:
    if kind is Kind.PLAIN:
        return None
    step = Step(kind=kind)
    if kind is Kind.LLM:
        return step  # its messages stand in the other conventions
    step.input, step.output = shown(given), shown(came)
    if kind is Kind.TOOL:
        step.tool_name = span.name.removesuffix(".tool") or None
        step.query = query_in(step.input)
    return step


def _under(span: Span, side: str) -> Any:
    """AgentOps puts it under the kind of whatever was decorated: `agentops.task.input`."""
    return next(
        (value for path, value in span.under("agentops.") if len(path) == 2 and path[1] == side), None
    )


def _arguments(span: Span) -> dict[str, Any]:
    """OpenLIT's: the arguments, written with `str()`."""
    args = _literal(span.attributes.get("function.args"))
    kwargs = parse(span.attributes.get("function.kwargs"))
    return {
        "args": list(args) if isinstance(args, tuple) else [],
        "kwargs": kwargs if isinstance(kwargs, dict) else {},
    }


def _literal(text: Any) -> Any:
    if not isinstance(text, str) or len(text) > _MAX_CHARS:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _read_logfire(span: Span) -> Step | None:
    """A function or a block: its arguments are attributes, told apart by a schema.

    One that is named for a retrieval, and shows passages among its attributes, is read as what it is.
    """
    attributes = span.attributes
    schema = parse(attributes[_LOGFIRE])
    told = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(told, dict) or span.shape.has("gen_ai.", "agent_name", "tool", "model_"):
        return None
    name = told_by_name(span.name)
    if "return" not in attributes and (name.retrieves or name.reranks):
        return None
    given = {key: attributes[key] for key in told if key != "return" and key in attributes}
    came = attributes.get("return")
    if not given and came is None:
        return None
    return _step(span, Kind.CHAIN, given, parse(came))


__all__ = ["NAMES", "read"]
