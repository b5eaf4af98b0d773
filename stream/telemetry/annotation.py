"""What the filler of the annotation queue says of itself."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from stream.telemetry.base import STEP_SECONDS, StreamMetrics


class AnnotationMetrics(StreamMetrics):
    """What the filler of the annotation queue says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.looked_at = Counter("ragpulse_annotation_traces", "Traces looked at, each once", registry=r)
        self.entered = Counter(
            "ragpulse_annotation_entered", "Cases that entered the queue, by reason", ["reason"], registry=r
        )
        self.merged = Counter(
            "ragpulse_annotation_merged", "Traces that joined a case as near-duplicates", registry=r
        )
        self.left = Counter(
            "ragpulse_annotation_crowded_out",
            "Cases that left unsettled, because others are worth more",
            registry=r,
        )
        self.left_out = Counter(
            "ragpulse_annotation_left_out", "Candidates for which there was no room", registry=r
        )
        self.unusable = Counter(
            "ragpulse_annotation_unusable",
            "Chosen traces that no case could be made of, by reason",
            ["reason"],
            registry=r,
        )
        self.redacted = Counter(
            "ragpulse_annotation_redacted",
            "Names, numbers, addresses and keys taken out of cases, by kind",
            ["kind"],
            registry=r,
        )
        self.open = Gauge(
            "ragpulse_annotation_open", "Cases that want votes, by first failed stage", ["stage"], registry=r
        )
        self.oldest = Gauge(
            "ragpulse_annotation_oldest_seconds", "Age of the oldest case that wants votes", registry=r
        )
        self.turn_seconds = Histogram(
            "ragpulse_annotation_turn_seconds", "Seconds a turn takes", buckets=STEP_SECONDS, registry=r
        )
        self.failures = Counter(
            "ragpulse_annotation_failed_turns", "Turns that ClickHouse did not answer", registry=r
        )


__all__ = ["AnnotationMetrics"]
