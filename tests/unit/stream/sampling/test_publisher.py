"""The worker puts chosen traces on their way to the judges, and counts how far each one came."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import orjson

from schemas.row import Provenance
from schemas.scored import Judged
from schemas.taxonomy import Failure
from stream.kafka.ledger import Ledger
from stream.sampling import Other
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.intake import Found
from stream.worker.publish import Publisher
from tests.unit.stream.sampling.traffic import judged

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Sent:
    """Keeps what is sent, by topic."""

    def __init__(self) -> None:
        self.by_topic: dict[str, list[dict[str, Any]]] = {"rag.scored": [], "rag.judge": []}

    def send(self, slot: Any, topic: str, value: bytes, key: bytes, headers: Any) -> None:
        self.by_topic[topic].append(orjson.loads(value))


def publish(
    traces: list[Judged], others: dict[int, list[Other]] | None = None, **sampling: Any
) -> tuple[Sent, WorkerMetrics]:
    none = {name: 0.0 for name in type(Settings().sampling).model_fields if name.endswith("_rate")}
    settings = Settings.model_validate({"sampling": {**none, **sampling}})
    ledger, sent, metrics = Ledger(), Sent(), WorkerMetrics()
    found = [
        Found(ledger.open(("rag.traces", 0), at), None, Provenance("rag.traces", 0, at, AT), one.trace)  # type: ignore[arg-type]
        for at, one in enumerate(traces)
    ]
    publisher = Publisher(settings, sent, SimpleNamespace(bury=None), metrics, now=lambda: AT)  # type: ignore[arg-type]
    publisher.publish(found, traces, others)
    return sent, metrics


def funnel(metrics: WorkerMetrics) -> dict[tuple[str, str], float]:
    return {
        (sample.labels["stage"], sample.labels["reason"]): sample.value
        for family in metrics.judge_funnel.collect()
        for sample in family.samples
        if sample.name.endswith("_total")
    }


def test_each_trace_is_counted_as_far_as_it_came() -> None:
    traces = [judged(f"t-{at}") for at in range(200)]
    traces += [judged("mute", answer=None), judged("secret", tenant="secret")]
    rules = [{"tenant": "secret", "rate": 0.0, "excluded": True}]
    sent, metrics = publish(traces, base_rate=1.0, per_minute=60, rules=rules)
    counts = funnel(metrics)
    selected = len(sent.by_topic["rag.judge"])
    assert 30 <= selected <= 60
    assert counts == {
        ("seen", ""): 202,
        ("ineligible", "no_answer"): 1,
        ("ineligible", "excluded"): 1,
        ("eligible", ""): 200,
        ("selected", ""): selected,
        ("capped", ""): 200 - selected,
    }


def test_what_is_stored_and_what_the_judges_get_say_the_same_of_the_draw() -> None:
    sent, _ = publish([judged(f"t-{at}", Failure.HALLUCINATION) for at in range(100)], suspected_rate=0.5)
    rows = {row["trace_id"]: row for row in sent.by_topic["rag.scored"]}
    assert len(rows) == 100
    chosen = {message["trace"]["trace_id"]: message["sample"] for message in sent.by_topic["rag.judge"]}
    assert {name for name, row in rows.items() if row["sampled"]} == chosen.keys()
    for name, sample in chosen.items():
        assert sample == {
            "probability": rows[name]["sample_probability"],
            "reasons": rows[name]["sample_reasons"],
        }


def test_a_dispute_among_scorers_is_known_before_the_draw() -> None:
    traces = [judged("agreed"), judged("disputed")]
    other = [Other(judged("x", Failure.HALLUCINATION))]
    sent, metrics = publish(traces, {1: other}, disagreement_rate=1.0)
    (message,) = sent.by_topic["rag.judge"]
    assert message["trace"]["trace_id"] == "disputed"
    assert message["sample"] == {"probability": 1.0, "reasons": ["disagreement"]}
    assert metrics.sampled.labels("disagreement")._value.get() == 1
