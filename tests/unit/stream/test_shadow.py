"""The shadow by itself: whose offsets wait for it, and which traces it takes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson

from schemas.row import Provenance
from schemas.trace import Trace
from stream.kafka.ledger import Ledger
from stream.pipeline import judge_batch
from stream.sampling import CONTROL, draw, sampler
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.intake import Found
from stream.worker.shadow import Shadow
from tests.support.traces import StubScorer

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Recording:
    """As much of an output as the shadow sees: it counts on the slot, as the real one does."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, slot: Any, topic: str, value: bytes, key: bytes, headers: Any) -> None:
        slot.left += 1
        self.sent.append({"topic": topic, "key": key, "headers": headers, **orjson.loads(value)})


def found(ledger: Ledger, trace_id: str, offset: int) -> Found:
    slot = ledger.open(("rag.traces", 0), offset)
    trace = Trace(trace_id=trace_id, question="q", answer="a")
    return Found(slot, None, Provenance("rag.traces", 0, offset, AT), trace)  # type: ignore[arg-type]


def shadow(output: Recording, rate: float) -> Shadow:
    settings = Settings.model_validate({"scorer": {"shadow_rate": rate}})
    return Shadow(settings, output, WorkerMetrics(), lambda _: True, now=lambda: AT)  # type: ignore[arg-type]


def test_an_offset_waits_for_the_score_of_the_candidate_too() -> None:
    ledger, output = Ledger(), Recording()
    item = found(ledger, "t", 7)
    shadow(output, 1.0).score([item], StubScorer())
    ledger.settle(item.slot)  # its processing
    assert ledger.committable() == {}
    ledger.settle(item.slot)  # the confirmation
    assert ledger.committable() == {("rag.traces", 0): 8}


def test_a_rate_of_nothing_asks_the_candidate_nothing() -> None:
    ledger, output, candidate = Ledger(), Recording(), StubScorer()
    shadow(output, 0.0).score([found(ledger, f"t-{n}", n) for n in range(50)], candidate)
    assert output.sent == []
    assert candidate.batches == []


def test_traces_that_the_judges_see_at_random_are_the_first_to_be_shadowed() -> None:
    settings = Settings().sampling
    choose = sampler(settings, lambda: 0.0)
    traces = [Trace(trace_id=f"t-{number}", question="q", answer="a") for number in range(2_000)]
    for one in judge_batch(traces, StubScorer()):
        if CONTROL in choose(one).reasons:
            assert draw(one.trace.trace_id, settings.salt) < Settings().scorer.shadow_rate
