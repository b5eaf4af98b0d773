"""Whatever the worker can write, the tables can read: hostile messages, all the way into ClickHouse."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from judges.distilled import load_scorer
from schemas.formats import Unreadable
from schemas.formats.own import decode
from schemas.row import Provenance, Sampling, encode, feedback_row
from schemas.trace import LateFeedback, Trace
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.insert import insert_rows
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.rollup import roll_up
from stream.pipeline import judge_batch
from stream.worker.outputs import encode_judged
from tests.support import hostile

pytestmark = pytest.mark.engine

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Line:
    """A row as the sink hands it over."""

    topic, partition, timestamp_ms = "rag.scored", 0, 1

    def __init__(self, offset: int, text: bytes) -> None:
        self.offset, self._text = offset, text

    def line(self) -> bytes:
        return self._text


def hostile_items(count: int) -> list[Trace | LateFeedback]:
    """Everything readable among so many hostile messages."""
    found: list[Trace | LateFeedback] = []

    @hypothesis_settings(
        max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(hostile.messages)
    def collect(data: bytes) -> None:
        found.extend(item for item in decode(data) if not isinstance(item, Unreadable))

    collect()
    return found


def store_all(store: ClickHouse, table: str, lines: Sequence[bytes]) -> set[str]:
    """Insert rows, of which none may be refused; returns the ids that the table then holds."""
    rows = [Line(number, line) for number, line in enumerate(lines)]
    outcome = insert_rows(store, table, rows)
    assert outcome.rejected == []
    return {row["id"] for row in store.query(f"SELECT DISTINCT trace_id AS id FROM {table} FINAL")}


def test_no_row_of_the_worker_is_refused_by_its_table(dsn: str) -> None:
    store = connect(dsn)
    migrate(store)
    items = hostile_items(1_500)
    traces = [item for item in items if isinstance(item, Trace)]
    late = [item for item in items if isinstance(item, LateFeedback)]
    whence = [Provenance("rag.traces", 0, number, AT) for number in range(len(items))]
    scored = [
        encode_judged(judged, provenance, Sampling(True, 0.5, ("control",)), AT).row
        for judged, provenance in zip(judge_batch(traces, load_scorer()), whence, strict=False)
    ]
    said = [encode(feedback_row(item, provenance)) for item, provenance in zip(late, whence, strict=False)]
    assert len(scored) > 40
    assert store_all(store, "traces", scored) == {orjson.loads(row)["trace_id"] for row in scored}
    assert store_all(store, "feedback", said) == {orjson.loads(row)["trace_id"] for row in said}
    roll_up(store)
    (counts,) = store.query(
        "SELECT (SELECT sum(traces) FROM minute_rates) AS rolled, "
        "(SELECT count() FROM traces FINAL) AS stored"
    )
    assert counts["rolled"] == counts["stored"]
