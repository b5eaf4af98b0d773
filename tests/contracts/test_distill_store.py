"""Labels and their traces, read from real tables as people, judges and workers left them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from judges.distillation.examples import Example, Source
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.distill.from_store import Period, read_store
from stream.distill.gathered import Gathered
from stream.worker.cuts import CUT_SIGNAL
from tests.support.rows import trace_line
from tests.unit.stream.cli.test_distill import inside, new_registry
from tests.unit.stream.cli.test_files_commands import run

pytestmark = pytest.mark.engine

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = timedelta(hours=1)
DAY = Period(NOW - 24 * HOUR, NOW)


def stamp(moment: datetime) -> str:
    return f"{moment:%F %T}.000"


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


def add_traces(store: ClickHouse, *ids: str, **values: Any) -> None:
    defaults = {"timestamp": stamp(NOW - 2 * HOUR), "received_at": stamp(NOW - 2 * HOUR)}
    store.insert_raw("traces", b"\n".join(trace_line(one, **defaults | values) for one in ids))


def add(store: ClickHouse, table: str, trace_id: str, **values: Any) -> None:
    defaults = {"trace_id": trace_id, "timestamp": stamp(NOW - 2 * HOUR), "app": "helpdesk"}
    store.insert_raw(table, orjson.dumps(defaults | values))


def annotate(store: ClickHouse, trace_id: str, annotator: str, bad: bool | None, **values: Any) -> None:
    values = {"annotated_at": stamp(NOW), "hallucination": bad} | values
    add(store, "annotations", trace_id, annotator=annotator, **values)


def judge(store: ClickHouse, trace_id: str, chance: float | None, **values: Any) -> None:
    values = {"sample_probability": 1.0, "created_at": stamp(NOW), "hallucination": chance} | values
    add(store, "verdicts", trace_id, **{"judge": "strict", "model": "m-1", **values})


def gather(store: ClickHouse, period: Period = DAY, limit: int = 1000) -> tuple[dict[str, Example], Gathered]:
    gathered = Gathered()
    read_store(store, period, limit, gathered, lambda *_: None)
    return {e.trace.trace_id: e for e in gathered.examples()}, gathered


def test_people_count_before_judges_and_both_are_compared(store: ClickHouse) -> None:
    add_traces(store, "a", "b", "c")
    judge(store, "a", 0.9)
    judge(store, "b", 1.0)
    annotate(store, "b", "ann", False)
    annotate(store, "c", "ann", True, spans='[{"start": 0, "end": 2}]', weight=0.5)
    found, _ = gather(store)
    assert {(i, e.label.hallucination, e.label.by) for i, e in found.items()} == {
        ("a", True, Source.JUDGE),
        ("b", False, Source.HUMAN),
        ("c", True, Source.HUMAN),
    }
    assert found["a"].label.who == ("strict/m-1",)
    assert (found["b"].also, found["a"].also) == (1.0, None)
    assert (found["c"].label.weight, found["c"].label.spans) == (0.5, ((0, 2),))
    assert found["a"].trace.question == "那它支持INT4吗？"


def test_claims_that_were_marked_in_a_redacted_answer_are_found_in_the_one_that_was_given(
    store: ClickHouse,
) -> None:
    answer = "Dear 13812345678, a refund takes 3 days. Call 13812345678 within 3 days."
    add_traces(store, "a", answer=answer)
    shown = "Dear [phone], a refund takes 3 days. Call [phone] within 3 days."
    claims = [
        {"text": text, "start": shown.index(text), "end": shown.index(text) + len(text), "supported": good}
        for text, good in (("a refund takes 3 days", False), ("[phone] within 3", False), ("Dear", True))
    ]
    annotate(store, "a", "ann", True, claims=orjson.dumps(claims).decode(), spans="[[0, 4]]")
    found, _ = gather(store)
    spans = found["a"].label.spans or ()
    assert [answer[start:end] for start, end in spans] == [
        "a refund takes 3 days",
        " within 3",
    ]


def test_the_last_word_of_an_annotator_counts_and_a_judge_that_failed_does_not(store: ClickHouse) -> None:
    add_traces(store, "a", "b")
    annotate(store, "a", "ann", True, annotated_at=stamp(NOW - HOUR))
    annotate(store, "a", "ann", False)
    judge(store, "b", 1.0, error="timed out")
    found, _ = gather(store)
    assert {i: e.label.hallucination for i, e in found.items()} == {"a": False}


def test_a_class_alone_is_a_label_and_an_unknown_word_is_none(store: ClickHouse) -> None:
    add_traces(store, "a", "b", "c")
    judge(store, "a", None, failure="over_refusal", failure_confidence=0.8)
    judge(store, "b", None, failure="healthy")
    judge(store, "c", None, failure="something else")
    found, gathered = gather(store)
    assert (found["a"].label.hallucination, found["a"].label.failure) == (None, "over_refusal")
    assert (found["b"].label.hallucination, found["b"].label.failure) == (False, "healthy")
    assert "c" not in found
    assert sum(gathered.left_out.values()) == 1


def test_a_trace_that_was_chosen_rarely_weighs_more(store: ClickHouse) -> None:
    add_traces(store, "a", "b")
    judge(store, "a", 1.0, sample_probability=0.25)
    judge(store, "b", 1.0, sample_probability=1.0)
    found, _ = gather(store)
    assert found["a"].label.weight == pytest.approx(4 * found["b"].label.weight)


def test_period_and_app_choose_and_the_newest_labels_are_taken(store: ClickHouse) -> None:
    for name, hours, app in (
        ("old", 30, "helpdesk"),
        ("a", 3, "helpdesk"),
        ("b", 2, "staff"),
        ("c", 1, "helpdesk"),
    ):
        at = stamp(NOW - hours * HOUR)
        add_traces(store, name, timestamp=at, received_at=at, app=app)
        judge(store, name, 1.0, timestamp=at, app=app)
    assert set(gather(store)[0]) == {"a", "b", "c"}
    assert set(gather(store, Period(DAY.since, DAY.until, "helpdesk"))[0]) == {"a", "c"}
    assert set(gather(store, limit=2)[0]) == {"b", "c"}


def test_what_cannot_be_learned_from_is_counted_by_reason(store: ClickHouse) -> None:
    add_traces(store, "whole")
    add_traces(store, "expired", history="", question=None, answer=None, chunks=None)
    add_traces(store, "cut", signals=f'{{"{CUT_SIGNAL}": "answer"}}')
    for name in ("whole", "expired", "cut", "gone"):
        judge(store, name, 1.0)
    found, gathered = gather(store)
    assert set(found) == {"whole"}
    reasons = sorted(reason for reason, count in gathered.left_out.items() for _ in range(count))
    assert [reason.split(" (")[0] for reason in reasons] == [
        "the texts of the trace did not fit a row",
        "the texts of the trace have expired",
        "the trace is not in the store",
    ]


def test_a_store_without_labels_and_one_that_is_away_are_said(
    dsn: str, store: ClickHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = new_registry(tmp_path / "registry")
    monkeypatch.setenv("RAGPULSE_CLICKHOUSE__DSN", dsn)
    code, _, said = inside("distill", "--registry", registry.folder)
    assert (code, said[:35]) == (1, "There is no label to learn from: at")
    away = {"RAGPULSE_CLICKHOUSE__DSN": "http://127.0.0.1:9/ragpulse"}
    done = run("distill", "--registry", registry.folder, env=away)
    assert done.returncode == 3
    assert b"does not answer" in done.stderr
