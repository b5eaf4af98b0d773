"""The tables beside `traces`: scores by other scorers, labels by people, and when the scorer changed."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.insert import insert_rows
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.reference import reference_line
from tests.contracts.test_rows_fit import Line
from tests.support.rows import NOON, score_line, score_values, trace_line

pytestmark = pytest.mark.engine


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


def insert(store: ClickHouse, table: str, *lines: bytes) -> None:
    store.insert_raw(table, b"\n".join(lines))


def stamp(moment: datetime) -> str:
    return f"{moment:%F %T}.000"


def test_the_columns_of_scores_are_the_keys_of_its_row(store: ClickHouse) -> None:
    columns = store.query(
        "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'scores' "
        "AND default_kind = '' ORDER BY position"
    )
    assert [column["name"] for column in columns] == list(score_values("t"))
    assert store.reads("scores", reference_line("scores"))


def test_one_trace_keeps_a_score_for_each_scorer_and_role(store: ClickHouse) -> None:
    insert(
        store,
        "scores",
        score_line("t", "v-2", hallucination=0.25),
        score_line("t", "v-2", hallucination=0.5, scored_at=stamp(NOON + timedelta(hours=1))),
        score_line("t", "v-3"),
        score_line("t", "v-2", "rescore"),
    )
    assert store.query(
        "SELECT scorer_version, role, hallucination FROM scores FINAL ORDER BY scorer_version, role"
    ) == [
        {"scorer_version": "v-2", "role": "rescore", "hallucination": 0.75},
        {"scorer_version": "v-2", "role": "shadow", "hallucination": 0.5},
        {"scorer_version": "v-3", "role": "shadow", "hallucination": 0.75},
    ]


def test_a_score_is_shown_beside_that_of_the_serving_scorer(store: ClickHouse) -> None:
    insert(store, "traces", trace_line("a"), trace_line("b", app="other"), trace_line("c"))
    insert(store, "traces", trace_line("a", hallucination=0.5, scored_at=stamp(NOON + timedelta(hours=1))))
    insert(
        store,
        "scores",
        score_line("a", hallucination=0.25, failure="healthy"),
        score_line("b", app="other"),
        score_line("nobody"),
    )
    assert store.query(
        "SELECT trace_id, app, role, scorer_version, serving_version, failure, serving_failure, "
        "same_failure, hallucination_change FROM score_comparison ORDER BY trace_id"
    ) == [
        {
            "trace_id": "a",
            "app": "helpdesk",
            "role": "shadow",
            "scorer_version": "test-2",
            "serving_version": "test-1",
            "failure": "healthy",
            "serving_failure": "hallucination",
            "same_failure": 0,
            "hallucination_change": -0.25,
        },
        {
            "trace_id": "b",
            "app": "other",
            "role": "shadow",
            "scorer_version": "test-2",
            "serving_version": "test-1",
            "failure": "hallucination",
            "serving_failure": "hallucination",
            "same_failure": 1,
            "hallucination_change": 0.0,
        },
    ]


def test_what_is_not_measured_has_no_change(store: ClickHouse) -> None:
    insert(store, "traces", trace_line("a", hallucination=None))
    insert(store, "scores", score_line("a"))
    assert store.query("SELECT hallucination_change FROM score_comparison") == [
        {"hallucination_change": None}
    ]


def test_scores_go_when_their_traces_go(dsn: str) -> None:
    store = connect(dsn)
    migrate(store, retention_days=20)
    now = store.query("SELECT now() AS now")[0]["now"]
    for name, days in (("new", 1), ("old", 25)):
        received = stamp(now - timedelta(days=days))
        insert(store, "traces", trace_line(name, timestamp=stamp(now), received_at=received))
        insert(store, "scores", score_line(name, timestamp=stamp(now), received_at=received))
    for table in ("traces", "scores"):
        store.command(f"OPTIMIZE TABLE {table} FINAL")
        assert store.query(f"SELECT trace_id FROM {table} FINAL") == [{"trace_id": "new"}]


def test_a_row_that_no_table_of_scores_can_hold_is_found_among_the_others(store: ClickHouse) -> None:
    lines = [score_line("a"), score_line("b", timestamp="yesterday"), score_line("c")]
    outcome = insert_rows(store, "scores", [Line(number, line) for number, line in enumerate(lines)])
    assert [row.offset for row, _ in outcome.rejected] == [1]
    assert outcome.inserted == 2


def test_each_annotator_has_the_last_word_of_their_own(store: ClickHouse) -> None:
    insert(
        store,
        "annotations",
        b'{"trace_id":"t","annotator":"ann","annotated_at":"2026-11-30 12:00","failure":"healthy"}',
        b'{"trace_id":"t","annotator":"ann","annotated_at":"2026-11-30 13:00","failure":"hallucination",'
        b'"hallucination":true,"spans":"[]","weight":2}',
        b'{"trace_id":"t","annotator":"bob","annotated_at":"2026-11-30 11:00","context_sufficient":false}',
    )
    assert store.query(
        "SELECT annotator, failure, hallucination, context_sufficient, weight FROM annotations FINAL "
        "ORDER BY annotator"
    ) == [
        {"annotator": "ann", "failure": "hallucination", "hallucination": 1, "context_sufficient": None,
         "weight": 2.0},
        {"annotator": "bob", "failure": "", "hallucination": None, "context_sufficient": 0, "weight": 1.0},
    ]  # fmt: skip


def test_a_change_of_scorer_is_one_row_and_coming_back_is_another(store: ClickHouse) -> None:
    served = [  # minute, version, how many traces: two workers change over at minutes 2 and 4
        (0, "v-1", 3), (1, "v-1", 3), (2, "v-1", 1), (2, "v-2", 4), (3, "v-2", 3), (4, "v-2", 2),
        (4, "v-1", 5), (6, "v-1", 1),
    ]  # fmt: skip
    lines = [
        trace_line(
            f"{minute}-{version}-{number}",
            scorer_version=version,
            scored_at=stamp(NOON + timedelta(minutes=minute, seconds=number + 10 * (version == "v-2"))),
        )
        for minute, version, count in served
        for number in range(count)
    ]
    insert(store, "traces", *lines, trace_line("other", app="other", scorer_version="v-9"))
    changes = store.query(
        "SELECT scorer_version, previous_version, first_seen, last_seen, traces FROM scorer_changes "
        "WHERE app = 'helpdesk' ORDER BY first_seen"
    )
    assert [(c["previous_version"], c["scorer_version"], c["traces"]) for c in changes] == [
        ("", "v-1", 6),
        ("v-1", "v-2", 7),
        ("v-2", "v-1", 6),
    ]
    seen = [(stamp(c["first_seen"]), stamp(c["last_seen"])) for c in changes]
    assert seen[1] == (
        stamp(NOON + timedelta(minutes=2, seconds=10)),
        stamp(NOON + timedelta(minutes=3, seconds=12)),
    )
    assert store.query("SELECT app, traces FROM scorer_changes WHERE app = 'other'") == [
        {"app": "other", "traces": 1}
    ]
