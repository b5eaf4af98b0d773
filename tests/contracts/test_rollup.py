"""The minute rollups stay level with the traces, whatever happens to the inserts."""

from __future__ import annotations

import random
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.rollup import compute, roll_up
from tests.support.rows import feedback_line, trace_line

pytestmark = pytest.mark.engine

FAILURES = (
    "healthy",
    "system_error",
    "rewrite_failure",
    "empty_recall",
    "poor_retrieval",
    "over_refusal",
    "hallucination",
)


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


def line(number: int, **values: Any) -> bytes:
    """Traces over three minutes, three apps and every failure class; every fourth is not measured."""
    faithfulness = None if number % 4 == 0 else number % 8 / 8
    columns: dict[str, Any] = {
        "timestamp": f"2026-11-30 12:{number % 3:02}:{number % 60:02}.000",
        "app": f"app{number % 3}" if number % 5 else "",
        "release_prompt": f"p{number % 2}",
        "failure": FAILURES[number % 7],
        "quadrant": "honest" if number % 2 else "over_refused",
        "refusal": number % 3 == 0,
        "parametric_leak": number % 11 == 0,
        "faithfulness": faithfulness,
        "coverage": "full" if faithfulness is not None else "no_context",
        "feedback_rating": 1 if number % 10 == 0 else None,
    }
    return trace_line(f"t-{number}", **columns | values)


def insert(store: ClickHouse, lines: Iterable[bytes], table: str = "traces") -> None:
    store.insert_raw(table, b"\n".join(lines))


def rates(store: ClickHouse) -> dict[str, Any]:
    (row,) = store.query(
        "SELECT sum(traces) AS traces, sum(healthy) AS healthy, sum(healthy_unseen) AS unseen, "
        "sum(hallucinated) AS hallucinated, "
        "sum(refusals) AS refused, sum(correct_refusals) AS rightly_refused, sum(parametric_leaks) AS leaks, "
        "sum(faithfulness_measured) AS measured, sum(faithfulness_sum) AS supported, "
        "sumMap(coverage) AS by_coverage, sum(thumbs_up) AS up, sum(thumbs_down) AS down FROM minute_rates"
    )
    return row


def truth(store: ClickHouse) -> dict[str, Any]:
    (row,) = store.query(
        "SELECT count() AS traces, countIf(failure = 'healthy') AS healthy, "
        "countIf(failure = 'healthy' AND coverage = 'no_context') AS unseen, "
        "countIf(failure = 'hallucination') AS hallucinated, countIf(refusal) AS refused, "
        "countIf(refusal AND quadrant = 'honest') AS rightly_refused, countIf(parametric_leak) AS leaks, "
        "count(faithfulness) AS measured, sum(faithfulness) AS supported, "
        "sumMap(map(coverage, toUInt64(1))) AS by_coverage, countIf(feedback_rating > 0) AS up, "
        "countIf(feedback_rating < 0) AS down FROM traces_with_feedback"
    )
    return row


def assert_level(store: ClickHouse, traces: int) -> None:
    assert rates(store) == truth(store)
    assert rates(store)["traces"] == traces


def test_counts_and_sums_are_those_of_the_traces(store: ClickHouse) -> None:
    insert(store, map(line, range(200)))
    roll_up(store)
    assert_level(store, 200)
    groups = store.query(
        "SELECT minute, app, release_prompt, sum(traces) AS traces FROM minute_rates GROUP BY ALL"
    )
    assert len(groups) == 12
    assert all(row["app"] in ("", "app0", "app1", "app2") for row in groups)


def test_a_batch_inserted_twice_counts_once(store: ClickHouse) -> None:
    for _ in range(2):
        insert(store, map(line, range(100)))
        roll_up(store)
    assert_level(store, 100)


def test_other_cuts_and_another_order_count_once(store: ClickHouse) -> None:
    numbers = list(range(120))
    insert(store, map(line, numbers))
    random.Random(7).shuffle(numbers)
    for start in range(0, 120, 17):
        insert(store, map(line, numbers[start : start + 17]))
        roll_up(store)
    assert_level(store, 120)


def test_a_row_that_comes_late_is_counted_in_its_minute(store: ClickHouse) -> None:
    insert(store, map(line, range(30)))
    roll_up(store)
    insert(store, [line(1000, timestamp="2026-11-29 03:00:00.000")])
    roll_up(store)
    assert_level(store, 31)


def test_feedback_that_comes_late_is_counted_in_its_traces_minute(store: ClickHouse) -> None:
    insert(store, map(line, range(30)))
    roll_up(store)
    insert(
        store, [feedback_line("t-3", -1), feedback_line("t-10", -1), feedback_line("unknown", 1)], "feedback"
    )
    roll_up(store)
    assert_level(store, 30)
    assert (rates(store)["up"], rates(store)["down"]) == (2, 2)


