"""Every query of every dashboard runs on the real engine, over simulated traffic, and finds something."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import jsonschema
import orjson
import pytest

from grafana import asking as grafana
from grafana.build import FOLDER, dashboards, text
from judges.distilled import load_scorer
from schemas.row import Provenance, Sampling, encode, trace_row
from schemas.scored import Judged
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.rollup import roll_up
from stream.demo.traffic import Traffic
from stream.embedded.engine import EmbeddedEngine
from stream.pipeline import judge_batch
from stream.sampling import draw
from tests.support.engine import ask

pytestmark = pytest.mark.engine

BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=40)
SHOWN = grafana.Shown(BEGIN - timedelta(minutes=5), BEGIN + timedelta(minutes=35))
TRACES = 900
OF_NO_SEGMENT = re.compile(
    "incident.json|variable |Agreement with people|Probe set|annotation incidents|alert rule"
)
"""What is shown whichever segment is chosen: judges are the same for all, an incident is one thing."""
SCHEMA = FOLDER.parents[1] / ".grafana-schema" / "schema.json"
QUERIES = [
    pytest.param(name, where, query, id=f"{name}: {where}")
    for name, board in dashboards().items()
    for where, query in grafana.asked_of(board, "clickhouse")
] + [
    pytest.param("alerting", where, query, id=f"alerting: {where}")
    for where, query in grafana.asked_by_alerts("clickhouse")
]


@pytest.fixture(scope="module")
def store(embedded_engine: EmbeddedEngine) -> Iterator[ClickHouse]:
    """Half an hour of the demo's traffic, sampled and judged, with a release and an incident."""
    client = connect(embedded_engine.dsn_of("dashboards"))
    migrate(client)
    lines = list(rows())
    client.insert_raw("traces", b"\n".join(lines))
    traces = [orjson.loads(line) for line in lines]
    for table, made in {
        "verdicts": [verdict(trace) for trace in traces if trace["sampled"]],
        "release_marks": [mark()],
        "incidents": [incident([trace["trace_id"] for trace in traces[:10]])],
        "rates": [rate(minute) for minute in range(30)],
        "judge_calibration": [calibration()],
        "judge_probes": [probe(number) for number in range(4)],
    }.items():
        client.insert_raw(table, b"\n".join(orjson.dumps(row) for row in made))
    roll_up(client)
    yield client
    client.close()
    ask(embedded_engine.address, "DROP DATABASE dashboards SYNC")


def rows() -> Iterator[bytes]:
    """Simulated traffic, scored as the worker scores it; every tenth trace has gold chunks."""
    traffic = Traffic(17)
    traces: list[Trace] = []
    while len(traces) < TRACES:
        for message in traffic.next(spiking=len(traces) > TRACES / 2):
            if message.truth:
                traces.append(timed(Trace.model_validate_json(message.value), len(traces)))
    scorer = load_scorer()
    for at in range(0, TRACES, 100):
        for judged in judge_batch(traces[at : at + 100], scorer):
            when = judged.trace.timestamp or BEGIN
            yield encode(trace_row(judged, Provenance("rag.traces", 0, at, when), sampling(judged), when))


def timed(trace: Trace, number: int) -> Trace:
    """The same trace at its place in the half hour."""
    values: dict[str, Any] = trace.model_dump()
    values["timestamp"] = BEGIN + timedelta(seconds=number * 1800 / TRACES)
    if number % 10 == 0 and trace.retrieval and trace.retrieval.chunks:
        values["gold"] = {"chunk_ids": [trace.retrieval.chunks[0].id]}
    return Trace.model_validate(values)


def sampling(judged: Judged) -> Sampling:
    return Sampling(draw(judged.trace.trace_id, "test") < 0.3, 0.3, ("control",))


def at(minute: float) -> str:
    return (BEGIN + timedelta(minutes=minute)).strftime("%Y-%m-%d %H:%M:%S.000")


def verdict(trace: dict[str, Any]) -> dict[str, Any]:
    """What a judge says who takes every other failure for something else."""
    names = ("trace_id", "timestamp", "app", "tenant", "language")
    return {name: trace[name] for name in names} | {
        "judge": "q", "model": "m", "rubric": "rag", "rubric_version": "1", "hallucination": 0.5,
        "failure": trace["failure"] if len(trace["question"] or "") % 2 else "empty_recall",
        "sample_probability": 0.3, "cost_usd": 0.001, "latency_ms": 900.0, "disagreement": 0.5,
        "created_at": trace["timestamp"],
    }  # fmt: skip


def mark() -> dict[str, Any]:
    return {
        "at": at(15), "app": "helpdesk", "part": "index", "value": "kb-2", "previous": "kb-1",
        "source": "manual", "note": "new documents", "made_by": "ops",
    }  # fmt: skip


