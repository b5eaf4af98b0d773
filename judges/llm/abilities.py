"""What an endpoint turns out to be able to do: learned from what it refuses, and not tried again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from judges.llm.asking import Message
from judges.llm.completion import sendable

Mode = Literal["json_schema", "json_object", "prose"]
MODES: Final[tuple[Mode, ...]] = ("json_schema", "json_object", "prose")

_FORMAT: Final = re.compile(
    r"response_format|json_schema|json_object|json schema|json.?mode|structured.?output|grammar|"
    r"guided.?(?:json|decod)",
    re.IGNORECASE,
)
_TEMPERATURE: Final = re.compile(r"temperature", re.IGNORECASE)
_LENGTH_NAME: Final = re.compile(r"max_tokens|max_completion_tokens", re.IGNORECASE)

_STRAYS: Final = 3


@dataclass(slots=True)
class Abilities:
    """How an endpoint is asked. Starts from the best, and steps down where that is refused."""

    temperature: float | None = 0.0
    mode: Mode = "json_schema"
    length_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    _length_swaps: int = 0
    _strays: int = field(default=0)

    def body(
        self, model: str, messages: tuple[Message, ...], name: str, schema: dict[str, Any], max_tokens: int
    ) -> dict[str, Any]:
        """The body of a request. Where the server takes no schema, the messages must describe the form."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [
                {"role": message.role, "content": sendable(message.content)} for message in messages
            ],
            self.length_name: max_tokens,
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.mode == "json_schema":
            described = {"name": name, "schema": schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        elif self.mode == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def learn(self, sent: dict[str, Any], status: int, said: str) -> str | None:
        """What a refusal of `sent` teaches, as a word for the count of fallbacks; null where nothing.

        Others may have learned the same meanwhile, from requests that were on their way together: then
        sending anew is enough.
        """
        if status not in (400, 404, 415, 422, 500, 501):
            return None
        asked = (sent.get("response_format") or {}).get("type")
        if asked is not None and _FORMAT.search(said):
            if self.mode == asked:
                self.mode = MODES[MODES.index(asked) + 1]
            return self.mode
        if status in (500, 501):
            return None
        if sent.get("temperature") is not None and _TEMPERATURE.search(said):
            if self.temperature == sent["temperature"]:
                self.temperature = 0.1 if self.temperature == 0 else None
            return "temperature"
        used = "max_tokens" if "max_tokens" in sent else "max_completion_tokens"
        if _LENGTH_NAME.search(said):
            if self.length_name == used and self._length_swaps < 2:
                self.length_name = "max_completion_tokens" if used == "max_tokens" else "max_tokens"
                self._length_swaps += 1
            return "length_name" if self.length_name != used else None
        return None

    def obeyed(self, asked: Mode, fits: bool) -> str | None:
        """Take note of whether an answer fitted the schema that was sent; returns the new mode if it changed.

        Some servers take a schema and ignore it: after three such answers in a row it is put in words.
        """
        if asked != "json_schema" or self.mode != asked:
            return None
        self._strays = 0 if fits else self._strays + 1
        if self._strays < _STRAYS:
            return None
        self.mode, self._strays = "json_object", 0
        return self.mode


__all__ = ["MODES", "Abilities", "Mode"]
