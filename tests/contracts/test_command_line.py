"""The one-shot commands against a real broker and a real engine."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from sinks.clickhouse.client import connect
from stream.demo.traffic import Traffic
from stream.embedded.broker import EmbeddedBroker
from tests.support.kafka import isolated_settings, read_all, read_until, unique
from tests.unit.stream.cli.test_files_commands import run

pytestmark = [pytest.mark.broker]

TRACE = b'{"trace_id":"t-1","conversation_id":"c-1","question":"q","answer":"a"}'
FEEDBACK = b'{"trace_id":"t-1","feedback":{"rating":1}}'


def at(broker: EmbeddedBroker, prefix: str = "rag.") -> dict[str, str]:
    return {"RAGPULSE_KAFKA__BROKERS": broker.address, "RAGPULSE_KAFKA__TOPIC_PREFIX": prefix}


def test_publish_sends_the_original_bytes_under_the_right_key(embedded_broker: EmbeddedBroker) -> None:
    prefix = unique() + "."
    done = run("publish", "-", "--json", stdin=TRACE + b"\n" + FEEDBACK, env=at(embedded_broker, prefix))
    assert done.returncode == 0, done.stderr
    report = orjson.loads(done.stdout)
    assert report["published"] == 2
    assert report["topic"] == f"{prefix}traces"
    messages = read_until(embedded_broker.address, f"{prefix}traces", 2)
    assert {(m.key(), m.value()) for m in messages} == {(b"c-1", TRACE), (b"t-1", FEEDBACK)}


def test_publish_leaves_out_what_cannot_be_read_and_says_so(embedded_broker: EmbeddedBroker) -> None:
    topic = unique("topic")
    lines = b"\n".join([TRACE, b"{oops", TRACE.replace(b"c-1", b"c-2")])
    for strict, code in ((), 0), (("--strict",), 1):
        done = run("publish", "-", "--topic", topic, *strict, stdin=lines, env=at(embedded_broker))
        assert done.returncode == code
        assert b"line 2: not_json" in done.stderr
        assert b"2 messages confirmed" in done.stderr
        assert b"warning: 1 lines could not be read" in done.stderr


def test_publish_raw_sends_it_all_the_same(embedded_broker: EmbeddedBroker) -> None:
    topic = unique("topic")
    done = run(
        "publish", "-", "--raw", "--topic", topic, stdin=TRACE + b"\n\xff{oops\n", env=at(embedded_broker)
    )
    assert done.returncode == 0
    messages = read_until(embedded_broker.address, topic, 2)
    assert {m.value() for m in messages} == {TRACE, b"\xff{oops"}


def test_publish_confirms_every_message_of_a_larger_file(
    embedded_broker: EmbeddedBroker, tmp_path: Path
) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"".join(message.value + b"\n" for message in Traffic(4).traces(1000)))
    topic = unique("topic")
    done = run("publish", path, "--topic", topic, "--json", env=at(embedded_broker))
    assert orjson.loads(done.stdout)["published"] == 1000
    messages = read_until(embedded_broker.address, topic, 900)
    assert sum(1 for _ in messages) >= 900


def test_a_message_that_no_broker_takes_is_reported_with_its_line(embedded_broker: EmbeddedBroker) -> None:
    big = b'{"trace_id":"big","question":"' + b"x" * 300_000 + b'","answer":"a"}'
    limited = {**at(embedded_broker), "RAGPULSE_KAFKA__MAX_MESSAGE_BYTES": "100000"}
    done = run("publish", "-", "--topic", unique("topic"), stdin=big + b"\n" + TRACE, env=limited)
    assert done.returncode == 0
    assert b"line 1: too_large" in done.stderr
    assert b"1 messages confirmed" in done.stderr


@pytest.mark.engine
def test_migrate_says_what_it_did_and_doctor_is_content_afterwards(
    embedded_broker: EmbeddedBroker, dsn: str
) -> None:
    settings = isolated_settings(embedded_broker.address)
    env = {**at(embedded_broker, settings.kafka.topic_prefix), "RAGPULSE_CLICKHOUSE__DSN": dsn}

    before = run("doctor", "--json", env=env)
    assert before.returncode == 1
    problem = next(c for c in orjson.loads(before.stdout)["checks"] if c["state"] == "problem")
    assert problem["name"] == "schema"
    assert problem["todo"] == "ragpulse migrate"

    first = run("migrate", "--json", env=env)
    assert first.returncode == 0, first.stderr
    assert orjson.loads(first.stdout)["applied"]
    second = run("migrate", env=env)
    assert second.returncode == 0
    assert b"nothing to do" in second.stderr

    after = run("doctor", env=env)
    assert after.returncode == 0, after.stdout.decode()
    assert embedded_broker.address.encode() in after.stdout

    connect(dsn).command(
        "INSERT INTO schema_migrations (version, name, checksum) VALUES (9000, 'future', 'x')"
    )
    newer = run("doctor", "--json", env=env)
    (schema,) = [c for c in orjson.loads(newer.stdout)["checks"] if c["name"] == "schema"]
    assert (newer.returncode, schema["state"]) == (0, "note")
    assert "at version 9000" in schema["detail"]


def test_dead_letters_of_an_empty_topic_are_none(embedded_broker: EmbeddedBroker) -> None:
    env = at(embedded_broker, unique() + ".")
    listed = run("dead", "list", env=env)
    assert (listed.returncode, listed.stdout) == (0, b"")
    replayed = run("dead", "replay", "--json", env=env)
    assert replayed.returncode == 0
    assert orjson.loads(replayed.stdout)["sent"] == 0


def bury(broker: EmbeddedBroker, prefix: str, value: bytes, **headers: str) -> None:
    """Put one dead letter on the topic, as the worker does."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.address})
    facts: list[tuple[str, str | bytes | None]] = [(name, text.encode()) for name, text in headers.items()]
    producer.produce(f"{prefix}dead", value, key=b"k", headers=facts)
    assert producer.flush(10) == 0


