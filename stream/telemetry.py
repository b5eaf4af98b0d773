"""Every metric of ours, by name: one place to read what can be counted, drawn and alerted on.

Each process has one registry. The coverage accounting adds up: what was received is decoded, dead by
reason or lost by reason; what was decoded is scored or dead; what was scored is delivered.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)

_STEP_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_AGE_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 86400)
_SIZES: Final = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000)


class StreamMetrics:
    """What every process that reads a topic says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
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
            "ragpulse_batch_size", "Messages, traces or rows a batch", ["step"], buckets=_SIZES, registry=r
        )
        self.batch_seconds = Histogram(
            "ragpulse_batch_seconds", "Seconds a batch, by step", ["step"], buckets=_STEP_SECONDS, registry=r
        )
        self.build = Gauge(
            "ragpulse_build", "Always 1; its labels say what runs", ["version", "scorer"], registry=r
        )


class WorkerMetrics(StreamMetrics):
    """What the worker says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.decoded = Counter("ragpulse_traces_decoded", "Traces found in messages", ["format"], registry=r)
        self.feedback = Counter("ragpulse_feedback_received", "Late feedback found in messages", registry=r)
        self.scored = Counter(
            "ragpulse_traces_scored", "Traces scored, by failure class or healthy", ["failure"], registry=r
        )
        self.not_measured = Counter(
            "ragpulse_traces_not_measured",
            "Traces scored in part or not at all, by coverage",
            ["coverage"],
            registry=r,
        )
        self.sampled = Counter("ragpulse_traces_sampled", "Traces sent to the judges", ["reason"], registry=r)
        self.tamed = Counter(
            "ragpulse_traces_tamed", "Traces with values that no table holds, which were mended", registry=r
        )
        self.publish_to_scored = Histogram(
            "ragpulse_publish_to_scored_seconds",
            "From the broker's timestamp of a message to its scored row being handed to the producer",
            buckets=_AGE_SECONDS,
            registry=r,
        )

        self.scorer_swaps = Counter(
            "ragpulse_scorer_swaps",
            "Changes that the registry asked for, of the serving scorer or the candidate: swapped, refused",
            ["role", "outcome"],
            registry=r,
        )
        self.scored_beside = Counter(
            "ragpulse_scores_beside",
            "Scores by another scorer than the serving one: shadow, encoder",
            ["role", "scorer"],
            registry=r,
        )
        self.candidate_failures = Counter(
            "ragpulse_candidate_failures",
            "Times that a candidate failed and was set aside until the registry names another",
            ["scorer"],
            registry=r,
        )
        self.encoder_skipped = Counter(
            "ragpulse_encoder_skipped",
            "Uncertain traces that the encoder did not read: share, budget, nothing_to_read; failed: batches",
            ["reason"],
            registry=r,
        )

    def publish_ages(self, now: datetime, received: Iterable[datetime]) -> None:
        """Note how old each message was when its row was handed over."""
        for moment in received:
            self.publish_to_scored.observe((now - moment).total_seconds())


class SinkMetrics(StreamMetrics):
    """What the sink says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.inserted = Counter(
            "ragpulse_rows_inserted", "Rows that ClickHouse confirmed", ["table"], registry=r
        )
        self.inserted_bytes = Counter("ragpulse_bytes_inserted", "Bytes of those rows", ["table"], registry=r)
        self.insert_failures = Counter(
            "ragpulse_insert_failures", "Inserts that failed and are tried again", ["kind"], registry=r
        )
        self.splits = Counter(
            "ragpulse_insert_splits", "Batches halved to find the row that is refused", registry=r
        )
        self.columns_left_out = Counter(
            "ragpulse_columns_left_out",
            "Columns of sampled rows that the table does not have (about one row a second is looked at)",
            ["table", "column"],
            registry=r,
        )
        self.rollup_minutes = Counter(
            "ragpulse_rollup_minutes", "Minutes computed anew from the traces", registry=r
        )
        self.sink_up = Gauge("ragpulse_sink_up", "1 while ClickHouse takes inserts", registry=r)
        self.publish_to_inserted = Histogram(
            "ragpulse_publish_to_inserted_seconds",
            "From the broker's timestamp of a row to its insert being confirmed, for up to 50 rows a batch",
            buckets=_AGE_SECONDS,
            registry=r,
        )


__all__ = ["SinkMetrics", "StreamMetrics", "WorkerMetrics"]
