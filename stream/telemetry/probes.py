"""What the probe set says of each judge."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Gauge


class ProbeMetrics:
    """What the probe set says of each judge. Of the newest run, whoever made it."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.agreement = Gauge(
            "ragpulse_judge_probe_agreement",
            "Share of the probe set that a judge gets right, 0 to 1, in one language (all: together); no "
            "value while too few probes were answered",
            ["judge", "model", "language"],
            registry=registry,
        )
        self.drift = Gauge(
            "ragpulse_judge_probe_drift",
            "1 where the newest run differs from the judge's baseline: model, answers, scores",
            ["judge", "model", "signal"],
            registry=registry,
        )
        self.unanswered = Gauge(
            "ragpulse_judge_probe_unanswered",
            "Probes of the newest run that got no answer",
            ["judge", "model"],
            registry=registry,
        )
        self.ran_at = Gauge(
            "ragpulse_judge_probe_timestamp_seconds",
            "When the newest run began",
            ["judge", "model"],
            registry=registry,
        )