def test_feedback_that_comes_first_is_counted_with_its_trace(store: ClickHouse) -> None:
    insert(store, [feedback_line("t-3", -1)], "feedback")
    roll_up(store)
    insert(store, [line(3)])
    roll_up(store)
    assert rates(store)["down"] == 1


def test_a_group_that_is_empty_after_scoring_anew_disappears(store: ClickHouse) -> None:
    insert(store, [line(1, language="en"), line(2, language="en")])
    roll_up(store)
    insert(store, [line(n, language="zh", scored_at="2026-11-30 13:00:00.000") for n in (1, 2)])
    roll_up(store)
    assert_level(store, 2)
    assert store.query("SELECT DISTINCT language FROM minute_rates") == [{"language": "zh"}]


def test_a_minute_that_is_empty_afterwards_disappears(store: ClickHouse) -> None:
    insert(store, [line(1, timestamp="2026-11-30 12:00:59.900")])
    roll_up(store)
    insert(store, [line(1, timestamp="2026-11-30 12:01:00.100", scored_at="2026-11-30 13:00:00.000")])
    roll_up(store)
    assert_level(store, 1)


def test_a_trace_that_comes_again_long_after_leaves_the_minute_it_was_in(store: ClickHouse) -> None:
    insert(store, [line(1, timestamp="2026-11-30 12:05:00.000")])
    roll_up(store, slack_s=0)
    insert(store, [line(1, timestamp="2026-11-30 12:45:00.000", scored_at="2026-11-30 13:00:00.000")])
    roll_up(store, slack_s=0)
    assert_level(store, 1)


def test_a_trace_whose_old_row_was_merged_away_leaves_its_minute_too(store: ClickHouse) -> None:
    others = [line(n, timestamp="2026-11-30 12:05:30.000") for n in range(2, 9)]
    insert(store, [line(1, timestamp="2026-11-30 12:05:00.000"), *others])
    roll_up(store, slack_s=0)
    insert(store, [line(1, timestamp="2026-11-30 12:45:00.000", scored_at="2026-11-30 13:00:00.000")])
    store.command("OPTIMIZE TABLE traces FINAL")
    roll_up(store, slack_s=0, departures_every_s=3600)
    assert rates(store)["traces"] == 9, "it is not time to look yet"
    roll_up(store, slack_s=0, departures_every_s=0)
    assert_level(store, 8)
    assert roll_up(store, slack_s=0, departures_every_s=0).minutes == 0


def test_a_crash_between_insert_and_rollup_is_made_good_at_the_next_start(store: ClickHouse) -> None:
    insert(store, map(line, range(10)))
    roll_up(store)
    insert(store, map(line, range(10, 40)))
    # Here the sink died. Another one starts and goes on from the stored watermark.
    assert roll_up(store).minutes == 3
    assert_level(store, 40)


