"""Each process says whether it lives, whether it can work, and what it counted."""

from __future__ import annotations

import urllib.error
import urllib.request

import orjson
import pytest

from stream.endpoint import Endpoint, Health
from stream.errors import RagpulseError
from stream.settings import TelemetrySettings
from stream.telemetry import SinkMetrics, WorkerMetrics


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def _get(port: int | None, path: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_a_loop_that_no_longer_turns_is_not_healthy() -> None:
    clock = Clock()
    health = Health(stale_s=30, clock=clock)
    clock.now += 29
    assert health.alive()[0]
    clock.now += 2
    assert health.alive() == (False, {"last_beat_s": 31.0})
    health.beat()
    assert health.alive()[0]


def test_a_process_is_ready_once_nothing_is_missing() -> None:
    health = Health("scorer", "partitions")
    health.got("scorer")
    assert health.ready() == (False, {"missing": ["partitions"]})
    health.got("partitions")
    assert health.ready()[0]
    health.lost("partitions")
    assert not health.ready()[0]


def test_the_endpoint_answers_with_metrics_and_health() -> None:
    metrics, health = WorkerMetrics(), Health("scorer")
    metrics.dead.labels("not_json").inc(3)
    with Endpoint(TelemetrySettings(port=0), metrics.registry, health) as endpoint:
        status, page = _get(endpoint.port, "/metrics")
        assert status == 200
        assert b'ragpulse_dead_letters_total{reason="not_json"} 3.0' in page
        assert _get(endpoint.port, "/healthz")[0] == 200
        status, body = _get(endpoint.port, "/readyz")
        assert (status, orjson.loads(body)) == (503, {"ok": False, "missing": ["scorer"]})
        health.got("scorer")
        assert _get(endpoint.port, "/readyz")[0] == 200
        assert _get(endpoint.port, "/etc/passwd")[0] == 404


def test_no_port_means_no_endpoint() -> None:
    with Endpoint(TelemetrySettings(port=None), WorkerMetrics().registry, Health()) as endpoint:
        assert endpoint.port is None


def test_a_port_that_is_taken_is_named_with_its_setting() -> None:
    registry = WorkerMetrics().registry
    with Endpoint(TelemetrySettings(port=0), registry, Health()) as first:
        taken = TelemetrySettings(port=first.port)
        with pytest.raises(RagpulseError, match="RAGPULSE_TELEMETRY__PORT"):
            Endpoint(taken, registry, Health()).start()


def test_every_metric_carries_our_name() -> None:
    for metrics in (WorkerMetrics(), SinkMetrics()):
        names = {family.name for family in metrics.registry.collect()}
        foreign = {name for name in names if not name.startswith(("ragpulse_", "process_", "python_"))}
        assert foreign == set()
