"""The roller: how long it rests after a run, by what came of it."""

from __future__ import annotations

from itertools import chain, repeat

import pytest

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.rollup import RollupRun
from sinks.errors import SinkUnreachable
from stream.settings import Settings
from stream.sink import roller
from stream.sink.roller import Roller
from stream.telemetry import SinkMetrics

TOOK_S = 30.0


def make_roller() -> Roller:
    """Each of its runs takes as long as a store has to answer."""
    clock = chain([0.0], repeat(TOOK_S))
    store = ClickHouse("http://127.0.0.1:1/ragpulse", timeout_s=1.0)
    return Roller(store, Settings(), SinkMetrics(), clock=lambda: next(clock))


def test_inserts_have_five_times_as_long_as_a_run_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roller, "roll_up", lambda *_, **__: RollupRun(minutes=3))
    assert make_roller().run_once() == 5 * TOOK_S


def test_a_run_that_waited_in_vain_is_soon_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait_in_vain(*_: object, **__: object) -> RollupRun:
        raise SinkUnreachable("ClickHouse does not answer")

    monkeypatch.setattr(roller, "roll_up", wait_in_vain)
    assert make_roller().run_once() == TOOK_S
