"""A server's response as plain facts, whatever it left out or got wrong."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from judges.llm.asking import JudgeFailed, Reason
from judges.llm.statuses import reason_of

_THOUGHTS: Final = re.compile(r"^\s*+(?:<think(?:ing)?>)?+.*?</think(?:ing)?>", re.DOTALL)
_UNFINISHED: Final = re.compile(r"^\s*+<think(?:ing)?>.*\Z", re.DOTALL)


@dataclass(slots=True, frozen=True)
class Completion:
    """What a model wrote, without its thoughts, and what the server says of it; null where it says none."""

    text: str
    finish: str
    refusal: str
    served_by: str
    input_tokens: int | None
    output_tokens: int | None
    cached_input: int

    def failure(self) -> JudgeFailed | None:
        """Why there is nothing to read in it; null where there is."""
        if self.refusal:
            return JudgeFailed(Reason.REFUSED, f"the model declined: {shorten(self.refusal)}")
        if self.finish == "content_filter":
            return JudgeFailed(Reason.REFUSED, "the server's content filter held the answer back")
        if self.finish == "length":
            return JudgeFailed(Reason.CUT, "the answer reached its limit of tokens")
        if not self.text:
            return JudgeFailed(Reason.EMPTY, "the answer is empty")
        return None


def read_completion(data: bytes) -> Completion:
    """The first choice of a response. Raises JudgeFailed where it is no completion at all."""
    body = read_object(data)
    choice = _first(body.get("choices"))
    message = choice.get("message")
    if not isinstance(message, dict) and isinstance(error := body.get("error"), dict):
        code = error.get("code")  # some gateways say 200 and mean another
        status = code if isinstance(code, int) else 500
        raise JudgeFailed(reason_of(status, json.dumps(error)), f"error {code}: {shorten(json.dumps(error))}")
    if not isinstance(message, dict):
        raise JudgeFailed(Reason.SERVER_ERROR, f"the response is no completion: {shorten(json.dumps(body))}")
    raw = _text_of(message.get("content"))
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Completion(
        text=without_thoughts(raw),
        finish=_string(choice.get("finish_reason")),
        refusal=_string(message.get("refusal")).strip(),
        served_by=_string(body.get("model")),
        input_tokens=count(usage.get("prompt_tokens")),
        output_tokens=count(usage.get("completion_tokens")),
        cached_input=_cached(usage),
    )


def read_embeddings(data: bytes, wanted: int) -> tuple[list[tuple[float, ...]], int | None]:
    """The vectors of a response in the order of the texts, and the tokens billed. Raises JudgeFailed."""
    body = read_object(data)
    rows = body.get("data")
    rows = rows if isinstance(rows, list) else []
    by_index = {
        row.get("index", at): row.get("embedding") for at, row in enumerate(rows) if isinstance(row, dict)
    }
    vectors = [by_index.get(index) for index in range(wanted)]
    if not all(isinstance(vector, list) and vector and all(map(_is_finite, vector)) for vector in vectors):
        raise JudgeFailed(Reason.INVALID, f"the response has no vector of numbers for each of {wanted} texts")
    usage = body.get("usage")
    billed = count(usage.get("prompt_tokens")) if isinstance(usage, dict) else None
    return [tuple(map(float, vector)) for vector in vectors if vector is not None], billed


def read_object(data: bytes) -> dict[str, Any]:
    """A response's JSON. Raises JudgeFailed where it is none."""
    try:
        body = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        said = shorten(data[:400].decode("utf-8", "replace"))
        raise JudgeFailed(Reason.SERVER_ERROR, f"the response is no JSON object: {said}")
    return body


def without_thoughts(text: str) -> str:
    """An answer without what a model thought aloud before it, also where the first tag is missing."""
    if "</think" in text:
        text = _THOUGHTS.sub("", text, count=1)
    return _UNFINISHED.sub("", text).strip()


def count(value: Any) -> int | None:
    """A number of tokens, or null where the server says none that could be true."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def sendable(text: str) -> str:
    """A text without lone surrogates, which no server can read."""
    return text.encode("utf-8", "replace").decode()


def shorten(text: str, most: int = 200) -> str:
    """For an error message: one line, not too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _first(choices: Any) -> dict[str, Any]:
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def _text_of(content: Any) -> str:
    if isinstance(content, list):  # some servers answer in parts
        return "".join(_string(part.get("text")) for part in content if isinstance(part, dict))
    return _string(content)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _cached(usage: dict[str, Any]) -> int:
    details = usage.get("prompt_tokens_details")
    inside = details.get("cached_tokens") if isinstance(details, dict) else None
    return count(inside) or count(usage.get("prompt_cache_hit_tokens")) or 0


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


__all__ = [
    "Completion",
    "count",
    "read_completion",
    "read_embeddings",
    "read_object",
    "sendable",
    "shorten",
    "without_thoughts",
]
