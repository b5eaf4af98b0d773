"""The sink on a real broker and a real engine."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.engine import EmbeddedEngine
from stream.settings import Settings
from tests.support import kafka
from tests.support.rows import feedback_line, trace_line, trace_values
from tests.support.sink import Counts, SinkProcess, publish_rows, running_sink, sink_settings, wait_for_rows

pytestmark = [pytest.mark.engine, pytest.mark.broker]


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


@pytest.fixture
def settings(embedded_broker: EmbeddedBroker, store: ClickHouse, dsn: str) -> Settings:
    return sink_settings(embedded_broker.address, dsn)


@pytest.fixture
def any_settings(broker: str, store: ClickHouse, dsn: str) -> Settings:
    """Once on the embedded broker and once on Apache Kafka."""
    return sink_settings(broker, dsn)


def lines(start: int, stop: int) -> list[bytes]:
    return [trace_line(f"t-{number}") for number in range(start, stop)]


def dead_letters(settings: Settings) -> list[tuple[str, bytes | None]]:
    """Reason and original bytes of each dead letter on the topic."""
    found = []
    for message in kafka.read_all(settings.kafka.brokers, settings.kafka.topic(topics.DEAD)):
        found.append((kafka.headers_of(message)[topics.DEAD_REASON].decode(), message.value()))
    return found


def test_rows_land_in_the_table_that_their_header_names(any_settings: Settings, store: ClickHouse) -> None:
    with running_sink(any_settings) as sink:
        publish_rows(any_settings, lines(0, 700), table="traces")
        publish_rows(any_settings, lines(700, 800))
        publish_rows(any_settings, [feedback_line("t-5", -1)], table="feedback")
        sink.wait_for("ragpulse_rows_inserted_total", 800, table="traces")
        sink.wait_for("ragpulse_rows_inserted_total", 1, table="feedback")
        assert sink.health.ready()[0]
    counts = Counts(store)
    assert (counts.raw, counts.final, counts.distinct) == (800, 800, 800)
    assert store.query("SELECT trace_id FROM traces_with_feedback WHERE feedback_rating = -1") == [
        {"trace_id": "t-5"}
    ]
    assert store.query("SELECT sum(traces) AS n FROM minute_rates") == [{"n": 800}]


def test_a_second_sink_finds_nothing_to_do_again(settings: Settings, store: ClickHouse) -> None:
    publish_rows(settings, lines(0, 300))
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 300)
    publish_rows(settings, lines(300, 310))
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 10)
        assert sink.count("ragpulse_messages_received_total") == 10
    assert Counts(store).raw == 310


def test_one_bad_row_is_set_aside_and_all_others_land(settings: Settings, store: ClickHouse) -> None:
    bad = trace_line("bad", timestamp="yesterday")
    publish_rows(settings, [*lines(0, 90), bad, *lines(90, 200)])
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 200)
        sink.wait_for("ragpulse_rows_inserted_total", 1, table="dead_letters")
    assert dead_letters(settings) == [("rejected_by_clickhouse", bad)]
    assert Counts(store).final == 200
    (letter,) = store.query("SELECT reason, detail, topic, by, size FROM dead_letters FINAL")
    assert letter["by"] == "sink"
    assert letter["size"] == len(bad)
    assert letter["topic"] == settings.kafka.topic(topics.SCORED)
    assert "timestamp" in letter["detail"]


NO_ROWS: list[tuple[bytes, str | None, str]] = [
    (b"", None, "rejected_by_clickhouse"),
    (b"not json", None, "rejected_by_clickhouse"),
    (b'{"trace_id":"x"', None, "rejected_by_clickhouse"),
    (b"[1,2]", None, "rejected_by_clickhouse"),
    (b'{"trace_id":{"a":1},"faithfulness":"high"}', None, "rejected_by_clickhouse"),
    (b'{"trace_id":"\xff\xfe","scored_at":"\xc0"}', None, "rejected_by_clickhouse"),
    (b'{"trace_id":"x"}', "secrets", "unknown_table"),
    (b'{"rating":1}', "traces; DROP TABLE traces", "unknown_table"),
]


def test_what_is_no_row_is_set_aside_with_its_bytes(settings: Settings, store: ClickHouse) -> None:
    for value, table, _ in NO_ROWS:
        publish_rows(settings, [value], table=table)
    publish_rows(settings, lines(0, 5))
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 5, table="traces")
        sink.wait_for("ragpulse_rows_inserted_total", len(NO_ROWS), table="dead_letters")
    expected = sorted((reason, value) for value, _, reason in NO_ROWS)
    assert sorted((reason, value or b"") for reason, value in dead_letters(settings)) == expected
    assert Counts(store).final == 5


def test_many_bad_rows_are_all_found(settings: Settings, store: ClickHouse) -> None:
    mixed = [
        trace_line(f"t-{number}", **({"scored_at": "never"} if number % 7 == 0 else {}))
        for number in range(140)
    ]
    publish_rows(settings, mixed)
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 120, table="traces")
        sink.wait_for("ragpulse_dead_letters_total", 20)
    assert Counts(store).final == 120
    assert len(dead_letters(settings)) == 20


def test_a_very_large_row_lands_among_small_ones(settings: Settings, store: ClickHouse) -> None:
    large = trace_line("large", chunks="🀄" * 2_500_000)
    publish_rows(settings, [*lines(0, 20), large, *lines(20, 40)])
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 41)
    assert store.query("SELECT lengthUTF8(chunks) AS n FROM traces WHERE trace_id = 'large'") == [
        {"n": 2_500_000}
    ]


def test_a_table_that_changed_under_us_blames_no_row(settings: Settings, store: ClickHouse) -> None:
    store.command("ALTER TABLE traces MODIFY COLUMN coverage Float64")
    publish_rows(settings, lines(0, 50))
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_insert_failures_total", 2, kind="SinkMisconfigured")
        assert not sink.health.ready()[0]
        assert sink.count("ragpulse_dead_letters_total") == 0
        store.command("ALTER TABLE traces MODIFY COLUMN coverage String")
        sink.wait_for("ragpulse_rows_inserted_total", 50)
        assert sink.health.ready()[0]
    assert Counts(store).raw == 50


def test_a_missing_table_is_waited_for(settings: Settings, store: ClickHouse) -> None:
    store.command("RENAME TABLE traces TO elsewhere")
    publish_rows(settings, lines(0, 50))
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_insert_failures_total", 2, kind="SinkMisconfigured")
        store.command("RENAME TABLE elsewhere TO traces")
        sink.wait_for("ragpulse_rows_inserted_total", 50)
    assert Counts(store).raw == 50


def test_columns_that_the_table_lacks_are_left_out_and_counted(settings: Settings, store: ClickHouse) -> None:
    publish_rows(settings, [json.dumps(trace_values("t") | {"from_the_future": 1}).encode()])
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 1)
        assert sink.count("ragpulse_columns_left_out_total", table="traces", column="from_the_future") == 1
    assert Counts(store).final == 1


def test_verdicts_land_in_their_table(settings: Settings, store: ClickHouse) -> None:
    verdict = {
        "trace_id": "t-1",
        "judge": "panel",
        "model": "m",
        "rubric": "faithfulness",
        "rubric_version": "3",
        "failure": "hallucination",
        "hallucination": 0.9,
        "created_at": "2026-11-30 12:00:00.000",
    }
    publish_rows(settings, [json.dumps(verdict).encode()] * 2, topic=topics.VERDICTS)
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 2, table="verdicts")
    assert store.query("SELECT judge, failure FROM verdicts FINAL") == [
        {"judge": "panel", "failure": "hallucination"}
    ]


def test_a_dead_letter_without_facts_is_counted_and_starts_no_chain(
    settings: Settings, store: ClickHouse
) -> None:
    publish_rows(settings, [b"\xff\x00 anything"], topic=topics.DEAD)
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 1, table="dead_letters")
        time.sleep(0.3)
        assert sink.count("ragpulse_dead_letters_total") == 0
    assert store.query("SELECT count() AS n FROM dead_letters FINAL") == [{"n": 1}]


def test_a_stop_while_the_store_is_away_ends_in_time_and_loses_nothing(
    embedded_broker: EmbeddedBroker, killable_engine: EmbeddedEngine
) -> None:
    settings = sink_settings(embedded_broker.address, killable_engine.dsn, stop_budget_s=1.0)
    migrate(connect(killable_engine.dsn))
    killable_engine.stop()
    publish_rows(settings, lines(0, 100))
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_insert_failures_total", 1)
    killable_engine.start()
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 100)
    assert wait_for_rows(settings, 100).final == 100


def test_an_engine_that_refuses_for_twenty_seconds_costs_no_row(
    embedded_broker: EmbeddedBroker, killable_engine: EmbeddedEngine
) -> None:
    settings = sink_settings(embedded_broker.address, killable_engine.dsn, batch_rows=200)
    migrate(connect(killable_engine.dsn))
    with running_sink(settings) as sink:
        publish_rows(settings, lines(0, 1000))
        sink.wait_for("ragpulse_rows_inserted_total", 500)
        killable_engine.kill()
        until = time.monotonic() + 20.0
        published = 1000
        while time.monotonic() < until:
            publish_rows(settings, lines(published, published + 250))
            published += 250
            assert sink.health.alive()[0]
            time.sleep(0.5)
        assert not sink.health.ready()[0]
        assert sink.count("ragpulse_in_flight_messages") <= 2 * 200 + 1
        killable_engine.start()
        sink.wait_for("ragpulse_rows_inserted_total", published)
        assert sink.count("ragpulse_dead_letters_total") == 0
    counts = wait_for_rows(settings, published)
    assert (counts.final, counts.distinct) == (published, published)
    store = connect(killable_engine.dsn)
    assert store.query("SELECT sum(traces) AS n FROM minute_rates") == [{"n": published}]


KILLED_BEFORE_COMMIT = """
import os, signal, sys
from stream.settings import Settings
from stream.sink import run_sink
from stream.sink.inserter import Inserter
store = Inserter._store
def store_and_die(self, table, items):
    done = store(self, table, items)
    os.kill(os.getpid(), signal.SIGKILL)
    return done
