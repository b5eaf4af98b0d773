"""What the export says of itself."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from stream.telemetry.base import StreamMetrics


class ExportMetrics(StreamMetrics):
    """What the export says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.exported = Counter(
            "ragpulse_exported_findings",
            "Findings (what one scorer or judge says of one trace) by what became of them: sent; refused by "
            "the receiver; dropped after all tries; no_place there; healthy, and left out",
            ["destination", "outcome"],
            registry=r,
        )
        self.requests = Counter(
            "ragpulse_export_requests",
            "Requests by the status of the answer; none: no answer in time",
            ["destination", "status"],
            registry=r,
        )
        self.receiver_up = Gauge(
            "ragpulse_export_up", "1 while the receiver takes what it is sent", ["destination"], registry=r
        )
