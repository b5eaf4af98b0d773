"""What is known of an endpoint before it is asked anything: its address, its limits, its prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_SHORTEST_SECRET: Final = 6
"""Shorter ones are words such as "none", and hiding them would only garble what is said."""


@dataclass(slots=True, frozen=True)
class Limits:
    """How hard one endpoint may be worked by one process. Null is no limit."""

    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    connect_timeout_s: float = 10.0
    timeout_s: float = 60.0
    """For one whole request, from the first byte sent to the last received."""
    attempts: int = 4
    """HTTP requests for one question, at most, where what went wrong may go better the next time."""
    retry_for_s: float = 120.0
    """No new attempt begins later than this after the first."""
    breaker_failures: int = 8
    """So many failures in a row, and the endpoint is left alone for a while."""
    breaker_rest_s: float = 15.0


@dataclass(slots=True, frozen=True)
class Price:
    """USD for a million tokens. `cached_input` is for what the endpoint read from its own prompt cache."""

    input: float
    output: float
    cached_input: float | None = None


@dataclass(slots=True, frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible address."""

    name: str
    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Further headers of each request."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of each request's body, such as DashScope's `enable_thinking`."""
    limits: Limits = Limits()
    price: Price | None = None
    temperature: float | None = 0.0
    """Null sends none, for models that take no temperature."""
    context_tokens: int | None = None
    """What the model takes in and gives out, together. A longer question is not sent."""
    reasoning_tokens: int = 0
    """Room for the thoughts of a model that thinks before it answers, added to each question's output."""
    embedding_model: str | None = None
    embedding_price: Price | None = None

    def hide_secrets(self, text: str) -> str:
        """`text` without our key and headers, for what a server says back to us."""
        for secret in sorted((self.api_key, *self.headers.values()), key=len, reverse=True):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "[hidden]")
        return text


__all__ = ["Endpoint", "Limits", "Price"]
