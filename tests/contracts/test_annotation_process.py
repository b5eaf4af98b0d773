"""The filler as a process, and the commands around the queue: topic, tables, shell."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from schemas.trace import Trace
from sinks.annotation import AnnotationQueue, LeaseBook
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream import topics
from stream.annotation.main import ASSIGNED, compose
from stream.cli import app
from stream.embedded.engine import EmbeddedEngine
from stream.endpoint import Health
from stream.judging.deliver import DISAGREEMENT, annotation_case
from stream.judging.sampled import read_sampled
from stream.settings import Settings
from stream.sink.main import SCHEMA
from stream.telemetry import AnnotationMetrics
from tests.support.annotation import NOW, case, put_in
from tests.support.engine import ask
from tests.support.kafka import (
    environment,
    isolated_settings,
    publish,
    read_all,
    read_until,
    wait_until_committed,
)
from tests.support.running import Running

pytestmark = [pytest.mark.broker, pytest.mark.engine]

PHONE = "13812345678"
PROGRAM = [sys.executable, "-m", "stream.cli", "annotate", "fill"]


class RunningFiller(Running):
    """A filler in a thread of the test."""

    def __init__(self, settings: Settings) -> None:
        self.metrics = AnnotationMetrics()
        super().__init__("filler", self.metrics, Health(SCHEMA, ASSIGNED))
        self._body = compose(settings, self.metrics, self.health).run


@contextmanager
def running_filler(settings: Settings) -> Iterator[RunningFiller]:
    filler = RunningFiller(settings).start()
    try:
        yield filler
    finally:
        filler.stop()


@pytest.fixture(scope="module")
def dsn(embedded_engine: EmbeddedEngine) -> Iterator[str]:
    dsn = embedded_engine.dsn_of("annotation_process")
    client = connect(dsn)
    migrate(client)
    client.close()
    yield dsn
    ask(embedded_engine.address, "DROP DATABASE annotation_process SYNC")


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    for table in ("traces", "annotation_items", "annotations"):
        client.command(f"TRUNCATE TABLE {table}")
    yield client
    client.close()


def settings_for(broker: str, dsn: str, tmp_path: Path) -> Settings:
    annotation = {"interval_s": 0.5, "lease_file": str(tmp_path / "leases.sqlite")}
    return isolated_settings(broker, annotation=annotation, clickhouse={"dsn": dsn, "timeout_s": 10.0})


def judged_case(name: str) -> bytes:
    """A case as the judge lane publishes it."""
    trace = {
        "trace_id": name,
        "question": f"{name * 4}，电话 {PHONE}？",
        "answer": "Yes.",
        "app": "helpdesk",
    }
    scores = {"failure": None, "failure_confidence": 0.9, "hallucination": 0.1, "scorer_version": "student-1"}
    sampled = read_sampled(
        orjson.dumps({"trace": trace, "scores": scores, "sample": {"probability": 0.5, "reasons": ["x"]}}),
        NOW,
    )
    verdict = {"judge": "panel", "role": "verdict", "failure": "hallucination", "disagreement": 0.7}
    rationale = {"rationale": f"{PHONE} is in no document"}
    return annotation_case(sampled, DISAGREEMENT, [orjson.dumps(verdict | rationale)])


def until(true: Callable[[], bool], timeout_s: float = 60.0) -> None:
    end = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def names(store: ClickHouse) -> set[str]:
    return {row["trace_id"] for row in store.query("SELECT trace_id FROM annotation_items FINAL")}


def test_cases_of_the_topic_come_into_the_tables_and_what_is_none_becomes_a_dead_letter(
    broker: str, store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    settings = settings_for(broker, dsn, tmp_path)
    cases = [judged_case(f"case-{letter}") for letter in ("alpha", "beta", "gamma")]
    broken = [b"no json", b"[]", b'{"trace": {"question": "no id", "answer": null}}']
    publish(broker, settings.kafka.topic(topics.ANNOTATION), [*cases, *broken])
    with running_filler(settings) as filler:
        filler.wait_for("ragpulse_annotation_turn_seconds_count", 2)
        until(lambda: len(names(store)) == 3)
        wait_until_committed(settings, "annotate", 6)
        assert filler.count("ragpulse_dead_letters_total") == 3
        assert filler.count("ragpulse_annotation_entered_total", reason="disagreement") == 3
        assert filler.count("ragpulse_annotation_redacted_total", kind="phone") >= 0
    dead = read_until(broker, settings.kafka.topic(topics.DEAD), 1)
    assert len(read_all(broker, settings.kafka.topic(topics.DEAD))) == 3
    assert {dict(letter.headers() or [])["by"] for letter in dead} == {b"annotate"}
    assert names(store) == {"case-alpha", "case-beta", "case-gamma"}


def test_nothing_that_tells_who_somebody_is_is_on_the_topic_nor_in_the_tables(
    embedded_broker: Any, store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    settings = settings_for(embedded_broker.address, dsn, tmp_path)
    message = judged_case("case-secret")
    assert PHONE.encode() not in message
    assert "[电话]".encode() in message
    assert Trace.model_validate(orjson.loads(message)["trace"]).trace_id == "case-secret"
    publish(settings.kafka.brokers, settings.kafka.topic(topics.ANNOTATION), [message])
    with running_filler(settings):
        until(lambda: names(store) == {"case-secret"})
    (row,) = store.query("SELECT * FROM annotation_items FINAL")
    assert PHONE not in orjson.dumps(row, default=str).decode()
    assert orjson.loads(row["payload"])["verdicts"][0]["rationale"].endswith("is in no document")


def test_a_filler_that_is_killed_loses_no_case_and_doubles_none(
    embedded_broker: Any, store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    settings = settings_for(embedded_broker.address, dsn, tmp_path)
    wanted = {f"case-{word}" for word in ("north", "south", "east", "west", "up", "down")}
    publish(
        settings.kafka.brokers,
        settings.kafka.topic(topics.ANNOTATION),
        [judged_case(name) for name in sorted(wanted)],
    )
    for number in range(2):
        with (tmp_path / f"fill-{number}.log").open("ab") as log:
            process = subprocess.Popen(
                PROGRAM,
                cwd=tmp_path,
                env=environment(settings) | {"RAGPULSE_CLICKHOUSE__DSN": dsn},
                stdout=log,
                stderr=log,
            )
        try:
            if number == 0:
                until(lambda: bool(names(store)))
            else:
                wait_until_committed(settings, "annotate", len(wanted), 90)
        finally:
            process.kill()
            process.wait()
    assert names(store) == wanted


# --- the shell ---


@pytest.fixture
def shell(store: ClickHouse, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGPULSE_CLICKHOUSE__DSN", dsn)
    monkeypatch.setenv("RAGPULSE_ANNOTATION__LEASE_FILE", str(tmp_path / "leases.sqlite"))

    def run(*words: str, exit_code: int = 0, text: str | None = None) -> Any:
        done = CliRunner().invoke(app, ["annotate", *words], input=text, catch_exceptions=False)
        assert done.exit_code == exit_code, done.output
        return orjson.loads(done.stdout) if "--json" in words else done.output

    return run


def test_pull_label_push_and_see_agreement(store: ClickHouse, shell: Callable[..., Any]) -> None:
    put_in(store, [case(f"c-{n}", value=0.9 - n / 10) for n in range(4)])
    for name in ("li", "kim"):
        pulled = shell("pull", "--n", "3", "--annotator", name, "--json")
        assert [item["item_id"] for item in pulled["items"]] == ["c-0", "c-1", "c-2"]
        for item, failure in zip(pulled["items"], ("healthy", "hallucination", "healthy"), strict=True):
            item["label"] = {"failure": failure}
        pushed = shell("push", "-", "--annotator", name, "--json", text=orjson.dumps(pulled).decode())
        assert pushed == {"stored": 3, "skipped": 0, "blank": 0, "refused": []}
    stats = shell("stats", "--json")
    assert stats["states"] == {"agreed": 3, "open": 1}
    assert stats["agreement"]["failure"]["kappa"]["value"] == 1.0
    said = shell("stats")
    assert "kappa 1.00" in said
    assert "li" in said


def test_what_two_people_pulled_is_not_the_same(store: ClickHouse, shell: Callable[..., Any]) -> None:
    put_in(store, [case(f"c-{n}") for n in range(4)])
    first = shell("pull", "--n", "3", "--annotator", "li", "--json")
    second = shell("pull", "--n", "3", "--annotator", "kim", "--json")
    ids = [item["item_id"] for item in (*first["items"], *second["items"])]
    assert sorted(ids) == ["c-0", "c-1", "c-2", "c-3"]


def test_pulled_cases_do_not_say_what_others_said_unless_asked_to(
    store: ClickHouse, shell: Callable[..., Any]
) -> None:
    payload = {
        "trace": {"trace_id": "t"},
        "scores": {"failure": "healthy"},
        "verdicts": [{"judge": "strict"}],
    }
    put_in(store, [case("a", payload=payload, failure="over_refusal", because="over refusal with 0.99")])
    (item,) = shell("pull", "--peek", "--json")["items"]
    assert item["payload"] == {"trace": {"trace_id": "t"}}
    assert "refusal" not in orjson.dumps(item).decode()
    assert "refusal" not in shell("pull", "--peek")
    assert "over refusal with 0.99" in shell("pull", "--peek", "--with-scores")
    (item,) = shell("pull", "--peek", "--with-scores", "--json")["items"]
    assert item["payload"]["verdicts"] == [{"judge": "strict"}]
    assert "lease_id" not in item


def test_a_look_at_the_queue_is_as_narrow_as_a_claim_and_knows_its_reasons(
    store: ClickHouse, shell: Callable[..., Any]
) -> None:
    put_in(store, [case("a", language="en"), case("b", language="zh")])
    (item,) = shell("pull", "--peek", "--language", "zh", "--json")["items"]
    assert item["item_id"] == "b"
    assert shell("pull", "--peek", "--reason", "control", "--json")["items"] == []
    assert "low_support" in shell("pull", "--reason", "sparkling", exit_code=2)


def test_a_pushed_label_that_makes_no_sense_is_named_and_the_others_are_stored(
    store: ClickHouse, shell: Callable[..., Any], tmp_path: Path
) -> None:
    put_in(store, [case("a"), case("b"), case("c")])
    lines = [
        {"item_id": "a", "label": {"failure": "healthy"}},
        {"item_id": "b", "label": {"failure": "sparkling"}},
        {"item_id": "b", "label": {"failure": "healthy", "hallucination": True}},
        {"item_id": "b", "label": {"note": "says nothing"}},
        {"item_id": "nowhere", "label": {"failure": "healthy"}},
        {"label": {"failure": "healthy"}},
        {"item_id": "c", "skip": True},
        {"item_id": "b"},
    ]
    file = tmp_path / "labels.jsonl"
    file.write_bytes(b"\n".join([*(orjson.dumps(line) for line in lines), b"{broken"]))
    pushed = shell("push", str(file), "--annotator", "li", "--json", exit_code=1)
    assert (pushed["stored"], pushed["skipped"], pushed["blank"]) == (1, 1, 1)
    assert [one["at"] for one in pushed["refused"]] == [2, 3, 4, 5, 6, 9]
    assert "hallucination is true" in pushed["refused"][1]["why"]
    assert store.query("SELECT count() AS n FROM annotations FINAL WHERE weight > 0") == [{"n": 1}]


def test_work_that_comes_back_after_its_lease_is_not_lost(
    store: ClickHouse, shell: Callable[..., Any], dsn: str, tmp_path: Path
) -> None:
    put_in(store, [case("a")])
    pulled = shell("pull", "--annotator", "li", "--json")
    book = LeaseBook(tmp_path / "leases.sqlite")
    queue = AnnotationQueue(connect(dsn), book)
    queue.release(pulled["items"][0]["lease_id"], "li")
    queue.claim("kim", 1)
    queue.close()
    pulled["items"][0]["label"] = {"failure": "healthy"}
    pushed = shell("push", "-", "--annotator", "li", "--json", text=orjson.dumps(pulled).decode())
    assert pushed["stored"] == 1


def test_one_turn_from_the_shell_needs_no_broker(store: ClickHouse, shell: Callable[..., Any]) -> None:
    turned = shell("fill", "--once", "--json")
    assert turned["entered"] == 0
    assert "0 cases entered" in shell("fill", "--once")
    assert CliRunner().invoke(app, ["annotate", "fill", "--json"]).exit_code == 2


def test_an_empty_queue_says_what_to_do(store: ClickHouse, shell: Callable[..., Any]) -> None:
    assert shell("pull", "--json") == {"annotator": shell("pull", "--json")["annotator"], "items": []}
    assert "ragpulse annotate fill" in shell("pull")
    assert "cases      none" in shell("stats")
