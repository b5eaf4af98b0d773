"""A courier carries messages to one receiver, over real HTTP, and holds up nobody."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from prometheus_client import CollectorRegistry

from sinks.evaluations.destination import Request
from sinks.evaluations.http import Poster
from stream.backoff import Backoff
from stream.telemetry import WatchMetrics
from stream.watch.courier import DROPPED, REFUSED, SENT, Courier
from tests.support.stand_in_receiver import Answer, StandInReceiver

Start = Callable[..., tuple[Courier, StandInReceiver, WatchMetrics]]


@pytest.fixture
def start() -> Iterator[Start]:
    parts: list[tuple[Courier, StandInReceiver]] = []

    def begin(
        *script: Answer, usual: Answer = Answer(), tries: int = 3
    ) -> tuple[Courier, StandInReceiver, WatchMetrics]:
        receiver, metrics = StandInReceiver(list(script), usual), WatchMetrics(CollectorRegistry())
        receiver.start()
        courier = Courier("webhook", Poster(receiver.url, {}, 2.0), metrics, 3, lambda: Backoff(0.01, 0.02))
        courier.start()
        parts.append((courier, receiver))
        return courier, receiver, metrics

    yield begin
    for courier, receiver in parts:
        courier.stop(5)
        receiver.stop()


def message(text: str) -> Callable[[], Request]:
    return lambda: Request("", "application/json", text.encode())


def wait_for(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def outcome(metrics: WatchMetrics, name: str) -> float:
    return metrics.told.labels("webhook", name)._value.get()


def test_messages_arrive_in_order_and_incidents_are_told_when_they_have(start: Start) -> None:
    courier, receiver, metrics = start()
    courier.send("a", message("first"), frozenset({"i1"}))
    courier.send("b", message("second"), frozenset({"i2"}))
    wait_for(lambda: len(receiver.taken) == 2)
    assert [request.body for request in receiver.taken] == [b"first", b"second"]
    wait_for(lambda: outcome(metrics, SENT) == 2)
    courier.stop(5)
    assert courier.told() == {"i1", "i2"}
    assert courier.told() == set()


def test_what_is_not_taken_now_is_tried_again(start: Start) -> None:
    courier, receiver, metrics = start(Answer(status=503), Answer(status=500))
    courier.send("a", message("news"), frozenset({"i1"}))
    wait_for(lambda: outcome(metrics, SENT) == 1)
    assert [request.status for request in receiver.received] == [503, 500, 200]


def test_after_all_tries_it_is_dropped_and_the_next_one_goes(start: Start) -> None:
    courier, receiver, metrics = start(*[Answer(status=503)] * 3)
    courier.send("a", message("lost"), frozenset({"i1"}))
    courier.send("b", message("next"), frozenset({"i2"}))
    wait_for(lambda: outcome(metrics, SENT) == 1)
    assert outcome(metrics, DROPPED) == 1
    assert [request.body for request in receiver.taken] == [b"next"]
    wait_for(lambda: courier.told() == {"i2"})


def test_what_is_refused_is_not_tried_again(start: Start) -> None:
    courier, receiver, metrics = start(Answer(status=400))
    courier.send("a", message("bad"))
    wait_for(lambda: outcome(metrics, REFUSED) == 1)
    assert len(receiver.received) == 1


def test_only_the_newest_of_one_key_is_sent(start: Start) -> None:
    courier, receiver, metrics = start(Answer(status=503, after_s=0.3))
    courier.send("alerts", message("old"), frozenset({"i1"}))
    wait_for(lambda: bool(receiver.received) or bool(courier._waiting))
    time.sleep(0.05)
    courier.send("alerts", message("new"), frozenset({"i2"}))
    wait_for(lambda: outcome(metrics, SENT) == 1)
    assert [request.body for request in receiver.taken] == [b"new"]
    wait_for(lambda: courier.told() == {"i1", "i2"})
