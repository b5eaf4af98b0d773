"""The schema on a real engine: migrations, retention, and the columns that rows bring."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from schemas.row import Provenance, encode, evaluation_rows, feedback_row
from schemas.trace import Feedback, LateFeedback
from sinks.clickhouse import migrate as migrations
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import MigrationChanged, SchemaTooNew, SchemaTooOld, migrate, require_schema
from sinks.errors import SinkMisconfigured, SinkOverloaded, SinkRejected, SinkUnreachable
from tests.support.rows import NOON, feedback_line, trace_line, trace_values

pytestmark = pytest.mark.engine

HOSTILE = "it's \\ \"quoted\"\n\ttab \0 nul 🀄 😀 \u200f שלום 它支持INT4吗？ {{x}} '; DROP TABLE traces; --"


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


def columns(store: ClickHouse, table: str) -> dict[str, str]:
    rows = store.query(
        "SELECT name, type FROM system.columns WHERE database = {d:String} AND table = {t:String} "
        "AND default_kind = ''",
        {"d": store.database, "t": table},
    )
    return {row["name"]: row["type"] for row in rows}


def one(store: ClickHouse, question: str, **parameters: Any) -> Any:
    (row,) = store.query(question, parameters)
    (value,) = row.values()
    return value


def test_migrating_twice_changes_nothing_the_second_time(dsn: str) -> None:
    client = connect(dsn)
    with pytest.raises(SchemaTooOld, match="run `ragpulse migrate`"):
        require_schema(client)
    assert migrate(client)[0] == "0001_traces"
    assert migrate(client) == []
    require_schema(client)


def test_a_newer_schema_is_refused_by_migrate_and_served_by_the_sink(store: ClickHouse) -> None:
    store.command("INSERT INTO schema_migrations (version, name, checksum) VALUES (9000, 'future', 'x')")
    with pytest.raises(SchemaTooNew, match="upgrade ragpulse"):
        migrate(store)
    require_schema(store)


def test_a_changed_migration_is_noticed(store: ClickHouse) -> None:
    store.command("INSERT INTO schema_migrations (version, name, checksum) VALUES (1, 'traces', 'else')")
    with pytest.raises(MigrationChanged, match="0001_traces"):
        migrate(store)


def test_a_migration_that_broke_off_is_taken_up_again(store: ClickHouse) -> None:
    store.command("ALTER TABLE schema_migrations DELETE WHERE version >= 3 SETTINGS mutations_sync = 2")
    store.command("DROP TABLE dead_letters SYNC")
    assert "0004_dead_letters" in migrate(store)
    require_schema(store)


def test_a_changed_retention_is_applied_to_what_is_there(store: ClickHouse) -> None:
    assert migrate(store, retention_days=7, text_retention_days=3) == ["retention"]
    assert migrate(store, retention_days=7, text_retention_days=3) == []
    statement = one(store, "SELECT create_table_query FROM system.tables WHERE database = currentDatabase() "
                           "AND name = 'traces'")  # fmt: skip
    assert "TTL kept_from + toIntervalDay(7)" in statement
    assert "`question` Nullable(String) CODEC(ZSTD(3)) TTL kept_from + toIntervalDay(3)" in statement


def test_every_statement_can_be_read_for_a_cluster(store: ClickHouse) -> None:
    days = {"retention_days": "9", "text_retention_days": "3", "rollup_retention_days": "99"}
    values = migrations.placeholders("prod") | days
    files = [migration.sql for migration in migrations.load_migrations()] + [migrations.read("retention.sql")]
    for statement in (s for sql in files for s in migrations.statements(migrations.render(sql, values))):
        read = one(store, "SELECT formatQuery({sql:String})", sql=statement)
        assert "CLUSTER prod" in read or read.startswith("INSERT INTO ")


def test_the_columns_of_traces_are_the_keys_of_a_row(store: ClickHouse) -> None:
    assert list(columns(store, "traces")) == list(trace_values("t"))


def test_the_columns_of_feedback_are_the_keys_of_its_row(store: ClickHouse) -> None:
    late = LateFeedback(trace_id="t", feedback=Feedback(rating=1))
    assert list(columns(store, "feedback")) == list(feedback_row(late, Provenance("x", 0, 0, NOON)))


def test_a_row_comes_back_as_it_was_sent(store: ClickHouse) -> None:
    sent = trace_values("t-1", sample_reasons=["base", "瑕疵"], sampled=True, turn=-1, top_k=5)
    store.insert_raw("traces", encode(sent))
    (got,) = store.query(f"SELECT {', '.join(sent)} FROM traces")
    stamps = {
        name: f"{got[name]:%Y-%m-%d %H:%M:%S.%f}"[:23] for name in ("timestamp", "received_at", "scored_at")
    }
    assert got | stamps == sent


def test_hostile_text_comes_back_as_it_was_sent(store: ClickHouse) -> None:
    names = ["question", "answer", "history", "chunks", "extra", "tenant", "conversation_id"]
    store.insert_raw("traces", trace_line(HOSTILE, **dict.fromkeys(names, HOSTILE)))
    (row,) = store.query(f"SELECT trace_id, {', '.join(names)} FROM traces")
    assert set(row.values()) == {HOSTILE}


def test_a_null_or_missing_column_takes_its_default_and_an_unknown_one_is_left_out(store: ClickHouse) -> None:
    store.insert_raw(
        "traces", b'{"trace_id":"t","timestamp":"2026-11-30 12:00:00","app":null,"from_the_future":1}'
    )
    assert store.query("SELECT trace_id, app, faithfulness FROM traces") == [
        {"trace_id": "t", "app": "", "faithfulness": None}
    ]


@pytest.mark.parametrize(
    "stamp",
    [
        "0001-01-01 00:00:00.000",
        "1900-01-01 00:00:00.000",
        "1969-12-31 23:59:59.999",
        "2199-12-31 23:59:59.999",
    ],
)
def test_absurd_times_make_no_row_vanish(store: ClickHouse, stamp: str) -> None:
    store.insert_raw("traces", trace_line("t", timestamp=stamp, received_at=stamp, scored_at=stamp))
    store.command("OPTIMIZE TABLE traces FINAL")
    assert one(store, "SELECT count() FROM traces FINAL WHERE kept_from > now() - INTERVAL 1 DAY") == 1


def test_old_rows_go_by_the_time_they_were_received(dsn: str) -> None:
    store = connect(dsn)
    migrate(store, retention_days=20, text_retention_days=10)
    now = one(store, "SELECT now()")
    lines = [
        trace_line(name, timestamp=f"{now:%F %T}.000", received_at=f"{now - timedelta(days=days):%F %T}.000")
        for name, days in [("new", 1), ("old text", 15), ("old", 25)]
    ]
    store.insert_raw("traces", b"\n".join(lines))
    store.command("OPTIMIZE TABLE traces FINAL")
    assert store.query("SELECT trace_id, question, failure FROM traces FINAL ORDER BY trace_id") == [
        {"trace_id": "new", "question": "那它支持INT4吗？", "failure": "hallucination"},
        {"trace_id": "old text", "question": None, "failure": "hallucination"},
    ]


def test_the_same_trace_scored_again_is_one_row_and_the_last_score_wins(store: ClickHouse) -> None:
    store.insert_raw("traces", trace_line("t", faithfulness=0.25, scored_at="2026-11-30 12:00:05.000"))
    store.insert_raw("traces", trace_line("t", faithfulness=0.75, scored_at="2026-11-30 12:00:01.000"))
    assert store.query("SELECT faithfulness FROM traces FINAL") == [{"faithfulness": 0.25}]


def test_an_insert_of_the_same_token_is_taken_once(store: ClickHouse) -> None:
    for _ in range(2):
        store.insert_raw("traces", trace_line("t"), token="rag.scored:0:7-7")
    assert one(store, "SELECT count() FROM traces") == 1


def test_the_columns_of_evaluations_are_the_keys_of_their_rows(store: ClickHouse) -> None:
    late = LateFeedback.model_validate(
        {"trace_id": "t", "feedback": {}, "evaluations": [{"name": "faithfulness", "score": 0.5}]}
    )
    (row,) = evaluation_rows(late, Provenance("x", 0, 0, NOON))
    assert list(columns(store, "evaluations")) == list(row)


def test_evaluations_stand_in_one_view_whether_they_came_with_the_trace_or_later(store: ClickHouse) -> None:
    said = [
        {"name": "a", "score": 0.5, "source": "EVAL"},
        {"name": "b", "score": True},
        {"name": "c", "label": "好"},
    ]
    store.insert_raw("traces", trace_line("t", extra=orjson.dumps({"evaluations": said}).decode()))
    store.insert_raw("traces", trace_line("u", extra='{"evaluations": "none"}'))
    late = LateFeedback.model_validate(
        {"trace_id": "t", "feedback": {}, "evaluations": [{"name": "a", "score": 0.75, "comment": "嗯"}]}
    )
    for row in evaluation_rows(late, Provenance("x", 0, 0, NOON)):
        store.insert_raw("evaluations", encode(row))
    found = store.query(
        "SELECT name, source, score, label, comment, was_late FROM trace_evaluations ORDER BY was_late, name"
    )
    assert [tuple(row.values()) for row in found] == [
        ("a", "EVAL", 0.5, None, None, False),
        ("b", "", 1.0, None, None, False),
        ("c", "", None, "好", None, False),
        ("a", "", 0.75, None, "嗯", True),
    ]


@pytest.mark.parametrize("feedback_first", [True, False])
def test_late_feedback_joins_its_trace_whichever_comes_first(store: ClickHouse, feedback_first: bool) -> None:
    steps = [("traces", trace_line("t", feedback_rating=1)), ("feedback", feedback_line("t", -1, "falsch"))]
    for table, line in reversed(steps) if feedback_first else steps:
        store.insert_raw(table, line)
    store.insert_raw("traces", trace_line("u", feedback_rating=1))
    assert store.query(
        "SELECT trace_id, feedback_rating, feedback_comment, feedback_was_late "
        "FROM traces_with_feedback ORDER BY trace_id"
    ) == [
        {"trace_id": "t", "feedback_rating": -1, "feedback_comment": "falsch", "feedback_was_late": 1},
        {"trace_id": "u", "feedback_rating": 1, "feedback_comment": None, "feedback_was_late": 0},
    ]


def test_the_last_feedback_wins(store: ClickHouse) -> None:
    store.insert_raw("traces", trace_line("t"))
    store.insert_raw("feedback", feedback_line("t", 1, received_at="2026-11-30 12:00:09.000"))
    store.insert_raw("feedback", feedback_line("t", -1, received_at="2026-11-30 12:00:03.000"))
    assert one(store, "SELECT feedback_rating FROM traces_with_feedback") == 1


def test_a_dead_letter_counts_once_however_often_it_is_written(store: ClickHouse) -> None:
    letter = (
        b'{"reason":"not_json","topic":"rag.traces","partition":0,"offset":7,"timestamp":"2026-11-30 12:00"}'
    )
    store.insert_raw("dead_letters", letter)
    store.insert_raw("dead_letters", letter + b"\n" + letter.replace(b":7,", b":8,"))
    assert one(store, "SELECT count() FROM dead_letters FINAL") == 2


def test_errors_say_whose_fault_it_is(store: ClickHouse) -> None:
    with pytest.raises(SinkRejected):
        store.insert_raw("traces", trace_line("t", timestamp="yesterday"))
    with pytest.raises(SinkMisconfigured, match="no_such_table"):
        store.insert_raw("no_such_table", b"{}")
    with pytest.raises(SinkMisconfigured, match="no plain name"):
        store.insert_raw("traces; DROP TABLE traces", b"{}")
    with pytest.raises(SinkUnreachable, match=r"does not answer at http://127\.0\.0\.1:1/x"):
        connect("http://ann:secret@127.0.0.1:1/x").query("SELECT 1")
    with pytest.raises(SinkOverloaded):
        store.command("SELECT 1 FROM numbers(1e9) GROUP BY number", settings={"max_memory_usage": 1_000_000})


def test_a_line_can_be_tried_without_storing_it(store: ClickHouse) -> None:
    assert store.reads("traces", trace_line("t"))
    assert not store.reads("traces", trace_line("t", timestamp="yesterday"))
    assert one(store, "SELECT count() FROM traces") == 0


IN_PROCESS = """
import sys
from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.insert import insert_rows
from sinks.clickhouse.rollup import roll_up
from tests.contracts.test_rows_fit import Line
from tests.support.rows import trace_line

store = connect(f"chdb://{sys.argv[1]}?database=mine")
assert migrate(store) and not migrate(store)
lines = [trace_line("a"), trace_line("b", timestamp="yesterday"), trace_line("c")]
outcome = insert_rows(store, "traces", [Line(number, line) for number, line in enumerate(lines)])
assert [row.offset for row, _ in outcome.rejected] == [1], outcome
roll_up(store)
print(store.query("SELECT sum(traces) AS n FROM minute_rates"))
"""


def test_the_engine_inside_the_process_takes_the_same_calls(tmp_path: Path) -> None:
    command = [sys.executable, "-c", IN_PROCESS, str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[{'n': 2}]"), done.stderr


def test_several_processes_may_migrate_at_once(dsn: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: migrate(connect(dsn)), range(4)))
    assert migrate(connect(dsn)) == []