def test_dead_letters_are_listed_safely_and_replayed_once(embedded_broker: EmbeddedBroker) -> None:
    settings = isolated_settings(embedded_broker.address)
    prefix = settings.kafka.topic_prefix
    env = at(embedded_broker, prefix)
    bury(embedded_broker, prefix, b"\x1b[2J{oops", reason="not_json", topic=f"{prefix}traces", size="9")
    bury(embedded_broker, prefix, b"\xff\xfe", reason="not_utf8", topic=f"{prefix}traces", size="2")
    bury(embedded_broker, prefix, b"half", reason="too_large", topic=f"{prefix}traces", cut="1", size="99")

    listed = run("dead", "list", env=env)
    assert listed.returncode == 0
    assert len(listed.stdout.splitlines()) == 3
    assert b"\x1b" not in listed.stdout
    assert b"3 dead letters" in listed.stderr

    only = run("dead", "list", "--reason", "not_utf8", "--json", env=env)
    (letter,) = [orjson.loads(line) for line in only.stdout.splitlines()]
    assert letter["value_base64"] == "//4="
    assert letter["key"] == "k"

    dry = run("dead", "replay", "--dry-run", "--json", env=env)
    assert (dry.returncode, orjson.loads(dry.stdout)["sent"]) == (1, 2)
    first = run("dead", "replay", "--json", env=env)
    assert first.returncode == 1  # one letter is not complete, and stays
    assert orjson.loads(first.stdout)["sent_by_topic"] == {f"{prefix}traces": 2}
    again = orjson.loads(run("dead", "replay", "--json", env=env).stdout)
    assert (again["sent"], again["already"], again["cut"]) == (0, 2, 1)
    values = {message.value() for message in read_all(embedded_broker.address, f"{prefix}traces")}
    assert values == {b"\x1b[2J{oops", b"\xff\xfe"}
