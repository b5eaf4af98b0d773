"""Who is told what the console does: metrics and logs, which live elsewhere."""

from __future__ import annotations

from typing import Any, Protocol


class Observer(Protocol):
    """Is told of each request and of each deed that must be written down."""

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """One request was answered. `route` is the pattern, never the address with its values."""

    def audit(self, event: str, *, by: str | None, address: str, **facts: Any) -> None:
        """Somebody did something that people may want to know later."""

    def crashed(self, route: str, error: Exception) -> None:
        """A handler failed in a way that nobody foresaw."""


class Unobserved:
    """Tells nobody."""

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Nothing."""

    def audit(self, event: str, *, by: str | None, address: str, **facts: Any) -> None:
        """Nothing."""

    def crashed(self, route: str, error: Exception) -> None:
        """Nothing."""


__all__ = ["Observer", "Unobserved"]
