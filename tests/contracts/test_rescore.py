"""A past period under another scorer, on a real engine and a real broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from judges.distilled import load_scorer
from schemas.formats.own import decode
from schemas.row import Provenance, Sampling
from schemas.scored import Scorer
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream import topics
from stream.demo.traffic import Traffic
from stream.embedded.broker import EmbeddedBroker
from stream.pipeline import judge_batch
from stream.rescore.compare import compare
from stream.rescore.items import Account, Period
from stream.rescore.replayed import ReplayedTraces
from stream.rescore.run import rescore
from stream.rescore.stored import StoredTraces
from stream.settings import Settings
from stream.worker.cuts import cut_scored
from stream.worker.outputs import TO_TRACES, encode_judged
from tests.support.kafka import isolated_settings, publish
from tests.support.rows import trace_line
from tests.support.sink import running_sink, wait_for_rows
from tests.support.traces import StubScorer
from tests.support.weights import AT, damage, registry_of
from tests.support.worker import running_worker
from tests.unit.stream.cli.test_files_commands import run

pytestmark = pytest.mark.engine

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = Period(NOON - timedelta(hours=12), NOON + timedelta(hours=12))


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


def traffic(count: int, minutes: int = 0) -> list[Trace]:
    """Demo traffic of both languages, a second apart, from so many minutes after noon."""
    found = []
    for number, message in enumerate(Traffic(1).traces(count)):
        (trace,) = decode(message.value)
        assert isinstance(trace, Trace)
        at = NOON + timedelta(minutes=minutes, seconds=number)
        found.append(trace.model_copy(update={"timestamp": at}))
    return found


def rows_of(traces: Sequence[Trace], scorer: Scorer) -> list[bytes]:
    """Rows as the worker writes them."""
    return [
        encode_judged(one, Provenance("rag.traces", 0, number, NOON), Sampling(), NOON).row
        for number, one in enumerate(judge_batch(traces, scorer))
    ]


def fill(store: ClickHouse, traces: Sequence[Trace], scorer: Scorer | None = None) -> None:
    store.insert_raw("traces", b"\n".join(rows_of(traces, scorer or load_scorer("rules"))))


def go(
    store: ClickHouse, scorer: Scorer, period: Period = DAY, *, again: bool = False, stop_after: int = 10**9
) -> Account:
    """Rescore from the store; stopped once so many traces are done."""
    stop = threading.Event()

    def watch(account: Account) -> None:
        if account.rescored >= stop_after:
            stop.set()

    source = StoredTraces(store, period, scorer.version, again=again)
    return rescore(source, scorer, store, lambda: datetime.now(UTC), stop, watch)


def one(store: ClickHouse, question: str) -> Any:
    (row,) = store.query(question)
    (value,) = row.values()
    return value


TRACES_AS_THEY_ARE = "SELECT sum(cityHash64(tuple(*))) AS hash FROM traces"


def test_the_same_scorer_says_of_a_restored_trace_what_it_said_of_the_trace(store: ClickHouse) -> None:
    fill(store, traffic(300))
    before = one(store, TRACES_AS_THEY_ARE)
    account = go(store, load_scorer("rules"))
    assert (account.traces, account.rescored, account.failed) == (300, 300, 0)
    assert one(store, TRACES_AS_THEY_ARE) == before
    difference = compare(store, DAY, load_scorer("rules").version)
    assert (difference["compared"], difference["agreement"]) == (300, 1.0)
    assert difference["moved"] == {}
    assert {score["mean_change"] for score in difference["scores"].values()} == {0.0}
    assert len(difference["scores"]) == 6


def test_another_scorer_is_compared_with_what_was_said(store: ClickHouse) -> None:
    fill(store, traffic(120))
    stub = StubScorer()  # measures nothing: everything is healthy to it, but for what errors say
    go(store, stub)
    difference = compare(store, DAY, stub.version)
    assert difference["compared"] == 120
    assert 0 < difference["agreement"] < 1
    assert sum(difference["moved"].values()) == 120 - round(difference["agreement"] * 120)
    assert "hallucination → healthy" in difference["moved"]
    assert difference["scores"] == {}


def test_a_stopped_run_is_taken_up_where_it_was(store: ClickHouse) -> None:
    fill(store, traffic(500) + traffic(200, minutes=120))
    scorer = StubScorer()
    total = one(store, "SELECT count() FROM traces FINAL")
    first = go(store, scorer, stop_after=200)
    assert first.interrupted
    assert 200 <= first.rescored < total
    second = go(store, scorer)
    assert (second.already, second.rescored) == (first.rescored, total - first.rescored)
    assert one(store, "SELECT count() FROM scores") == total
    third = go(store, scorer)
    assert (third.already, third.rescored) == (total, 0)


def test_doing_it_again_replaces_what_was_there(store: ClickHouse) -> None:
    fill(store, traffic(50))
    scorer = StubScorer()
    go(store, scorer)
    assert go(store, scorer, again=True).rescored == 50
    assert one(store, "SELECT count() FROM scores FINAL") == 50


def test_only_traces_of_the_period_and_the_app_are_rescored(store: ClickHouse) -> None:
    for name, app, hours in (("a", "x", 0), ("b", "y", 0), ("c", "x", -2), ("d", "x", 2), ("e", "x", 1)):
        at = f"{NOON + timedelta(hours=hours):%F %T}.000"
        store.insert_raw("traces", trace_line(name, app=app, timestamp=at))
    go(store, StubScorer(), Period(NOON, NOON + timedelta(hours=2), "x"))
    assert {row["trace_id"] for row in store.query("SELECT trace_id FROM scores")} == {"a", "e"}


def test_traces_without_their_texts_are_counted_and_left_alone(store: ClickHouse) -> None:
    fill(store, traffic(10))
    long_gone = [trace_line(f"old-{n}", history="", question=None, answer=None) for n in range(3)]
    cut, _ = cut_scored(rows_of(traffic(11)[-1:], StubScorer())[0], TO_TRACES, 2_000)
    store.insert_raw("traces", b"\n".join([*long_gone, cut]))
    account = go(store, StubScorer())
    assert account.left_out == {"expired": 3, "cut": 1}
    assert (account.traces, account.rescored, account.done) == (14, 10, 14)


def test_a_trace_on_which_the_scorer_fails_is_counted_and_leaves_no_score(store: ClickHouse) -> None:
    store.insert_raw("traces", b"\n".join(trace_line(name) for name in ("good", "bad", "fine")))
    account = go(store, StubScorer(fails_on="bad"))
    assert (account.rescored, account.failed) == (2, 1)
    assert {row["trace_id"] for row in store.query("SELECT trace_id FROM scores")} == {"good", "fine"}


def test_long_traces_are_read_few_at_a_time(store: ClickHouse) -> None:
    long = b"x" * (6 * 1024 * 1024)
    lines = [trace_line(f"t-{n}", answer=long.decode()) for n in range(8)]
    for line in lines:
        store.insert_raw("traces", line)
    sizes = [len(batch) for batch in StoredTraces(store, DAY, "x").batches(Account())]
    assert sizes == [3, 3, 2]


# From the topics.


@pytest.mark.broker
def test_the_topic_gives_the_same_scores_as_the_store(embedded_broker: EmbeddedBroker, dsn: str) -> None:
    store = connect(dsn)
    migrate(store)
    settings = isolated_settings(embedded_broker.address, clickhouse={"dsn": dsn})
    bodies = [message.value for message in Traffic(3).traces(200)]
    topic = settings.kafka.topic(topics.TRACES)
    publish(embedded_broker.address, topic, [*bodies, b"{oops"])
    with running_worker(settings, load_scorer("rules")), running_sink(settings):
        wait_for_rows(settings, 200)
    store.insert_raw("traces", trace_line("no longer there", timestamp=stored_time(store)))
    now = datetime.now(UTC)
    period = Period(now - timedelta(days=1), now + timedelta(days=1))
    account = replay(settings, store, period, load_scorer("rules"))
    assert (account.traces, account.rescored) == (202, 200)
    assert account.left_out == {"unreadable": 1, "gone": 1}
    difference = compare(store, period, load_scorer("rules").version)
    assert (difference["compared"], difference["agreement"]) == (200, 1.0)
    second = replay(settings, store, period, load_scorer("rules"))
    assert (second.already, second.rescored) == (200, 0)


def replay(
    settings: Settings,
    store: ClickHouse,
    period: Period,
    scorer: Scorer,
    offsets: dict[int, int] | None = None,
) -> Account:
    source = ReplayedTraces(settings.kafka, store, period, scorer.version, offsets=offsets)
    return rescore(source, scorer, store, lambda: datetime.now(UTC), threading.Event())


def stored_time(store: ClickHouse) -> str:
    return f"{one(store, 'SELECT max(timestamp) FROM traces'):%F %T}.000"


def test_reading_begins_at_a_time_or_at_an_offset(broker: str, store: ClickHouse) -> None:
    settings = isolated_settings(broker, partitions=1)
    topic = settings.kafka.topic(topics.TRACES)
    body = '{{"trace_id":"{}","question":"q","answer":"a"}}'
    publish(broker, topic, [body.format(f"early-{n}").encode() for n in range(5)])
    time.sleep(0.05)
    middle = datetime.now(UTC)
    time.sleep(0.05)
    publish(broker, topic, [body.format(f"late-{n}").encode() for n in range(5)])
    everything = Period(middle - timedelta(hours=1), middle + timedelta(hours=1))
    late = Period(middle, middle + timedelta(hours=1))
    assert ids_of(settings, store, late) == {f"late-{n}" for n in range(5)}
    assert ids_of(settings, store, everything, {0: 3}) == {
        "early-3",
        "early-4",
        *(f"late-{n}" for n in range(5)),
    }
    assert len(ids_of(settings, store, everything)) == 10


def ids_of(
    settings: Settings, store: ClickHouse, period: Period, offsets: dict[int, int] | None = None
) -> set[str]:
    source = ReplayedTraces(settings.kafka, store, period, "nobody", again=True, offsets=offsets)
    return {item.trace.trace_id for batch in source.batches(Account()) for item in batch}


# The command.


def test_the_command_rescores_by_a_version_of_the_registry(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    fill(store, traffic(80))
    registry = registry_of(tmp_path, "s-1", "s-2")
    registry.shadow("s-2", AT)
    env = {"RAGPULSE_CLICKHOUSE__DSN": dsn, "RAGPULSE_SCORER__REGISTRY": str(tmp_path)}
    span = ("--since", "2026-11-30", "--until", "2026-12-01T00:00:00Z")
    done = run("rescore", *span, "--scorer", "candidate", "--json", env=env)
    assert done.returncode == 0, done.stderr
    report = orjson.loads(done.stdout)
    assert (report["scorer"], report["from"], report["traces"]) == ("s-2", "clickhouse", 80)
    assert report["rescored"] == report["compared"] == 80
    assert 0 <= report["agreement"] <= 1
    said = run("rescore", *span, "--scorer", "s-2", env=env).stderr.decode()
    assert "80 were rescored before" in said
    assert "same failure class as stored" in said


def test_weights_that_are_refused_end_the_command_in_one_sentence(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    damage(registry_of(tmp_path, "s-2"), "s-2")
    env = {"RAGPULSE_CLICKHOUSE__DSN": dsn, "RAGPULSE_SCORER__REGISTRY": str(tmp_path)}
    done = run("rescore", "--since", "2026-11-30", "--scorer", "s-2", env=env)
    assert done.returncode == 2
    assert b"checksum" in done.stderr
    assert b"Traceback" not in done.stderr
    assert one(store, "SELECT count() FROM scores") == 0


def test_a_store_that_is_away_ends_the_command_with_its_own_exit_code() -> None:
    done = run("rescore", "--since", "1d", env={"RAGPULSE_CLICKHOUSE__DSN": "http://127.0.0.1:1/x"})
    assert done.returncode == 3
    assert b"does not answer" in done.stderr


SLOW = """
import sys, time
import stream.rescore.run as run
judge = run.judge_batch
def slowly(traces, scorer):
    time.sleep(0.3)
    print("a batch", file=sys.stderr, flush=True)
    return judge(traces, scorer)
run.judge_batch = slowly
from stream.cli import main
sys.exit(main())
"""

RESCORE_THE_DAY = "rescore --since 2026-11-30 --until 2026-12-01 --scorer rules --json".split()


def test_ctrl_c_ends_it_between_two_batches_and_the_next_run_goes_on(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    fill(store, traffic(800))
    total = one(store, "SELECT count() FROM traces FINAL")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAGPULSE_")}
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            SLOW,
            *"rescore --since 2026-11-30 --until 2026-12-01 --scorer rules --json".split(),
        ],
        env={**clean, "RAGPULSE_CLICKHOUSE__DSN": dsn},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert b"a batch" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    report = orjson.loads(out)
    assert report["interrupted"]
    assert 0 < report["rescored"] == one(store, "SELECT count() FROM scores") < total
    rest = go(store, load_scorer("rules"))
    assert (rest.already, rest.rescored) == (report["rescored"], total - report["rescored"])
