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
        self.annotated = Counter(
            "ragpulse_judge_annotated", "Traces put before people, by reason", ["reason"], registry=r
        )
        self.questions = Counter(
            "ragpulse_judge_questions",
            "Questions, by how answered: json_schema, json_object, prose, repaired, cached; or why none",
            ["judge", "purpose", "outcome"],
            registry=r,
        )
        self.requests = Counter(
            "ragpulse_judge_requests",
            "HTTP requests, by how each ended: ok, or the reason why not",
            ["judge", "purpose", "outcome"],
            registry=r,
        )
        self.retries = Counter(
            "ragpulse_judge_retries",
            "Requests made again, by what went wrong",
            ["judge", "reason"],
            registry=r,
        )
        self.fallbacks = Counter(
            "ragpulse_judge_fallbacks",
            "What an endpoint could not do: json_object or prose in place of a schema, repair, temperature …",
            ["judge", "to"],
            registry=r,
        )
        self.circuit_open = Gauge(
            "ragpulse_judge_circuit_open",
            "1 while an endpoint is left alone since it failed too often, 0.5 while it is tried again",
            ["judge"],
            registry=r,
        )
        self.tokens = Counter(
            "ragpulse_judge_tokens", "Tokens that were billed: input, output", ["judge", "kind"], registry=r
        )
        self.cost = Counter(
            "ragpulse_judge_cost_usd", "What was spent, where a price is known", ["judge"], registry=r
        )
        self.overruns = Counter(
            "ragpulse_judge_overruns",
            "Requests billed higher than what could be reserved for them",
            ["judge"],
            registry=r,
        )
        self.unkept = Counter(
            "ragpulse_judge_answers_unkept",
            "Answers that could not be cached: asked again, they cost again",
            ["judge"],
            registry=r,
        )
        self.request_seconds = Histogram(
            "ragpulse_judge_request_seconds",
            "From an HTTP request to its end",
            ["judge"],
            buckets=ANSWER_SECONDS,
            registry=r,
        )
        self.spent = Gauge(
            "ragpulse_judge_spent",
            "Spent in this hour and this day (UTC) by all who share the state file: usd, tokens",
            ["window", "unit"],
            registry=r,
        )
        self.budget = Gauge(
            "ragpulse_judge_budget", "What may be spent, where it is limited", ["window", "unit"], registry=r
        )
        self.waiting = Gauge(
            "ragpulse_judge_waiting",
            "Questions that wait because the endpoint answers nobody, by reason",
            ["reason"],
            registry=r,
        )
        self.publish_to_judged = Histogram(
            "ragpulse_publish_to_judged_seconds",
            "From the broker's timestamp of a sampled trace to its verdict being confirmed",
            buckets=AGE_SECONDS,
            registry=r,
        )
