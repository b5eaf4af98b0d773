"""What every process that reads a topic says of itself."""

from __future__ import annotations

from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)

STEP_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
AGE_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 86400)
SIZES: Final = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000)


class ProcessMetrics:
    """What every process of ours says of itself, whatever it does."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self.build = Gauge(
            "ragpulse_build",
            "Always 1; its labels say what runs",
            ["version", "scorer"],
            registry=self.registry,
        )


class StreamMetrics(ProcessMetrics):
    """What every process that reads a topic says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.received = Counter(
            "ragpulse_messages_received",
            "Messages read, before anything is known of them",
            ["topic"],
            registry=r,
        )
        self.received_bytes = Counter(
            "ragpulse_bytes_received", "Bytes of their values", ["topic"], registry=r
        )
        self.dead = Counter(
            "ragpulse_dead_letters", "Messages given up on, by reason", ["reason"], registry=r
        )
        self.lost_by_retention = Counter(
            "ragpulse_lost_by_retention",
            "Messages the broker deleted before they were read",
            ["topic", "partition"],
            registry=r,
        )
        self.log_rewound = Counter(
            "ragpulse_log_rewound",
            "Times a partition ended before our position (topic recreated or truncated) and was read again",
            ["topic", "partition"],
            registry=r,
        )
        self.lag = Gauge(
            "ragpulse_lag_messages",
            "Messages on the broker whose work is not done",
            ["topic", "partition"],
            registry=r,
        )
        self.in_flight = Gauge(
            "ragpulse_in_flight_messages", "Messages in work or not yet confirmed", registry=r
        )
        self.paused = Gauge("ragpulse_paused", "1 while backpressure pauses the partitions", registry=r)
        self.pauses = Counter("ragpulse_pauses", "Times that backpressure paused the partitions", registry=r)
        self.assigned = Gauge("ragpulse_assigned_partitions", "Partitions that this process owns", registry=r)
        self.rebalances = Counter(
            "ragpulse_rebalances", "Changes of ownership: assigned, revoked, lost", ["event"], registry=r
        )
        self.abandoned = Counter(
            "ragpulse_abandoned_messages",
            "Messages in work whose partition was taken away: their next owner does them again",
            registry=r,
        )
        self.commits = Counter("ragpulse_commits", "Offset commits: ok, failed", ["result"], registry=r)
        self.produced = Counter("ragpulse_produced", "Messages handed to the producer", ["topic"], registry=r)
        self.delivered = Counter(
            "ragpulse_delivered", "Messages confirmed by the broker", ["topic"], registry=r
        )
        self.cut = Counter(
            "ragpulse_outputs_cut",
            "Messages whose texts were left out because they did not fit",
            ["topic"],
            registry=r,
        )
        self.batch_size = Histogram(
            "ragpulse_batch_size", "Messages, traces or rows a batch", ["step"], buckets=SIZES, registry=r
        )
        self.batch_seconds = Histogram(
            "ragpulse_batch_seconds", "Seconds a batch, by step", ["step"], buckets=STEP_SECONDS, registry=r
        )
