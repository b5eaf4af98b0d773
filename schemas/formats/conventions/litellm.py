"""LiteLLM's spans of the request as it went to a provider: `llm.PROVIDER.messages`, written with `str()`."""

from __future__ import annotations

from typing import Any, Final

from schemas.formats.conventions.common import first_reason
from schemas.formats.messages import read_messages
from schemas.formats.reading import read_answer
from schemas.formats.span import Span, as_number
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse

_NAME: Final = "raw_gen_ai_request"
_PARTS: Final = frozenset({"messages", "choices", "usage", "model"})


def read(span: Span) -> Step | None:
    """What a span says in this convention; null where it says nothing in it."""
    if span.name != _NAME:
        return None
    held: dict[str, Any] = {}
    for parts, value in span.under("llm."):
        if len(parts) == 2 and parts[1] in _PARTS:
            held[parts[1]] = parse(value)
    step = Step(kind=Kind.LLM, messages=read_messages(held.get("messages")))
    step.response_model = held["model"] if isinstance(held.get("model"), str) else None
    choices = held.get("choices")
    step.reply = step.output = read_answer(choices) if isinstance(choices, list) else None
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        step.finish_reason = first_reason(choices[0].get("finish_reason"))
    if isinstance(usage := held.get("usage"), dict):
        counts = (as_number(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
        step.input_tokens, step.output_tokens = (None if n is None else int(n) for n in counts)
    return step


__all__ = ["read"]