def test_a_crash_halfway_through_a_rollup_is_made_good(
    store: ClickHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert(store, map(line, range(10)))
    roll_up(store)
    insert(store, map(line, range(10, 40)))
    with monkeypatch.context() as patched:
        patched.setattr("sinks.clickhouse.rollup._remember", interrupt)
        with pytest.raises(KeyboardInterrupt):
            roll_up(store, slack_s=0)
    assert roll_up(store, slack_s=0).minutes == 3
    assert_level(store, 40)


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_two_sinks_at_once_count_once(store: ClickHouse, dsn: str) -> None:
    def work(number: int) -> None:
        own = connect(dsn)
        for start in range(0, 60, 20):
            insert(own, map(line, range(start, start + 20)))
            insert(own, [feedback_line(f"t-{start + number}", -1)], "feedback")
            roll_up(own)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    roll_up(store)
    assert_level(store, 60)


def test_a_computation_seen_halfway_shows_whole_minutes(store: ClickHouse) -> None:
    """Old numbers or new ones, and never a mixture, while the same minutes are computed again and again."""
    insert(store, map(line, range(90)))
    roll_up(store)
    minutes = [
        row["m"] for row in store.query("SELECT DISTINCT toUnixTimestamp(minute) AS m FROM minute_rates")
    ]

    def compute_often() -> None:
        for _ in range(10):
            compute(connect_again(store), minutes)

    with ThreadPoolExecutor(1) as pool:
        computing = pool.submit(compute_often)
        seen = {rates(store)["traces"]}
        while not computing.done():
            seen.add(rates(store)["traces"])
    assert seen == {90}


def connect_again(store: ClickHouse) -> ClickHouse:
    return connect(store.address)


def test_a_sink_leaves_it_to_another_that_has_just_done_it(store: ClickHouse) -> None:
    insert(store, [line(1)])
    assert not roll_up(store, at_most_every_s=3600).skipped
    insert(store, [line(2)])
    assert roll_up(store, at_most_every_s=3600).skipped
    roll_up(store)
    assert_level(store, 2)


def test_absurd_measures_spoil_no_sum(store: ClickHouse) -> None:
    insert(store, [line(1, generation_latency_ms=1e300, cost_usd=-1e300, input_tokens=2**62), line(4)])
    insert(store, [line(7, generation_latency_ms=250.0, cost_usd=0.5, input_tokens=10)])
    roll_up(store)
    assert store.query(
        "SELECT sum(generation_latency_ms_sum) AS ms, sum(cost_usd_sum) AS usd, "
        "sum(input_tokens_sum) AS tokens FROM minute_rates"
    ) == [{"ms": 250.0, "usd": 0.5, "tokens": 10}]


def in_hours(store: ClickHouse, view: str) -> list[dict[str, Any]]:
    """All counts by hour, app and release."""
    return store.query(
        "SELECT toStartOfHour(m) AS hour, app, release_prompt, sum(traces) AS traces, "
        "sum(healthy) AS healthy, sum(hallucinated) AS hallucinated, "
        "sum(faithfulness_sum) AS supported, sumMap(coverage) AS by_coverage, "
        "sum(eligible) AS eligible, sum(expected_samples) AS expected, sumMap(retrieval_states) AS states, "
        "sumMap(retrieval_latency) AS latency, sum(chunks_sum) AS chunks "
        f"FROM (SELECT *, minute AS m FROM {view}) GROUP BY ALL ORDER BY ALL"
    )


def test_hours_say_the_same_as_their_minutes_also_when_traces_come_late(store: ClickHouse) -> None:
    hours = ("10", "11", "12")
    lines = [
        line(
            number,
            timestamp=f"2026-11-30 {hours[number % 3]}:{number % 7:02}:00.000",
            retrieval_latency_ms=10.0 * number,
            chunk_count=number % 6,
        )
        for number in range(300)
    ]
    for some in (lines[:200], lines[150:]):
        insert(store, some)
        roll_up(store, hours_every_s=0)
        assert in_hours(store, "hour_rates") == in_hours(store, "minute_rates")
    (row,) = store.query("SELECT sum(traces) AS n, uniqExact(minute) AS hours FROM hour_rates")
    assert row == {"n": 300, "hours": 3}


def test_hours_are_computed_no_more_often_than_wanted(store: ClickHouse) -> None:
    insert(store, map(line, range(50)))
    roll_up(store, hours_every_s=60)
    insert(store, map(line, range(50, 80)))
    roll_up(store, hours_every_s=60)
    assert store.query("SELECT sum(traces) AS n FROM hour_rates") == [{"n": 50}]
    roll_up(store, hours_every_s=0)
    assert store.query("SELECT sum(traces) AS n FROM hour_rates") == [{"n": 80}]


def test_what_is_counted_of_searches_and_samples_is_what_the_traces_say(store: ClickHouse) -> None:
    evidence = '[{"chunk_id":"a"},{"chunk_id":"a"},{"chunk_id":"b"},{"chunk_id":null}]'
    chosen = {"sample_probability": 0.5, "sampled": True, "sample_reasons": ["control"]}
    searched = {
        "retrieval_state": "recorded",
        "retrieval_latency_ms": 100.0,
        "chunk_count": 4,
        "evidence": evidence,
    }
    gold = {"hit_at_k": 1.0, "mrr": 0.5, "recall_at_k": 0.25, "ndcg": 0.75}
    insert(store, [
        line(1, **chosen, **searched, **gold),
        line(2, sample_probability=0.0, sampled=False, sample_reasons=["no_answer"], retrieval_state="empty"),
        line(3, sample_probability=0.1, sampled=False, sample_reasons=["capped"], retrieval_latency_ms=-3.0),
    ])  # fmt: skip
    roll_up(store)
    (row,) = store.query(
        "SELECT sum(eligible) AS eligible, sumMap(ineligible) AS ineligible, sum(capped) AS capped, "
        "sum(sampled) AS sampled, round(sum(expected_samples), 6) AS expected, "
        "sum(chunks_measured) AS searched, "
        "sum(chunks_sum) AS chunks, sum(evidence_chunks_sum) AS used, sum(gold_measured) AS gold, "
        "sum(mrr_sum) AS mrr, sum(ndcg_sum) AS ndcg, sumMap(retrieval_latency) AS latency FROM minute_rates"
    )
    assert row["eligible"] == 2
    assert row["ineligible"] == {"no_answer": 1}
    assert (row["capped"], row["sampled"], row["expected"]) == (1, 1, 0.6)
    assert (row["searched"], row["chunks"], row["used"]) == (1, 4, 2)
    assert (row["gold"], row["mrr"], row["ndcg"]) == (1, 0.5, 0.75)
    assert row["latency"] == {48: 1, -48: 1}
    assert 1.1**47.5 < 100 < 1.1**48.5