def incident(cases: list[str]) -> dict[str, Any]:
    return {
        "incident_id": "i-1", "status": "open", "severity": "page", "kind": "change", "measure": "refusal",
        "segment": "tenant=acme", "tenant": "acme", "onset": at(15), "detected_at": at(17), "traces": 100,
        "evidence": 20.0, "summary": "refusal 5 % to 30 %", "cases": cases, "updated_at": at(17),
    }  # fmt: skip


def rate(minute: int) -> dict[str, Any]:
    return {
        "at": at(minute)[:19], "window_s": 300, "measure": "refusal", "segment": "tenant=acme",
        "tenant": "acme", "traces": 90, "measured": 90, "value": 0.05, "low": 0.02, "high": 0.1,
        "level": 0.95, "method": "cheap", "baseline": 0.04, "evidence": 0.3, "computed_at": at(minute),
    }  # fmt: skip


def calibration() -> dict[str, Any]:
    return {
        "judge": "q", "model": "m", "rubric": "rag", "rubric_version": "1", "measure": "failure", "n": 120,
        "kappa": 0.8, "low": 0.7, "high": 0.88, "calibrated": True, "at": at(5),
    }  # fmt: skip


def probe(number: int) -> dict[str, Any]:
    return {
        "run": "r", "at": at(5), "judge": "q", "model": "m", "rubric": "rag", "rubric_version": "1",
        "probe": f"p-{number}", "language": "zh", "expected": "healthy", "said": "healthy",
    }  # fmt: skip


@pytest.mark.parametrize(("board", "where", "query"), QUERIES)
def test_every_query_of_a_dashboard_finds_something(
    store: ClickHouse, board: str, where: str, query: str
) -> None:
    chosen = {"part": "release_index", "incident": "i-1"}
    shown = grafana.Shown(SHOWN.since, SHOWN.until, chosen=chosen)
    assert store.query(grafana.expand(query, shown)), f"{board}, {where}: no rows"


@pytest.mark.parametrize(
    ("board", "where", "query"), [q for q in QUERIES if "hour_rates" in str(q.values[2])]
)
def test_over_a_week_every_query_of_counts_finds_the_same_in_hours(
    store: ClickHouse, board: str, where: str, query: str
) -> None:
    chosen = {"part": "release_index", "incident": "i-1"}
    week = grafana.Shown(SHOWN.until - timedelta(days=7), SHOWN.until, 3_600, chosen)
    assert store.query(grafana.expand(query, week)), f"{board}, {where}: no rows"
    if where == "panel Traces":
        day = grafana.Shown(SHOWN.until - timedelta(days=1), SHOWN.until, 60, chosen)
        (in_hours,), (in_minutes,) = (store.query(grafana.expand(query, shown)) for shown in (week, day))
        assert in_hours["value"] == in_minutes["value"] == TRACES


@pytest.mark.parametrize(
    ("board", "where", "query"), [q for q in QUERIES if not OF_NO_SEGMENT.search(str(q.id))]
)
def test_every_query_follows_the_variables(store: ClickHouse, board: str, where: str, query: str) -> None:
    """A value that no trace has: everything that is filtered is empty or null, and nothing fails."""
    chosen = {"part": "release_index", "app": "it's no app", "tenant": "x", "language": "zh"}
    found = store.query(grafana.expand(query, grafana.Shown(SHOWN.since, SHOWN.until, chosen=chosen)))
    values = [value for row in found for name, value in row.items() if name != "time"]
    assert all(value in (None, 0) for value in values)


def test_the_dashboards_that_are_committed_are_those_that_the_code_makes() -> None:
    made = {name: text(board) for name, board in dashboards().items()}
    assert {path.name: path.read_text() for path in FOLDER.glob("*.json")} == made


def test_a_rate_lies_between_its_bounds(store: ClickHouse) -> None:
    board = dashboards()["overview.json"]
    asked = dict(grafana.asked_of(board, "clickhouse"))
    for row in store.query(grafana.expand(asked["panel Hallucination rate"], SHOWN)):
        if row["hallucination"] is not None:
            assert 0 <= row["low"] <= row["hallucination"] <= row["high"] <= 1


def test_the_dashboards_are_of_grafanas_own_type() -> None:
    if not SCHEMA.exists():
        pytest.skip("Grafana's type is not there: `make grafana-schema` (it needs npm)")
    schema = json.loads(SCHEMA.read_text())
    # What an annotation asks is each plugin's own; the type only knows Grafana's built-in one.
    schema["definitions"]["AnnotationTarget"]["additionalProperties"] = True
    validator = jsonschema.Draft7Validator(schema)
    for name, board in dashboards().items():
        faults = [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator.iter_errors(board)]
        assert not faults, name


def test_a_dashboard_with_a_wrong_field_is_not_of_that_type() -> None:
    if not SCHEMA.exists():
        pytest.skip("Grafana's type is not there: `make grafana-schema` (it needs npm)")
    broken = dashboards()["overview.json"]
    broken["panels"][0]["gridPos"] = "here"
    assert not jsonschema.Draft7Validator(json.loads(SCHEMA.read_text())).is_valid(broken)
