"""Walk-through 1: one command shows all of it.

`ragpulse demo` starts a broker, a ClickHouse engine, a worker, a sink and the watch, publishes simulated
traffic, and compares what was injected with what was found.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from schemas.taxonomy import FAILURES, HEALTHY

pytestmark = [pytest.mark.broker, pytest.mark.engine]


def test_the_demo_finds_every_injected_class_and_loses_nothing(tmp_path: Path) -> None:
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
        "--json",
    ]
    environment = {
        **os.environ,
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

    # And nothing is left behind.
    assert list(tmp_path.iterdir()) == []