Inserter._store = store_and_die
sys.exit(run_sink(Settings()))
"""


def test_a_sink_killed_between_insert_and_commit_doubles_nothing(
    settings: Settings, store: ClickHouse, tmp_path: Path
) -> None:
    publish_rows(settings, lines(0, 1200))
    doomed = SinkProcess(settings, tmp_path, program=KILLED_BEFORE_COMMIT)
    assert doomed.process.wait(60) == -9
    assert Counts(store).raw > 0
    with running_sink(settings) as sink:
        wait_for_rows(settings, 1200)
        sink.wait_for("ragpulse_messages_received_total", 1200)
    counts = Counts(store)
    assert (counts.final, counts.distinct) == (1200, 1200)
    assert store.query("SELECT sum(traces) AS n FROM minute_rates") == [{"n": 1200}]


def test_two_sinks_share_the_work_and_one_may_die(
    any_settings: Settings, store: ClickHouse, tmp_path: Path
) -> None:
    processes = [SinkProcess(any_settings, tmp_path, f"sink{number}") for number in range(2)]
    publish_rows(any_settings, lines(0, 3000))
    wait_for_rows(any_settings, 1)
    processes[0].kill()
    publish_rows(any_settings, lines(3000, 5000))
    wait_for_rows(any_settings, 5000)
    assert processes[1].terminate() == 0
    counts = Counts(store)
    assert (counts.final, counts.distinct) == (5000, 5000)
    assert store.query("SELECT sum(traces) AS n FROM minute_rates") == [{"n": 5000}]
