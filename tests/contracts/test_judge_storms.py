"""The lane with its real client, over real HTTP, before a server that misbehaves in every known way."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from judges.llm.asking import Reason
from stream import topics
from stream.endpoint import Health
from stream.judging.compose import ASSIGNED, ENDPOINT, run_lane
from stream.judging.counting import counting
from stream.judging.opening import open_bench
from stream.judging.patience import Patience
from stream.settings import Settings
from stream.telemetry.judge import JudgeMetrics
from tests.support.judging import JudgeProcess, dead_on, judge_settings, publish_sampled, verdicts_on
from tests.support.kafka import committed, read_all
from tests.support.running import Running
from tests.support.stand_in_llm import (
    BROKEN,
    MISBEHAVIOURS,
    REFUSAL,
    UNAUTHORIZED,
    WELL,
    Behaviour,
    StandIn,
    slowly,
    too_many,
)
from tests.support.worker import names

REASONS = {reason.value for reason in Reason}


class RealLane(Running):
    """The whole lane, judges included, in a thread."""

    def __init__(self, settings: Settings) -> None:
        self.metrics = JudgeMetrics()
        health = Health(ASSIGNED, ENDPOINT)
        super().__init__("judge", self.metrics, health)
        quick = Patience(first_s=0.05, max_s=0.2)

        async def judge(stop: Any) -> None:
            async with open_bench(settings.judge, quick, counting(self.metrics)) as bench:
                await run_lane(bench, settings.kafka, self.metrics, health, stop, stop_budget_s=5.0)

        self._body = lambda stop: asyncio.run(judge(stop))


@contextmanager
def real_lane(settings: Settings) -> Iterator[RealLane]:
    lane = RealLane(settings).start()
    try:
        yield lane
    finally:
        lane.stop()


def publish_numbered(settings: Settings, ids: list[str], **fields: Any) -> None:
    """One trace for each name, and no two alike: none is answered from the cache."""
    for one in ids:
        publish_sampled(settings, [one], question=f"Which NPU does board {one} have?", **fields)


@pytest.mark.broker
def test_every_request_ends_as_a_verdict_or_as_a_reason_that_is_counted(
    embedded_broker: Any, tmp_path: Path
) -> None:
    ids = names(60)
    kinds = [*MISBEHAVIOURS.values(), *([WELL] * 10)]

    def behave(body: dict[str, Any], number: int) -> Behaviour:
        return kinds[number % len(kinds)]

    with StandIn(behave=behave) as llm:
        settings = judge_settings(embedded_broker.address, llm, tmp_path, timeout_s=0.5, concurrency=8)
        publish_numbered(settings, ids)
        with real_lane(settings) as lane:
            lane.wait_for("ragpulse_publish_to_judged_seconds_count", 60, timeout_s=120)
    broker, topic = settings.kafka.brokers, settings.kafka.topic
    rows = [orjson.loads(m.value() or b"") for m in read_all(broker, topic(topics.VERDICTS))]
    dead = [(m.key() or b"").decode() for m in read_all(broker, topic(topics.DEAD))]
    assert Counter([row["trace_id"] for row in rows] + dead) == Counter(ids)
    judged = [row for row in rows if "error" not in row]
    assert lane.count("ragpulse_judge_funnel_total") == 60
    assert lane.count("ragpulse_judge_funnel_total", stage="judged") == len(judged)
    counted = lane.count("ragpulse_judge_requests_total")
    assert counted == llm.calls.total()
    known = REASONS | {"ok"}
    for family in lane.metrics.registry.collect():
        if family.name == "ragpulse_judge_requests":
            assert {sample.labels["outcome"] for sample in family.samples} <= known
    assert sum(committed(settings, "judge").values()) == 60


@pytest.mark.broker
def test_a_storm_of_429_and_500_passes_and_every_trace_is_judged(
    embedded_broker: Any, tmp_path: Path
) -> None:
    with StandIn() as llm:
        settings = judge_settings(embedded_broker.address, llm, tmp_path)
        llm.script(*([too_many(0.1), BROKEN] * 6))
        ids = names(20)
        publish_numbered(settings, ids)
        with real_lane(settings):
            rows = verdicts_on(settings, 20)
    assert {row["trace_id"] for row in rows} == set(ids)
    assert all(not row["not_measured"].get("failure") for row in rows)
    assert read_all(settings.kafka.brokers, settings.kafka.topic(topics.DEAD)) == []


@pytest.mark.broker
def test_a_key_that_is_refused_costs_no_trace_and_shows(embedded_broker: Any, tmp_path: Path) -> None:
    with StandIn(behave=lambda body, number: UNAUTHORIZED) as llm:
        settings = judge_settings(embedded_broker.address, llm, tmp_path)
        ids = names(10)
        publish_numbered(settings, ids)
        with real_lane(settings) as lane:
            lane.wait_for("ragpulse_judge_waiting", 1, reason="unauthorized")
            llm.behave = lambda body, number: WELL
            assert len(verdicts_on(settings, 10)) == 10
    assert read_all(settings.kafka.brokers, settings.kafka.topic(topics.DEAD)) == []


@pytest.mark.broker
def test_what_the_budget_does_not_allow_is_not_asked_and_leaves_a_row_that_says_so(
    embedded_broker: Any, tmp_path: Path
) -> None:
    budget = 40_000
    with StandIn(behave=lambda body, number: slowly(0.05)) as llm:
        settings = judge_settings(
            embedded_broker.address, llm, tmp_path, concurrency=50, budget_hourly_tokens=budget
        )
        publish_numbered(settings, names(60))
        with real_lane(settings) as lane:
            rows = verdicts_on(settings, 60)
            lane.wait_for("ragpulse_judge_funnel_total", 60)
    assert 0 < llm.input_tokens + llm.output_tokens <= budget
    errors = Counter(row.get("error") for row in rows)
    assert errors["over_budget"] > 0
    assert lane.count("ragpulse_judge_funnel_total", stage="over_budget") == errors["over_budget"]
    assert read_all(settings.kafka.brokers, settings.kafka.topic(topics.DEAD)) == []


@pytest.mark.broker
def test_a_message_that_comes_again_is_not_asked_again(embedded_broker: Any, tmp_path: Path) -> None:
    with StandIn() as llm:
        settings = judge_settings(embedded_broker.address, llm, tmp_path)
        ids = names(5)
        publish_numbered(settings, ids)
        publish_numbered(settings, ids)
        with real_lane(settings) as lane:
            lane.wait_for("ragpulse_judge_funnel_total", 10, stage="judged")
    assert llm.calls.total() == 2 * len(ids)
    rows = verdicts_on(settings, 5)
    assert len(rows) == 10
    assert {row["calls"] for row in rows[5:]} | {row["calls"] for row in rows[:5]} == {0, 2}


def test_the_process_stops_when_told_and_what_it_has_in_hand_is_delivered(
    broker: str, tmp_path: Path
) -> None:
    refused = "please refuse"

    def behave(body: dict[str, Any], number: int) -> Behaviour:
        return REFUSAL if refused in str(body["messages"]) else slowly(0.3)

    with StandIn(behave=behave) as llm:
        settings = judge_settings(broker, llm, tmp_path)
        publish_sampled(settings, ["no"], question=f"Could you {refused}?")
        process = JudgeProcess(settings, tmp_path)
        try:
            assert [letter.reason for letter in dead_on(settings, 1)] == ["refused"]
            ids = names(30)
            publish_numbered(settings, ids)
            some = verdicts_on(settings, 3)
            assert process.terminate() == 0, process.log.read_text()
        finally:
            process.kill()
        done = sum(committed(settings, "judge").values())
        delivered = {row["trace_id"] for row in verdicts_on(settings, len(some))}
    assert 3 <= done - 1 == len(delivered) < 30
    assert "Traceback" not in process.log.read_text()
