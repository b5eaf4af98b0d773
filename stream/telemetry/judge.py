"""What the judge lane says of itself."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from stream.telemetry.base import AGE_SECONDS, StreamMetrics
from stream.telemetry.funnel import judge_funnel

ANSWER_SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 30, 60, 120)


class JudgeMetrics(StreamMetrics):
    """What the judge lane says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.funnel = judge_funnel(r)
        self.verdicts = Counter(
            "ragpulse_judge_verdicts",
            "Verdicts, by failure class, healthy, or nothing where the judge does not say",
            ["failure"],
            registry=r,
        )
        self.requests = Counter(
            "ragpulse_judge_requests",
            "Questions to judges, by how each try ended: json_schema, json_object, prose, repaired, cached, "
            "or the reason why there was no answer",
            ["judge", "purpose", "outcome"],
            registry=r,
        )
        self.tokens = Counter(
            "ragpulse_judge_tokens", "Tokens that were billed: input, output", ["judge", "kind"], registry=r
        )
        self.cost = Counter(
            "ragpulse_judge_cost_usd", "What was spent, where a price is known", ["judge"], registry=r
        )
        self.answer_seconds = Histogram(
            "ragpulse_judge_answer_seconds",
            "From a question to its answer, without those from the cache",
            ["judge"],
            buckets=ANSWER_SECONDS,
            registry=r,
        )
        self.waiting = Gauge(
            "ragpulse_judge_waiting",
            "Questions that wait because the endpoint is away, by reason",
            ["reason"],
            registry=r,
        )
        self.publish_to_judged = Histogram(
            "ragpulse_publish_to_judged_seconds",
            "From the broker's timestamp of a sampled trace to its verdict being confirmed",
            buckets=AGE_SECONDS,
            registry=r,
        )
