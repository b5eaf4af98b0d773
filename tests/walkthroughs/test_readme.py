"""The example of the README, done as it stands there: published, read, scored."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Consumer

from judges.distilled import load_scorer
from schemas.formats.own import decode
from schemas.trace import LateFeedback, Trace
from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.rollup import roll_up
from stream.embedded.broker import EmbeddedBroker
from stream.pipeline import judge_batch
from tests.support.rows import trace_line

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
(PROGRAM,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def published(embedded_broker: EmbeddedBroker) -> list[bytes]:
    """What the README's program leaves on the topic."""
    program = PROGRAM.replace("127.0.0.1:9092", embedded_broker.address)
    topic = f"readme-{uuid4().hex[:8]}"
    subprocess.run([sys.executable, "-c", program.replace("rag.traces", topic)], check=True, timeout=60)
    consumer = Consumer(
        {
            "bootstrap.servers": embedded_broker.address,
            "group.id": topic,
            "auto.offset.reset": "earliest",
            "session.timeout.ms": 3000,
            "heartbeat.interval.ms": 1000,
        }
    )
    consumer.subscribe([topic])
    found: list[bytes] = []
    try:
        while len(found) < 2:
            message = consumer.poll(60)
            assert message is not None, "the program published too little"
            assert message.error() is None
            found.append(message.value() or b"")
    finally:
        consumer.close()
    return found


@pytest.mark.broker
def test_the_program_publishes_traces_of_ours(published: list[bytes]) -> None:
    for message in published:
        (trace,) = decode(message)
        assert isinstance(trace, Trace)
        assert trace.unknown == {}


@pytest.mark.broker
def test_the_verdicts_are_those_that_the_readme_shows(published: list[bytes]) -> None:
    traces = [trace for message in published for trace in decode(message) if isinstance(trace, Trace)]
    found = {judged.trace.trace_id: judged.line() for judged in judge_batch(traces, load_scorer())}
    shown = re.findall(r'^\{"trace_id": "(.*?)", "failure": "(\w+)".*?"rule": "(\w+)"\}', README, re.M | re.S)
    assert {name for name, _, _ in shown} == found.keys()
    for name, failure, rule in shown:
        assert (found[name]["failure"], found[name]["rule"]) == (failure, rule)


def test_the_late_feedback_of_the_readme_is_late_feedback() -> None:
    (message,) = re.findall(r'`(\{"trace_id": "t-1", "feedback": .*?\})`', README)
    (feedback,) = decode(json.dumps(json.loads(message)).encode())
    assert isinstance(feedback, LateFeedback)
    assert feedback.feedback.rating == -1


@pytest.mark.engine
def test_the_query_of_the_readme_answers_from_views_that_exist(dsn: str) -> None:
    store = connect(dsn)
    migrate(store)
    (query,) = re.findall(r"^```sql\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}.000"
    store.insert_raw("traces", trace_line("t-1", timestamp=now, tenant="acme", faithfulness=0.5))
    roll_up(store)
    (row,) = store.query(query)
    assert (row["tenant"], row["n"], row["faithfulness"]) == ("acme", 1, 0.5)
    (views,) = re.findall(r"^\| view \|.*\n(?:\|.*\n)+", README, re.MULTILINE)
    for view in re.findall(r"^\| `(\w+)`", views, re.MULTILINE):
        store.query(f"SELECT * FROM {view} LIMIT 1")
