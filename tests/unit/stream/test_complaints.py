"""A topic whose bytes are not what its setting says: told at once, and then by most of what comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs

from schemas.formats import base
from stream.worker.complaints import SAY_AGAIN_S, Complaints

OWN = b'{"trace_id": "t", "question": "q", "answer": "a"}'
ZIPKIN = b'[{"traceId": "1", "localEndpoint": {}}]'
UTF16 = '{"trace_id": 1}'.encode("utf-16")


class Bytes:
    """A message of topic `t`."""

    def __init__(self, value: bytes) -> None:
        self._value = value

    def topic(self) -> str:
        return "t"

    def value(self) -> bytes:
        return self._value


class Ear:
    """Complaints about topic `t`, with a clock that goes on by `every_s` a message."""

    def __init__(self, wanted: str) -> None:
        self.now = 1_000.0
        self.complaints = Complaints({"t": wanted}, lambda: self.now)

    def hear(self, value: bytes, times: int = 1, every_s: float = 0.0, reason: str = base.NOT_OTLP) -> None:
        for _ in range(times):
            self.complaints.hear(Bytes(value), reason)  # type: ignore[arg-type]
            self.now += every_s


@pytest.fixture
def said() -> Iterator[list[Any]]:
    with capture_logs() as lines:
        yield lines


def test_the_first_message_is_told_of_at_once(said: list[Any]) -> None:
    Ear("otlp_proto").hear(OWN)
    (line,) = said
    assert (
        "(otlp_proto): the bytes look like ragpulse's own JSON; set its format to ragpulse" in line["event"]
    )


def test_a_stray_first_message_does_not_speak_for_the_next_minute(said: list[Any]) -> None:
    ear = Ear("otlp_proto")
    ear.hear(UTF16)
    ear.hear(OWN, times=30, every_s=SAY_AGAIN_S / 30)
    ear.hear(ZIPKIN)
    first, second = (line["event"] for line in said)
    assert "the bytes look like UTF-16" in first
    assert "30 of 31 bad messages that were looked at look like ragpulse's own JSON" in second


def test_of_a_flood_a_message_every_half_second_is_looked_at(said: list[Any]) -> None:
    ear = Ear("otlp_proto")
    ear.hear(OWN)
    ear.hear(UTF16, times=20)
    ear.hear(ZIPKIN, times=6_100, every_s=0.01)
    (_, line) = said
    count, of = (int(word) for word in line["event"].split("otlp_proto): ")[1].split()[:3:2])
    assert 100 < count < of < 150
    assert line["looks_like"] is None
    assert "spans of Zipkin" in line["event"]


def test_messages_of_the_right_encoding_are_no_reason_to_complain(said: list[Any]) -> None:
    ear = Ear("ragpulse")
    ear.hear(OWN, times=50, every_s=5.0, reason=base.WRONG_TYPE)
    ear.hear(UTF16, reason="too_large")
    assert said == []
