"""Apache Kafka as the tests and benchmarks run it: killed while it starts, it leaves nothing that writes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from stream.embedded import child
from tests.support.kafka import SCRIPT, ApacheKafka, missing_reason


@pytest.mark.kafka
@pytest.mark.skipif(missing_reason() is not None, reason=str(missing_reason()))
@pytest.mark.parametrize("end", ["kill", "stop"])
def test_what_its_script_runs_first_goes_with_it(end: str, tmp_path: Path) -> None:
    broker = ApacheKafka(tmp_path)
    command = ["bash", str(SCRIPT), str(broker.port), str(tmp_path / "data")]
    broker._process = child.spawn(command, tmp_path / "kafka.log")
    until = time.monotonic() + 20
    while not _running(tmp_path) and time.monotonic() < until:
        time.sleep(0.01)
    assert _running(tmp_path), "the folder is being formatted"
    getattr(broker, end)()
    until = time.monotonic() + 1
    while _running(tmp_path) and time.monotonic() < until:
        time.sleep(0.01)
    assert _running(tmp_path) == []


def _running(folder: Path) -> list[str]:
    """Command lines of Java's processes that work on a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = place.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if line.startswith("java") and str(folder) in line:
            found.append(line)
    return found
