"""What the worker says of itself."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from stream.telemetry.base import AGE_SECONDS, StreamMetrics
from stream.telemetry.funnel import judge_funnel


class WorkerMetrics(StreamMetrics):
    """What the worker says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self._of_spans(r)
        self.decoded = Counter("ragpulse_traces_decoded", "Traces found in messages", ["format"], registry=r)
        self.feedback = Counter("ragpulse_feedback_received", "Late feedback found in messages", registry=r)
        self.evaluations = Counter(
            "ragpulse_evaluations_received",
            "What evaluators said of a trace, and sent by itself",
            registry=r,
        )
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
        self.judge_funnel = judge_funnel(r)
        self.tamed = Counter(
            "ragpulse_traces_tamed", "Traces with values that no table holds, which were mended", registry=r
        )
        self.publish_to_scored = Histogram(
            "ragpulse_publish_to_scored_seconds",
            "From the broker's timestamp of a message to its scored row being handed to the producer",
            buckets=AGE_SECONDS,
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

    def _of_spans(self, r: CollectorRegistry) -> None:
        """How spans become traces."""
        self.spans_received = Counter(
            "ragpulse_spans_received", "Spans read, by format of their message", ["format"], registry=r
        )
        self.regrouped = Counter(
            "ragpulse_spans_regrouped",
            "Messages sent on to the owner of their trace: the spans of one trace out of one message",
            registry=r,
        )
        self.read_again = Counter(
            "ragpulse_messages_read_again",
            "Messages that were done before a restart and are read again for the traces that went on",
            registry=r,
        )
        self.assembled = Counter(
            "ragpulse_traces_assembled",
            "Traces put together from spans, by why they were taken to be complete: "
            "root_ended, quiet, age, overflow",
            ["closed"],
            registry=r,
        )
        self.incomplete = Counter(
            "ragpulse_traces_incomplete",
            "Traces scored although spans of them are known to be missing",
            ["reason"],
            registry=r,
        )
        self.not_rag = Counter(
            "ragpulse_traces_not_rag",
            "Traces of spans that are left out: they show neither a retrieval nor an answer",
            ["reason"],
            registry=r,
        )
        self.scored_again = Counter(
            "ragpulse_traces_scored_again",
            "Traces that spans came late to, and that were scored once more with all of them",
            registry=r,
        )
        self.late_spans = Counter(
            "ragpulse_spans_late",
            "Spans that came when their trace was scored and forgotten, and were left out (feedback was not)",
            registry=r,
        )
        self.spans_left_out = Counter(
            "ragpulse_spans_left_out", "Spans beyond the bound on spans a trace", registry=r
        )
        self.spans_waiting = Gauge(
            "ragpulse_spans_waiting", "Spans that wait for the rest of their trace", registry=r
        )
        self.span_bytes = Gauge(
            "ragpulse_span_bytes_held",
            "Memory that spans take, about: those that wait, and those of traces scored a moment ago",
            registry=r,
        )
        self.traces_open = Gauge("ragpulse_traces_open", "Traces that are being put together", registry=r)
        self.messages_waiting = Gauge(
            "ragpulse_messages_waiting", "Messages whose offsets wait for such traces", registry=r
        )
        self.longest_wait = Gauge(
            "ragpulse_oldest_open_trace_seconds",
            "Since when the oldest of them is open: so far it holds back the offsets of its partition",
            registry=r,
        )

    def publish_ages(self, now: datetime, received: Iterable[datetime]) -> None:
        """Note how old each message was when its row was handed over."""
        for moment in received:
            self.publish_to_scored.observe((now - moment).total_seconds())
