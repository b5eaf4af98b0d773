"""All processes and services of one deployment on this machine, each within reach of a fault."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.embedded import child
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.engine import EmbeddedEngine
from stream.settings import Settings
from tests.chaos.network import SERVERS, Network, have_namespace
from tests.chaos.wire import Wire
from tests.support.kafka import ApacheKafka, environment, isolated_settings
from tests.support.sink import QUICK
from tests.support.stand_in_llm import StandIn, slowly

CLOCK_LIBRARIES = (
    Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
    Path("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"),
)
KINDS = ("worker", "sink", "judge")
_ENDED_WHEN_ASKED = (0, 128 + signal.SIGTERM)
"""The latter where it had not begun to work."""
_JUDGE_LATENCY_S = 0.05
_DISK_MB = 700
_START_S = 60.0
_AT_WORK = {"worker": "partitions assigned", "sink": "partitions assigned", "judge": "judge starts"}


@dataclass
class Member:
    """One process of ours: started, killed, frozen, and started again by whoever did that to it."""

    name: str
    kind: str
    variables: dict[str, str]
    log: Path
    within: Sequence[str] = ()
    """What its command begins with: the way into a namespace of its own."""
    process: subprocess.Popen[bytes] | None = None
    ended_by_itself: list[int] = field(default_factory=list)
    """Exit codes that nobody asked for."""

    def start(self, **more: str) -> None:
        """Start it, unless it runs. `more` are environment variables for this time alone."""
        self.look()
        if self.process is not None:
            return
        command = [*self.within, sys.executable, "-m", "stream.cli", self.kind]
        self.process = child.spawn(command, self.log, env=self.variables | more)

    def look(self) -> None:
        """Note an end that nobody asked for."""
        if self.process is not None and (code := self.process.poll()) is not None:
            self.ended_by_itself.append(code)
            self.process = None

    def forgive(self, code: int) -> None:
        """Such an end was to be expected."""
        self.ended_by_itself = [other for other in self.ended_by_itself if other != code]

    @property
    def at_work(self) -> bool:
        """Whether it was given work once, by its log."""
        return _AT_WORK[self.kind] in self.log.read_text(errors="replace")

    def kill(self) -> None:
        """SIGKILL."""
        self.look()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self, budget_s: float = 20.0) -> None:
        """SIGTERM, and wait. An exit code that does not come of being asked, or none in time, is noted."""
        self.thaw()  # what stands still hears nothing
        if self.process is None:
            return
        self.process.terminate()
        try:
            code = self.process.wait(budget_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process = None
        if code not in _ENDED_WHEN_ASKED:
            self.ended_by_itself.append(code)

    def freeze(self) -> None:
        """SIGSTOP: it neither works nor says goodbye."""
        self._send(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self._send(signal.SIGCONT)

    def _send(self, number: signal.Signals) -> None:
        self.look()
        if self.process is not None:
            self.process.send_signal(number)


class World:
    """A broker, an engine, judges' endpoint, and the processes of ours, wired so that each wire can fail.

    `with World(folder, apache=True) as world:` starts everything; the topics are there then. All is started,
    killed and started again from one thread: children are killed when the thread that started them ends.
    """

    def __init__(self, folder: Path, *, apache: bool, workers: int = 2) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.apache = apache
        self.small_disk: Path | None = None
        """Where the engine's data lie, if that is a file system small enough to be filled."""
        self.network: Network | None = None
        """The cables of the processes of ours, where each has a namespace of its own."""
        self._stack = ExitStack()
        self._wanted_workers = workers
        self.members: dict[str, Member] = {}

    def __enter__(self) -> Self:
        try:
            self._start_services()
            self._start_members()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start_services(self) -> None:
        enter = self._stack.enter_context
        self.network = enter(Network()) if have_namespace() else None
        host = SERVERS if self.network else child.LOOPBACK
        self.broker_wire = enter(Wire(self._broker_address, host))
        self.engine_wire = enter(Wire(lambda: self.engine.address, host))
        self.llm_wire = enter(Wire(lambda: self.llm.base_url.split("/")[2], host))
        advertised = self.broker_wire.address
        self.broker: ApacheKafka | EmbeddedBroker
        if self.apache:
            (self.folder / "kafka").mkdir()
            self.broker = ApacheKafka(self.folder / "kafka", advertised_listeners=f"PLAINTEXT://{advertised}")
            self._stack.callback(self.broker.kill)
            self.broker.start()
        else:
            self.broker = EmbeddedBroker(log=self.folder / "broker.log", advertised=advertised)
            self._stack.callback(self.broker.stop)  # also while it starts
            self.broker.start()
        self.small_disk = self._mount_small_disk()
        data = (self.small_disk or self.folder) / "engine"
        self.engine = EmbeddedEngine(path=data, log=self.folder / "engine.log")
        self._stack.callback(self.engine.stop)
        self.engine.start()
        self.llm = enter(StandIn(behave=lambda body, number: slowly(_JUDGE_LATENCY_S), keep=10))
        self.settings = self._settings()
        self.store = connect(self.engine.dsn_of("chaos"))
        """The engine itself, not through the wire: what is really stored."""
        migrate(self.store)

    def _broker_address(self) -> str:
        return self.broker.address

    def _mount_small_disk(self) -> Path | None:
        if os.geteuid() != 0:
            return None
        place = self.folder / "disk"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={_DISK_MB}m", "ragpulse-chaos", str(place)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
        self._stack.callback(subprocess.run, ["umount", "--lazy", str(place)], check=False)
        return place

    def _settings(self) -> Settings:
        quick: dict[str, Any] = {
            "base_url": f"http://{self.llm_wire.address}/v1",
            "model": self.llm.model,
            "state_file": str(self.folder / "judge.sqlite"),
            "concurrency": 8,
            "timeout_s": 5.0,
            "breaker_rest_s": 0.2,
            "stop_budget_s": 5.0,
        }
        return isolated_settings(
            self.broker_wire.address,
            partitions=4,
            kafka={"session_timeout_ms": 3_000},
            worker={"batch_size": 32},
            sink=QUICK,
            judge=quick,
            sampling={"base_rate": 0.1},
            calibration={"probe_every_h": 0},
            clickhouse={"dsn": f"http://{self.engine_wire.address}/chaos", "timeout_s": 5.0},
            telemetry={"log_format": "json"},
        )

    def _start_members(self) -> None:
        variables = environment(self.settings)
        variables["RAGPULSE_CLICKHOUSE__DSN"] = self.settings.clickhouse.dsn.get_secret_value()
        variables["PYTHONDONTWRITEBYTECODE"] = "1"
        variables["TMPDIR"] = str(self.folder)  # they are killed in the end, and nobody would sweep up
        kinds = [f"worker-{n}" for n in range(4)] + ["sink-0", "judge-0"]
        for name in kinds:
            kind = name.split("-")[0]
            member = self.members[name] = Member(name, kind, variables, self.folder / f"{name}.log")
            if self.network is not None:
                self.network.add(name)
                member.within = self.network.within(name)
        self._stack.callback(self._end_members)
        self.run_all()
        started = [member for member in self.members.values() if member.process is not None]
        if not wait_until(lambda: all(member.at_work for member in started), _START_S):
            raise RuntimeError("\n".join(child.tail(member.log) for member in started if not member.at_work))

    def _end_members(self) -> None:
        for member in self.members.values():
            member.thaw()
            member.kill()

    def of(self, kind: str) -> list[Member]:
        """The processes of a kind that run."""
        for member in self.members.values():
            member.look()
        return [m for m in self.members.values() if m.kind == kind and m.process is not None]

    def wanted(self, kind: str) -> list[Member]:
        """The processes of a kind that a round begins and ends with, running at the moment or not."""
        of_kind = [member for member in self.members.values() if member.kind == kind]
        return of_kind[: self._wanted_workers] if kind == "worker" else of_kind

    def run_all(self) -> None:
        """Have the processes run that a round begins and ends with: the workers wanted, a sink, a judge."""
        for kind in KINDS:
            for member in self.wanted(kind):
                member.thaw()
                member.start()

    def heal(self) -> None:
        """Everything as it should be, whatever was done to it."""
        for wire in (self.engine_wire, self.broker_wire):
            wire.slow_down(0.0)
            wire.let_go()
            wire.plug_in()
        if self.network is not None:
            self.network.plug_all_in()
        self.run_all()

    def crashes(self) -> dict[str, list[int]]:
        """Exit codes of processes that ended without being asked, by name; asked about once."""
        found = {}
        for name, member in self.members.items():
            member.look()
            if member.ended_by_itself:
                found[name] = member.ended_by_itself
                member.ended_by_itself = []
        return found

    def read_store(self, question: str, **parameters: Any) -> list[dict[str, Any]]:
        """Rows from the engine itself."""
        return self.store.query(question, parameters)


def clock_library() -> Path | None:
    """What makes a process believe in another time, where it is installed."""
    return next((path for path in CLOCK_LIBRARIES if path.exists()), None)


def wait_until(condition: Callable[[], bool], budget_s: float, every_s: float = 0.1) -> bool:
    """Whether it came true within the budget."""
    until = time.monotonic() + budget_s
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(every_s)
    return True


__all__ = ["KINDS", "Member", "World", "clock_library", "wait_until"]
