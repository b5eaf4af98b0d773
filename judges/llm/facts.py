"""What happened, told to whoever counts: judges keep no metrics of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judges.llm.asking import How, Reason, Usage
from judges.llm.breaker import State


@dataclass(slots=True, frozen=True)
class Called:
    """One HTTP request ended: well where `reason` is null. `usage` is what it cost."""

    judge: str
    purpose: str
    tenant: str
    reason: Reason | None
    usage: Usage


@dataclass(slots=True, frozen=True)
class Retried:
    """A request will be made again after `wait_s`, since it failed for `reason`."""

    judge: str
    purpose: str
    reason: Reason
    wait_s: float


@dataclass(slots=True, frozen=True)
class FellBack:
    """An endpoint could not do what was asked: `to` is "json_object", "prose", "temperature", "length_name",
    or "repair" for one more turn with what was wrong."""

    judge: str
    purpose: str
    to: str


@dataclass(slots=True, frozen=True)
class Answered:
    """A question was answered; `cached` without a call of its own."""

    judge: str
    purpose: str
    tenant: str
    how: How
    cached: bool
    usage: Usage


@dataclass(slots=True, frozen=True)
class Failed:
    """A question has no answer."""

    judge: str
    purpose: str
    tenant: str
    reason: Reason
    usage: Usage


@dataclass(slots=True, frozen=True)
class BreakerMoved:
    """The circuit breaker of an endpoint changed its state."""

    judge: str
    state: State


@dataclass(slots=True, frozen=True)
class Overran:
    """A server billed more than could be reserved: `usd` and `tokens` beyond it, which count as spent."""

    judge: str
    tenant: str
    usd: float
    tokens: int


@dataclass(slots=True, frozen=True)
class StateTroubled:
    """An answer could not be kept, and will be paid for again if it is asked again."""

    judge: str
    detail: str


Fact = Called | Retried | FellBack | Answered | Failed | BreakerMoved | Overran | StateTroubled
Observe = Callable[[Fact], None]
"""Called in the event loop, at once; must be quick and must not raise."""


def ignore(fact: Fact) -> None:
    """Count nothing."""


__all__ = [
    "Answered",
    "BreakerMoved",
    "Called",
    "Fact",
    "Failed",
    "FellBack",
    "Observe",
    "Overran",
    "Retried",
    "StateTroubled",
    "ignore",
]
