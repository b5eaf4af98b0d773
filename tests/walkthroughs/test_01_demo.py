"""Walk-through 1: one command shows all of it.

`ragpulse demo` starts a broker, a ClickHouse engine, a worker, a sink and the watch, publishes simulated
traffic, and compares what was injected with what was found.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from schemas.taxonomy import FAILURES, HEALTHY
from tests.support.alerting import ALERTMANAGER, alertmanager
from tests.support.stand_in_receiver import StandInReceiver, stand_in_receiver

pytestmark = [pytest.mark.broker, pytest.mark.engine]


@pytest.fixture
def on_call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StandInReceiver, dict[str, str]]]:
    """Somebody behind Alertmanager, where that is installed; and the setting that tells the demo of it."""
    with stand_in_receiver() as receiver:
        if ALERTMANAGER is None:
            yield receiver, {}
            return
        with alertmanager(tmp_path_factory.mktemp("alertmanager"), receiver.url) as url:
            yield receiver, {"RAGPULSE_WATCH__ALERTMANAGER_URL": url}


def test_the_demo_finds_every_injected_class_and_loses_nothing(
    tmp_path: Path, on_call: tuple[StandInReceiver, dict[str, str]]
) -> None:
    command = [
        sys.executable,
        "-m",
        "stream.cli",
        "demo",
        "--seconds",
        "24",
        "--rate",
        "100",
        "--seed",
        "7",
        "--console",
        "--json",
    ]
    receiver, settings = on_call
    environment = {
        **os.environ,
        **settings,
        "TMPDIR": str(tmp_path),
        "HOME": str(tmp_path),
        # Settings of somebody's cluster must not reach the demo.
        "RAGPULSE_KAFKA__BROKERS": "127.0.0.1:9",
        "RAGPULSE_CLICKHOUSE__DSN": "http://127.0.0.1:9/ragpulse",
    }
    done = subprocess.run(command, env=environment, capture_output=True, timeout=150, check=False)

    # Exactly one JSON object on standard output; what a person reads goes to standard error.
    said = done.stderr.decode()
    assert done.stdout.count(b"\n") == 1, said
    report = orjson.loads(done.stdout)
    assert report["findings"] == [], said
    assert done.returncode == 0
    assert "Injected against found" in said
    assert "rolls out prompt" in said
    assert said.count("/login#token=") == 2, "an address for each of two people, once"

    # Nothing lost, nothing twice: the same count on the topic, behind the worker, and in the table.
    assert report["published"] == report["scored"] == report["rows"] > 0
    assert report["dead"] == report["dead_expected"] > 0
    assert report["feedback"]["published"] == report["feedback"]["rows"] > 0

    # Every class was injected, and every class was found.
    classes = report["by_class"]
    assert list(classes) == [HEALTHY, *FAILURES]
    assert sum(line["injected"] for line in classes.values()) == report["published"]
    assert sum(line["found"] for line in classes.values()) == report["rows"]
    for name, line in classes.items():
        assert line["injected"] > 0, name
        assert line["found"] > 0, name
        assert 0 < line["precision"] <= 1, name
        assert 0 < line["recall"] <= 1, name

    # The release that makes one tenant's model hallucinate shows.
    spike = report["spike"]
    assert spike["injected_after"]["rate"] > spike["injected_before"]["rate"]
    assert spike["after"]["rate"] > spike["before"]["rate"]

    # It is one incident, which names tenant and release, knows when it began, and lists what was injected.
    (incident,) = report["incidents"]
    assert (incident["segment"], incident["severity"]) == ("app=helpdesk,tenant=lumen", "page")
    assert incident["release"] == "prompt=p8"
    assert abs(incident["onset_error_seconds"]) < 30
    assert incident["cases_injected"] >= 8

    # Whoever is on call has heard of it through Alertmanager: of this one, and of none of its parts.
    bodies = [orjson.loads(request.body) for request in receiver.received]
    alerts = [alert for body in bodies for alert in body["alerts"]]
    if settings:
        assert {alert["labels"]["incident"] for alert in alerts} == {incident["incident"]}
        assert {alert["labels"]["segment"] for alert in alerts} == {incident["segment"]}
        assert {alert["annotations"]["release"] for alert in alerts} == {incident["release"]}

    # And nothing is left behind.
    assert list(tmp_path.iterdir()) == []
