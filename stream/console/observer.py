"""What the console does, counted and written down."""

from __future__ import annotations

from typing import Any, Final

from stream import logs
from stream.telemetry.console import ConsoleMetrics

_LONGEST: Final = 500
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class LoggedConsole:
    """Requests become metrics; deeds become metrics and a line of the log, the audit trail."""

    def __init__(self, metrics: ConsoleMetrics) -> None:
        self._metrics = metrics

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count and time it."""
        known = method if method in _METHODS else "other"
        status_class = f"{status // 100}xx" if status else "0"
        self._metrics.requests.labels(route, known, status_class).inc()
        self._metrics.request_seconds.labels(route).observe(seconds)

    def audit(self, event: str, *, by: str | None, address: str, **facts: Any) -> None:
        """One line: what, by whom, from where."""
        self._metrics.events.labels(event).inc()
        seen = {name: _short(value) for name, value in facts.items()}
        logs.get().info(event, audit=True, by=by, address=address, **seen)

    def crashed(self, route: str, error: Exception) -> None:
        """One line with the traceback."""
        self._metrics.crashes.labels(route).inc()
        logs.get().error("request failed", route=route, exc_info=error)


def _short(value: Any) -> Any:
    """Ids of traces are what somebody sent, at any length."""
    return value[:_LONGEST] if isinstance(value, str) else value


__all__ = ["LoggedConsole"]
