"""Roles, and the rule that each route carries.

A route without a rule is refused when the application is put together, so that none can be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeVar

_RULE: Final = "__console_rule__"
Endpoint = TypeVar("Endpoint", bound=Callable[..., object])


class Role(IntEnum):
    """Each may do all that the one before it may."""

    VIEWER = 1
    """Sees rates, incidents, and cases without the names and numbers in them."""
    ANNOTATOR = 2
    """Claims cases and labels them."""
    ADMIN = 3
    """Settles conflicts, keeps golden sets, and may see the original text, which is written down."""

    @property
    def word(self) -> str:
        """As settings and pages spell it."""
        return self.name.lower()

    @classmethod
    def named(cls, word: str) -> Role:
        """The role of this name. Raises ValueError."""
        try:
            return cls[word.upper()]
        except KeyError:
            raise ValueError(f"no such role: {word}") from None


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may use a route: at least `role`, or anybody where it is null."""

    role: Role | None


def allow(role: Role) -> Callable[[Endpoint], Endpoint]:
    """Mark a route as open to this role and those above it."""
    return _mark(Rule(role))


def allow_anybody() -> Callable[[Endpoint], Endpoint]:
    """Mark a route as open to whoever comes, logged in or not."""
    return _mark(Rule(None))


def rule_of(endpoint: Callable[..., object]) -> Rule | None:
    """The rule that a route was marked with; null where somebody forgot it."""
    return getattr(endpoint, _RULE, None)


def _mark(rule: Rule) -> Callable[[Endpoint], Endpoint]:
    def mark(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _RULE, rule)
        return endpoint

    return mark


__all__ = ["Role", "Rule", "allow", "allow_anybody", "rule_of"]
