"""How a stand-in for an LLM server may meet a request: well, or in one of the ways that real ones fail in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Behaviour:
    """How one request is met. The default is: at once, and well. Combine with `and_`."""

    latency_s: float = 0.0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """The body of the HTTP response, instead of a completion."""
    hang: bool = False
    cut_after: int | None = None
    """The connection is closed after that many bytes of the body."""
    endless: bytes | None = None
    """The body is this, again and again, until nobody listens any more."""
    content: Callable[[str], str | None] = lambda text: text
    """What becomes of the text that the model would write."""
    finish_reason: str = "stop"
    message: dict[str, Any] = field(default_factory=dict)
    """Further fields of the message, such as `refusal` or `reasoning_content`."""
    usage: Any = "true"
    """What is said of usage: "true" for a truthful count, otherwise sent as it is (None, or nonsense)."""

    def and_(self, **changes: Any) -> Behaviour:
        """The same, with some of it changed."""
        return replace(self, **changes)


WELL = Behaviour()


def slowly(seconds: float) -> Behaviour:
    """Well, after a while."""
    return Behaviour(latency_s=seconds)


def error(status: int, message: str, code: str | None = None, **headers: str) -> Behaviour:
    """An error as these servers word it."""
    said = {"message": message, "type": "stand_in_error", "param": None, "code": code}
    return Behaviour(status=status, raw=json.dumps({"error": said}).encode(), headers=headers)


def too_many(retry_after: float | str | None = None) -> Behaviour:
    """429; `retry_after` is in seconds, or an HTTP date."""
    behaviour = error(429, "Rate limit reached", "rate_limit_exceeded")
    return behaviour if retry_after is None else behaviour.and_(headers={"Retry-After": str(retry_after)})


def broken(status: int = 500) -> Behaviour:
    """An error of the server."""
    return error(status, "The server had an error")


BROKEN = broken()
UNAUTHORIZED = error(401, "Incorrect API key provided", "invalid_api_key")
CONTEXT_OVERFLOW = error(
    400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"
)
CONTENT_FILTER = error(400, "Output data may contain inappropriate content.", "data_inspection_failed")
HANG = Behaviour(hang=True)
CUT = Behaviour(cut_after=40)
PROSE = Behaviour(content=lambda text: "I looked at it carefully, and on the whole I find it quite good.")
PROSE_WITH_JSON = Behaviour(content=lambda text: f"Here is my verdict.\n\n{text}\n\nI hope that this helps!")
FENCED = Behaviour(content=lambda text: f"```json\n{text}\n```")
THINKING = Behaviour(content=lambda text: f'<think>Is {{"score": 1}} right? No.</think>\n{text}')
EMPTY = Behaviour(content=lambda text: "")
NULL = Behaviour(content=lambda text: None)
REFUSAL = Behaviour(content=lambda text: None, message={"refusal": "I cannot help with that."})
FILTERED = Behaviour(content=lambda text: "", finish_reason="content_filter")
OUT_OF_LENGTH = Behaviour(content=lambda text: text[: len(text) // 2], finish_reason="length")
NOT_HTTP_JSON = Behaviour(
    raw=b"<html>502 from a proxy that says 200</html>", headers={"Content-Type": "text/html"}
)


def _rewritten(change: Callable[[Any], Any]) -> Behaviour:
    return Behaviour(content=lambda text: json.dumps(_walk(json.loads(text), change), ensure_ascii=False))


def _walk(value: Any, change: Callable[[Any], Any]) -> Any:
    match value:
        case dict():
            return {key: _walk(item, change) for key, item in value.items()}
        case list():
            return [_walk(item, change) for item in value]
        case _:
            return change(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


NUMBERS_AS_TEXT = _rewritten(lambda value: str(value) if _is_number(value) else value)
NAN_SCORES = _rewritten(lambda value: math.nan if _is_number(value) else value)
INFINITE_SCORES = _rewritten(lambda value: math.inf if _is_number(value) else value)
ABSURD_SCORES = _rewritten(lambda value: 1000 if _is_number(value) else value)
WRONG_TYPES = _rewritten(lambda value: ["very good"] if _is_number(value) else {"text": value})
EXTRA_KEYS = Behaviour(content=lambda text: json.dumps(json.loads(text) | {"confidence_note": "high"}))
MISSING_KEYS = Behaviour(content=lambda text: "{}")
OTHER_LANGUAGE = _rewritten(
    lambda value: "回答与文档一致。" if isinstance(value, str) and " " in value else value
)

MISBEHAVIOURS: dict[str, Behaviour] = {
    "429": too_many(0),
    "500": BROKEN,
    "503": broken(503),
    "401": UNAUTHORIZED,
    "context overflow": CONTEXT_OVERFLOW,
    "content filter": CONTENT_FILTER,
    "hang": HANG,
    "cut": CUT,
    "prose": PROSE,
    "prose with JSON": PROSE_WITH_JSON,
    "fenced": FENCED,
    "thinking": THINKING,
    "empty": EMPTY,
    "null": NULL,
    "refusal": REFUSAL,
    "filtered": FILTERED,
    "out of length": OUT_OF_LENGTH,
    "not JSON at all": NOT_HTTP_JSON,
    "numbers as text": NUMBERS_AS_TEXT,
    "NaN": NAN_SCORES,
    "infinity": INFINITE_SCORES,
    "absurd scores": ABSURD_SCORES,
    "wrong types": WRONG_TYPES,
    "extra keys": EXTRA_KEYS,
    "missing keys": MISSING_KEYS,
    "other language": OTHER_LANGUAGE,
}
"""Each by its name, for tests that try them all."""
