"""Rows of somebody else, or damaged ones, whose measures lie outside 0..1: not measured, wherever we look."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from console.queries.period import NAMES, period
from console.queries.rates import read_rates
from console.queries.segment import Segment
from schemas.row import stamp
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.measured import MEASURES
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.rollup import roll_up
from stream.embedded.engine import EmbeddedEngine
from stream.report.sums import read_sums
from stream.rescore.compare import compare
from stream.rescore.items import Period
from stream.watch.reader import Reader
from stream.watch.records import Measure, SegmentKey
from stream.watch.store import WatchStore
from tests.support.console import Browser, open_console
from tests.support.rows import score_line, trace_line

pytestmark = pytest.mark.engine
AT = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=5)
SINCE, UNTIL = AT - timedelta(minutes=10), AT + timedelta(minutes=4)
WRONG = ("50.0", "-3", "nan", "inf")
"""What must not be counted; one trace holds each, and two hold 0.5."""


@pytest.fixture(scope="module")
def dsn(embedded_engine: EmbeddedEngine) -> Iterator[str]:
    dsn = embedded_engine.dsn_of("damaged_measures")
    client = connect(dsn)
    migrate(client)
    names = [f"t-{number}" for number in range(2 + len(WRONG))]
    values = {"timestamp": stamp(AT), "received_at": stamp(AT), **dict.fromkeys(MEASURES, 0.5)}
    client.insert_raw("traces", b"\n".join(trace_line(name, **values) for name in names))
    scores = [score_line(name, "s-2", "rescore", **(values | {"timestamp": stamp(AT)})) for name in names]
    client.insert_raw("scores", b"\n".join(scores))
    for name, wrong in zip(names[2:], WRONG, strict=True):
        for table in ("traces", "scores"):
            spoil(client, table, name, wrong)
    for table in ("traces", "scores"):
        client.command(f"OPTIMIZE TABLE {table} FINAL")
    roll_up(client)
    yield dsn
    client.close()


def spoil(client: ClickHouse, table: str, trace_id: str, wrong: str) -> None:
    """Write the row again with this in each measure: JSON would not let NaN in."""
    client.command(
        f"INSERT INTO {table} SELECT * REPLACE ({', '.join(f'toFloat32({wrong}) AS {m}' for m in MEASURES)}, "
        "scored_at + INTERVAL 1 SECOND AS scored_at, now64(3) AS inserted_at) "
        f"FROM {table} FINAL WHERE trace_id = '{trace_id}'"
    )


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    yield client
    client.close()


def test_minutes_add_up_what_lies_in_range(store: ClickHouse) -> None:
    columns = ", ".join(f"sum({m}_measured) AS {m}, sum({m}_sum) AS {m}_s" for m in MEASURES)
    (row,) = store.query(f"SELECT sum(traces) AS traces, {columns} FROM minute_rates")
    assert row == {"traces": 6, **dict.fromkeys(MEASURES, 2), **{f"{m}_s": 1.0 for m in MEASURES}}


@pytest.mark.parametrize("name", NAMES)
def test_the_console_shows_rates_of_what_lies_in_range(store: ClickHouse, name: str) -> None:
    whole = read_rates(store, period(name, UNTIL.timestamp()), Segment()).whole
    for measure in ("faithfulness", "answer_relevance", "context_sufficiency", "citation_precision"):
        figure = whole.figure(measure)
        assert (figure.value, figure.n) == (0.5, 2), measure
    assert whole.figure("hallucination").n == 2


def test_every_page_is_there(dsn: str) -> None:
    browser = Browser(open_console(dsn), "vera")
    for path in ("/", "/?period=7d", "/incidents", "/judges", "/gaps", *(f"/case/t-{n}" for n in range(6))):
        answer = browser.get(path)
        assert answer.status_code == 200, path
        assert not {"5000%", "50.00", "-3.00", "nan", "inf"} & set(answer.text.split()), path


def test_the_watch_takes_them_for_not_measured(store: ClickHouse) -> None:
    reader = Reader(store, 5.0, 1_000)
    batches = list(reader.replay(reader.now() - 3_000, reader.now() + 60))
    for measure in ("hallucination", "faithfulness"):
        values = np.concatenate([getattr(batch, measure) for batch in batches])
        assert np.nanmin(values) == np.nanmax(values) == 0.5
        assert np.isnan(values).sum() == len(WRONG)


def test_what_lies_outside_is_the_worst_case_of_nothing(store: ClickHouse) -> None:
    between = (SINCE.timestamp(), UNTIL.timestamp())
    found = WatchStore(store).candidates(Measure.HALLUCINATION, SegmentKey(), *between)
    assert {one.trace_id for one in found[:2]} == {"t-0", "t-1"}


def test_reports_add_up_what_lies_in_range(store: ClickHouse) -> None:
    sums, _ = read_sums(store, "app", "trace_id != ''", {})
    ((_, strata),) = sums.items()
    whole: Any = sum(strata.values())
    measures = list(Measure)
    for measure in (Measure.HALLUCINATION, Measure.FAITHFULNESS):
        n, bad, squares = whole[measures.index(measure)][:3]
        assert (n, bad, squares) == (2.0, 1.0, 0.5), measure


def test_a_rescored_period_is_compared_by_what_lies_in_range(store: ClickHouse) -> None:
    found = compare(store, Period(SINCE, UNTIL), "s-2")
    assert found["compared"] == 6
    assert {name: one["compared"] for name, one in found["scores"].items()} == dict.fromkeys(MEASURES, 2)
