"""The judge lane over a real broker: what arrives is judged, delivered, and only then acknowledged."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter

import orjson
import pytest

from judges.llm.asking import JudgeFailed, Reason
from schemas.trace import Trace
from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.judging.compose import ENDPOINT
from stream.judging.patience import AWAY
from tests.support.judging import (
    Said,
    agreeable,
    dead_on,
    opinion,
    publish_sampled,
    running_lane,
    sampled_json,
    stub_bench,
    verdicts_on,
)
from tests.support.kafka import committed, isolated_settings, publish, read_all, wait_until_committed
from tests.support.worker import names


def test_every_sampled_trace_becomes_a_verdict_and_is_committed_behind_it(broker: str) -> None:
    settings = isolated_settings(broker)
    ids = names(40)
    publish_sampled(settings, ids)
    with running_lane(settings, stub_bench(agreeable())) as lane:
        rows = verdicts_on(settings, 40)
        lane.wait_for("ragpulse_judge_funnel_total", 40, stage="judged")
    assert {row["trace_id"] for row in rows} == set(ids)
    assert {(row["sample_probability"], row["failure"], row["judge"]) for row in rows} == {
        (0.5, "healthy", "stub")
    }
    assert sum(committed(settings, "judge").values()) == 40


def test_messages_are_read_whatever_they_were_compressed_with(broker: str) -> None:
    settings = isolated_settings(broker)
    topic = settings.kafka.topic(topics.JUDGE)
    ids = ["gzip", "snappy", "lz4", "zstd"]
    for name in ids:
        publish(broker, topic, [sampled_json(name)], keys=[name], compression=name)
    with running_lane(settings, stub_bench(agreeable())):
        assert {row["trace_id"] for row in verdicts_on(settings, 4)} == set(ids)


def test_what_cannot_be_read_is_kept_with_its_reason_and_its_bytes(broker: str) -> None:
    settings = isolated_settings(broker)
    topic = settings.kafka.topic(topics.JUDGE)
    publish(broker, topic, [b"{not json", b'{"trace":{}}', sampled_json("good")], keys=["a", "b", "c"])
    with running_lane(settings, stub_bench(agreeable())):
        found = dead_on(settings, 2)
        assert [row["trace_id"] for row in verdicts_on(settings, 1)] == ["good"]
    assert {(one.reason, one.by, one.value, one.topic) for one in found} == {
        ("not_json", "judge", b"{not json", topic),
        ("wrong_shape", "judge", b'{"trace":{}}', topic),
    }


def test_each_way_of_not_being_judged_is_a_row_or_a_dead_letter_with_its_reason(broker: str) -> None:
    settings = isolated_settings(broker)

    async def opine(trace: Trace, scores: object) -> Said:
        if trace.trace_id == "bug":
            raise ZeroDivisionError("ours")
        raise JudgeFailed(Reason(trace.trace_id), "because")

    reasons = sorted(reason.value for reason in set(Reason) - AWAY)
    publish_sampled(settings, [*reasons, "bug"])
    as_rows = {"over_budget", "too_long", "not_judgeable"}
    with running_lane(settings, stub_bench(opine)) as lane:
        rows = verdicts_on(settings, len(as_rows))
        found = dead_on(settings, len(reasons) + 1 - len(as_rows))
        lane.wait_for("ragpulse_judge_funnel_total", 1, stage="over_budget")
    assert {(row["trace_id"], row["error"], row["error_detail"]) for row in rows} == {
        (name, name, "because") for name in as_rows
    }
    keys = {(one.key or b"").decode(): one.reason for one in found}
    assert keys == {name: name for name in set(reasons) - as_rows} | {"bug": "judge_error"}
    assert all(one.value == sampled_json((one.key or b"").decode()) for one in found)
    assert sum(committed(settings, "judge").values()) == len(reasons) + 1


async def divided(trace: Trace, scores: object) -> Said:
    """Two judges that cannot agree, and a third that is too slow."""
    one, two, both = opinion(), opinion(failure="hallucination"), opinion(failure_confidence=0.5)
    one.judge, two.judge, both.judge = "a", "b", "panel"
    return Said(both, [one, two], 1.0, {"c": JudgeFailed(Reason.TIMEOUT, "too slow")})


def test_a_panel_gives_its_verdict_and_what_each_member_said(broker: str) -> None:
    settings = isolated_settings(broker)
    publish_sampled(settings, ["t"])
    with running_lane(settings, stub_bench(divided)) as lane:
        lane.wait_for("ragpulse_delivered_total", 3)
    rows = read_all(broker, settings.kafka.topic(topics.VERDICTS))
    said = {(row["judge"], row["role"]): row for row in (orjson.loads(m.value() or b"") for m in rows)}
    assert said.keys() == {("a", "opinion"), ("b", "opinion"), ("panel", "verdict")}
    assert said["panel", "verdict"]["disagreement"] == 1.0
    assert said["panel", "verdict"]["failed"] == {"c": "timeout"}
    assert read_all(broker, settings.kafka.topic(topics.ANNOTATION)) == []


@pytest.mark.broker
def test_what_judges_cannot_agree_on_is_put_before_people(embedded_broker: EmbeddedBroker) -> None:
    settings = isolated_settings(embedded_broker.address)
    publish_sampled(settings, ["t"])
    with running_lane(settings, stub_bench(divided), annotate_from=0.5) as lane:
        lane.wait_for("ragpulse_judge_annotated_total", 1)
    (message,) = read_all(embedded_broker.address, settings.kafka.topic(topics.ANNOTATION))
    case = orjson.loads(message.value() or b"")
    assert case["trace"]["trace_id"] == "t"
    assert case["reason"] == "judges_disagree"
    assert case["sample"] == {"probability": 0.5, "reasons": ["control"]}
    assert {row["judge"] for row in case["verdicts"]} == {"a", "b", "panel"}


@pytest.mark.broker
def test_a_message_that_is_too_long_for_its_topic_is_cut_and_not_lost(
    embedded_broker: EmbeddedBroker,
) -> None:
    settings = isolated_settings(embedded_broker.address, kafka={"max_message_bytes": 20_000})

    async def opine(trace: Trace, scores: object) -> Said:
        if trace.trace_id == "fails":
            raise JudgeFailed(Reason.REFUSED, "no")
        return Said(opinion(rationale="long " * 10_000))

    publish_sampled(settings, ["talks"])
    publish_sampled(settings, ["fails"], extra={"x": "long " * 10_000})
    with running_lane(settings, stub_bench(opine)) as lane:
        (row,) = verdicts_on(settings, 1)
        (letter,) = dead_on(settings, 1)
        lane.wait_for("ragpulse_outputs_cut_total", 2)
    assert row["trace_id"] == "talks"
    assert 0 < len(row["rationale"]) < 20_000
    assert letter.cut
    assert letter.size > 50_000


def test_while_the_endpoint_is_away_traces_wait_and_nothing_is_given_up(broker: str) -> None:
    settings = isolated_settings(broker)
    back = threading.Event()

    async def opine(trace: Trace, scores: object) -> Said:
        if not back.is_set():
            raise JudgeFailed(Reason.CIRCUIT_OPEN, "broken", retry_after_s=0.01)
        return Said(opinion())

    publish_sampled(settings, names(10))
    with running_lane(settings, stub_bench(opine)) as lane:
        lane.wait_for("ragpulse_judge_waiting", 1, reason="circuit_open")
        until = time.monotonic() + 10
        while ENDPOINT not in lane.health.missing and time.monotonic() < until:
            time.sleep(0.02)
        assert ENDPOINT in lane.health.missing
        assert lane.health.alive()[0]
        assert read_all(broker, settings.kafka.topic(topics.DEAD)) == []
        back.set()
        assert len(verdicts_on(settings, 10)) == 10


def test_a_lane_that_is_stopped_finishes_what_it_can_and_the_next_one_does_the_rest(broker: str) -> None:
    settings = isolated_settings(broker, partitions=1)
    begun: Counter[str] = Counter()

    async def act(trace: Trace) -> None:
        begun[trace.trace_id] += 1
        await asyncio.sleep(0.3 if trace.trace_id.endswith("-0") else 600)

    ids = names(6)
    publish_sampled(settings, ids)
    with running_lane(settings, stub_bench(agreeable(act), 2), stop_budget_s=1.0) as lane:
        lane.wait_for("ragpulse_in_flight_messages", 2)
    assert committed(settings, "judge") == {(settings.kafka.topic(topics.JUDGE), 0): 1}
    with running_lane(settings, stub_bench(agreeable())):
        assert {row["trace_id"] for row in verdicts_on(settings, 6)} == set(ids)
    assert begun[ids[5]] == 0


def test_two_lanes_divide_the_partitions_and_lose_nothing_when_one_leaves(broker: str) -> None:
    settings = isolated_settings(broker, partitions=4)

    async def act(trace: Trace) -> None:
        await asyncio.sleep(0.02)

    first, second = names(100), names(100)
    with running_lane(settings, stub_bench(agreeable(act))) as one:
        publish_sampled(settings, first)
        one.wait_for("ragpulse_judge_funnel_total", 20, stage="judged")
        with running_lane(settings, stub_bench(agreeable(act))) as two:
            two.wait_for("ragpulse_assigned_partitions", 1)
            publish_sampled(settings, second)
            two.wait_for("ragpulse_judge_funnel_total", 5, stage="judged")
        got = verdicts_on(settings, 200)
        wait_until_committed(settings, "judge", 200)  # what the second lane gave back is judged once more
    assert {row["trace_id"] for row in got} == {*first, *second}
    assert sum(committed(settings, "judge").values()) == 200
