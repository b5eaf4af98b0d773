"""What the watch says of itself, and of the traffic."""

from __future__ import annotations

from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
)

from stream.telemetry.base import STEP_SECONDS, ProcessMetrics

_SEGMENT: Final = ["segment", "measure"]


class WatchMetrics(ProcessMetrics):
    """Labels are bounded: as many segments as are watched, times as many measures as there are."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.traces = Counter("ragpulse_watch_traces", "Traces looked at, each once", registry=r)
        self.late = Counter(
            "ragpulse_watch_late_traces", "Traces that came too late to prove anything", registry=r
        )
        self.behind = Gauge(
            "ragpulse_watch_behind_seconds", "Age of the newest trace that was looked at", registry=r
        )
        self.look_seconds = Histogram(
            "ragpulse_watch_look_seconds", "Seconds a look takes", buckets=STEP_SECONDS, registry=r
        )
        self.failures = Counter(
            "ragpulse_watch_failed_looks", "Looks that ClickHouse did not answer", registry=r
        )
        self.segments = Gauge("ragpulse_watch_segments", "Segments that are watched", registry=r)
        self.rate = Gauge(
            "ragpulse_rate",
            "Mean of a measure over the window that ends now; bound: low, value, high",
            [*_SEGMENT, "window", "bound"],
            registry=r,
        )
        self.coverage = Gauge(
            "ragpulse_rate_measured",
            "Share of the traces that the rate was measured on",
            [*_SEGMENT, "window"],
            registry=r,
        )
        self.evidence = Gauge(
            "ragpulse_watch_evidence",
            "Logarithm of the wealth of the bet that something changed",
            _SEGMENT,
            registry=r,
        )
        self.threshold = Gauge(
            "ragpulse_watch_threshold",
            "The evidence from which on there is an incident",
            _SEGMENT,
            registry=r,
        )
        self.incidents = Gauge(
            "ragpulse_incidents_open",
            "1 for each open incident",
            ["incident", "severity", "kind", *_SEGMENT],
            registry=r,
        )
        self.opened = Counter(
            "ragpulse_incidents", "Incidents opened", ["severity", "kind", "measure"], registry=r
        )
        self.told = Counter(
            "ragpulse_notifications",
            "Messages to receivers of alerts by what became of them: sent, refused, dropped",
            ["receiver", "outcome"],
            registry=r,
        )
        self.receiver_up = Gauge(
            "ragpulse_alert_receiver_up",
            "1 while the receiver takes what it is sent",
            ["receiver"],
            registry=r,
        )


__all__ = ["WatchMetrics"]
