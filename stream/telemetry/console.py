"""What the console says of itself."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from stream.telemetry.base import STEP_SECONDS, ProcessMetrics


class ConsoleMetrics(ProcessMetrics):
    """Labels are bounded: as many routes as there are, and kinds of events."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.requests = Counter(
            "ragpulse_console_requests",
            "Requests by route, method and class of the status (2xx …; 0 where nobody waited for it)",
            ["route", "method", "status"],
            registry=r,
        )
        self.request_seconds = Histogram(
            "ragpulse_console_request_seconds",
            "Seconds until a request was answered",
            ["route"],
            buckets=STEP_SECONDS,
            registry=r,
        )
        self.events = Counter(
            "ragpulse_console_events",
            "Logins, labels, and all else that is written down, by kind",
            ["event"],
            registry=r,
        )
        self.crashes = Counter(
            "ragpulse_console_crashes", "Requests that failed in a way nobody foresaw", ["route"], registry=r
        )


__all__ = ["ConsoleMetrics"]
