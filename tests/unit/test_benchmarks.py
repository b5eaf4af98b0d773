"""The benchmarks' own parts: what they feed, where they run it, how they watch and sum up."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import orjson
import pytest
from confluent_kafka import Consumer, TopicPartition

from benchmarks import _common
from benchmarks._common import (
    PARTITIONS,
    Cores,
    Flow,
    Messages,
    Spread,
    create_topics,
    fill_topic,
    last_words,
    load_messages,
    pinned,
    ratios,
    watch,
)
from benchmarks._spans import FOLDER, SPANS_A_MESSAGE, make_messages
from benchmarks.throughput import Report, faust_command, plain_command, table
from schemas.formats.otlp import read_json, read_proto
from stream import topics
from stream.embedded.broker import EmbeddedBroker

MESSAGES = Messages([{"trace_id": "a", "question": "Why?", "answer": "So."}, {"trace_id": "b"}], "two")
SOMEWHERE = min(os.sched_getaffinity(0))


def test_repeated_messages_have_ids_of_their_own() -> None:
    pairs = list(MESSAGES.take(5))
    assert [key for key, _ in pairs] == [f"bench-{n:08d}".encode() for n in range(5)]
    assert orjson.loads(pairs[2][1]) == {"trace_id": "bench-00000002", "question": "Why?", "answer": "So."}


def test_labels_do_not_travel(tmp_path: Path) -> None:
    file = tmp_path / "labelled.jsonl"
    file.write_bytes(b'{"trace_id": "a", "expected": "hallucination"}\n')
    assert load_messages(file).bodies == [{"trace_id": "a"}]


def test_simulated_traces_stand_in_where_labelled_ones_are_absent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_common, "LABELLED", tmp_path / "absent.jsonl")
    messages = load_messages()
    assert "simulated" in messages.origin
    assert len({body["trace_id"] for body in messages.bodies}) == 280


def test_a_file_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_messages(tmp_path / "absent.jsonl")


def test_ratios_are_taken_round_by_round() -> None:
    assert ratios([1.0, 4.0, 9.0], [2.0, 4.0, 3.0]) == Spread(median=1.0, least=0.5, most=3.0)


def test_the_measured_process_stays_on_its_core(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = "import os; print(*os.sched_getaffinity(0), os.environ['WHO'])"
    with pinned(SOMEWHERE, [sys.executable, "-c", program], log, {"WHO": "me"}) as process:
        assert process.wait(30) == 0
    assert log.read_text().split() == [str(SOMEWHERE), "me"]


def test_the_report_sets_ours_beside_theirs() -> None:
    report = Report("a machine", Cores(1, 0), "messages")
    for seconds in (2.0, 4.0, 5.0):
        report.flows["a"].append(Flow(1000, seconds, cpu_s=seconds))
        report.flows["c"].append(Flow(1000, 1.0, cpu_s=1.0))
    text = table(report)
    assert "a/c  0.25 (0.20–0.50)   by processor time 0.250 (0.200–0.500)" in text
    assert "a/b" not in text


@pytest.fixture
def filled(embedded_broker: EmbeddedBroker, monkeypatch: pytest.MonkeyPatch) -> str:
    """Address of the broker, with 40 messages on a topic of the test's own."""
    monkeypatch.setattr(topics, "TRACES", f"bench-in-{os.urandom(4).hex()}")
    monkeypatch.setattr(topics, "SCORED", f"bench-out-{os.urandom(4).hex()}")
    create_topics(embedded_broker.address, [topics.TRACES, topics.SCORED])
    fill_topic(embedded_broker.address, topics.TRACES, MESSAGES.take(40))
    return embedded_broker.address


@pytest.mark.broker
@pytest.mark.parametrize("command", [plain_command, faust_command], ids=["confluent", "faust"])
def test_a_pass_through_passes_everything_on_unchanged(command, filled: str, tmp_path: Path) -> None:
    line, env = command(filled)
    with pinned(SOMEWHERE, line, tmp_path / "log", env):
        found = read_all(filled, topics.SCORED, 40)
    assert found == sorted(MESSAGES.take(40)), last_words(tmp_path / "log")


def read_all(address: str, topic: str, count: int) -> list[tuple[bytes, bytes]]:
    consumer = Consumer({"bootstrap.servers": address, "group.id": topic, "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
    try:
        found = consumer.consume(count, timeout=20)
        return sorted((message.key() or b"", message.value() or b"") for message in found)
    finally:
        consumer.close()


@pytest.mark.broker
def test_too_few_messages_measure_nothing(filled: str, tmp_path: Path) -> None:
    fill_topic(filled, topics.SCORED, MESSAGES.take(40))
    idle = [sys.executable, "-c", "import time; time.sleep(60)"]
    with (
        pinned(SOMEWHERE, idle, tmp_path / "log") as process,
        pytest.raises(RuntimeError, match="too few"),
    ):
        watch(filled, topics.SCORED, process, warm=1, total=1, log=tmp_path / "log")


@pytest.mark.broker
def test_a_process_that_dies_is_reported_with_its_last_words(filled: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    dying = [sys.executable, "-c", "import sys; sys.exit('out of ink')"]
    with pinned(SOMEWHERE, dying, log) as process, pytest.raises(RuntimeError, match="out of ink"):
        watch(filled, topics.SCORED, process, warm=1, total=40, log=log)


@pytest.mark.shared
@pytest.mark.skipif(not FOLDER.exists(), reason=f"{FOLDER} is not here")
def test_the_same_spans_are_measured_in_both_encodings_each_trace_under_an_id_of_its_own() -> None:
    messages = make_messages(2)
    read = [[read_proto(data) for data in messages.proto], [read_json(data) for data in messages.json]]
    proto, written = ([span for found in side if isinstance(found, list) for span in found] for side in read)
    assert proto == written
    assert len(proto) == messages.spans
    assert len({span.trace_id for span in proto}) == messages.traces
    assert max(len(found) for found in read[0] if isinstance(found, list)) <= SPANS_A_MESSAGE


def test_without_the_labelled_spans_nothing_is_measured(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        make_messages(1, tmp_path)
