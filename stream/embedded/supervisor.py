"""All of ragpulse on one machine: the embedded broker and engine, and the same processes as elsewhere.

The workers and the sink are the commands `ragpulse worker` and `ragpulse sink`, told by RAGPULSE_*
variables where the parts are. Whatever dies is started again after a pause that grows; only the broker
is not, for its data dies with it. Everything ends with us, also when we are killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from stream import topics
from stream.embedded import child
from stream.embedded.broker import EmbeddedBroker, find_binary
from stream.embedded.engine import EmbeddedEngine, require_engine
from stream.errors import RagpulseError
from stream.kafka.admin import ensure_topics
from stream.settings import JudgeSettings, KafkaSettings

_READY_S: Final = 300.0
"""Far more than it takes, but once: the first worker compiles the scorer for the machine."""
_MIGRATE_S: Final = 60.0
_STOP_S: Final = 12.0
_WATCH_S: Final = 0.2
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 8.0
_STEADY_S: Final = 20.0
_START_FAILURES: Final = 3
_SESSION_TIMEOUT_MS: Final = 6_000
_NO_SETTINGS: Final = "none.toml"
"""An empty file: the user's own must not reach the children, not by way of the current folder either."""
_OURS: Final = (
    "RAGPULSE_KAFKA__", "RAGPULSE_CLICKHOUSE__", "RAGPULSE_TELEMETRY__", "RAGPULSE_CONSOLE__",
    "RAGPULSE_CONFIG",
)  # fmt: skip
"""Settings of the user's own cluster: never for the children here."""


_COMMANDS: Final = {"annotate": ("annotate", "fill")}
"""Of processes whose command is not their name."""


def names_a_judge(environment: Mapping[str, str]) -> bool:
    """Whether these variables name a judge to ask. The user's settings file does not reach the children."""
    return any(environment.get(f"RAGPULSE_JUDGE__{name}") for name in ("MODEL", "JUDGES"))


def _for_the_judge() -> dict[str, str]:
    """Unless told otherwise: the accounts of whoever starts it, and an end in time."""
    file = JudgeSettings().state_file
    return {"RAGPULSE_JUDGE__STATE_FILE": str(file.absolute()), "RAGPULSE_JUDGE__STOP_BUDGET_S": "8"}


class Child:
    """One of our processes: started, watched, started again."""

    def __init__(self, name: str, folder: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self.port = 0
        self.restarts = 0
        self.log = folder / f"{name}.log"
        self._folder = folder
        self._command = [sys.executable, "-m", "stream.cli", *_COMMANDS.get(name, (name.split("-")[0],))]
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._due = 0.0
        self._pause = _FIRST_PAUSE_S

    @property
    def pid(self) -> int | None:
        """Process id, or null before the first start."""
        return self._process.pid if self._process else None

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it, with a port of its own: that of the last time may be taken by now."""
        self.port = child.find_free_port()
        environment = {**self._environment, "RAGPULSE_TELEMETRY__PORT": str(self.port)}
        # In the run's folder: a package of the user's in the current one must not shadow ours.
        self._process = child.spawn(self._command, self.log, cwd=self._folder, env=environment)
        self._started_at = time.monotonic()

    def tend(self) -> None:
        """Start it again if it died, after a pause that doubles until it has run steadily."""
        if self.alive:
            return
        now = time.monotonic()
        if not self._due:
            if now - self._started_at > _STEADY_S:
                self._pause = _FIRST_PAUSE_S
            self._due = now + self._pause
            self._pause = min(_LONGEST_PAUSE_S, self._pause * 2)
        elif now >= self._due:
            self._due = 0.0
            self.restarts += 1
            self.start()

    def ready(self) -> bool:
        """Whether it says that it is able to work."""
        if not self.alive:
            return False
        try:
            with urllib.request.urlopen(f"http://{child.LOOPBACK}:{self.port}/readyz", timeout=1.0) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def ask_to_stop(self) -> None:
        """Begin its end, without waiting for it."""
        if self._process:
            self._process.terminate()

    def stop(self, budget_s: float) -> None:
        """End it, by force past `budget_s`."""
        if self._process:
            child.stop(self._process, budget_s=budget_s)


class Supervisor:
    """Everything at once: `with Supervisor(folder) as pulse: … pulse.brokers, pulse.dsn`.

    `folder` keeps the data of the engine and the log of each process. Entering waits until all are
    ready; it raises PartMissing where the embedded extra is not installed, and RagpulseError with the
    last words of what would not start. The thread that enters must live until the end: on Linux the
    kernel ends what a thread started together with it. `judge`: also the judge lane, whose settings are
    variables of the environment. `watch`: also the process that finds incidents. `annotate`: also the one
    that fills the annotation queue. `console`: also the web page; `overrides` say where, and who may come in.
    """

    def __init__(
        self,
        folder: Path,
        *,
        workers: int = 1,
        judge: bool = False,
        watch: bool = False,
        annotate: bool = False,
        console: bool = False,
        overrides: Mapping[str, str] | None = None,
        on_step: Callable[[str], None] = lambda step: None,
    ) -> None:
        self._folder = folder.resolve()
        self._logs = self._folder / "logs"
        self._worker_count = workers
        self._judge = judge
        self._watches = watch
        self._annotates = annotate
        self._console = console
        self._overrides = overrides or {}
        self._say = on_step
        self._stopping = threading.Event()
        self._stopped = threading.Event()
        self._tending = threading.Lock()
        self._watcher: threading.Thread | None = None
        self._failure: str | None = None
        self._parts = ExitStack()
        self.children: list[Child] = []
        self._broker = EmbeddedBroker(log=self._logs / "broker.log")
        self._engine = EmbeddedEngine(path=self._folder / "clickhouse", log=self._logs / "engine.log")

    @property
    def brokers(self) -> str:
        """Address of the broker (`RAGPULSE_KAFKA__BROKERS`)."""
        return self._broker.address

    @property
    def dsn(self) -> str:
        """Where the results are (`RAGPULSE_CLICKHOUSE__DSN`)."""
        return self._engine.dsn

    @property
    def kafka(self) -> KafkaSettings:
        """Settings for clients of the broker."""
        return KafkaSettings(brokers=self.brokers, session_timeout_ms=_SESSION_TIMEOUT_MS)

    @property
    def pids(self) -> dict[str, int | None]:
        """Process ids by name."""
        ours = {one.name: one.pid for one in self.children}
        return {"broker": self._broker.pid, "engine": self._engine.pid, **ours}

    def check(self) -> None:
        """Raises RagpulseError once something is beyond starting again."""
        if self._failure:
            raise RagpulseError(self._failure)

    def environment(self) -> dict[str, str]:
        """Variables for processes that are to use these parts."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        return {
            **kept,
            "RAGPULSE_CONFIG": str(self._folder / _NO_SETTINGS),
            "RAGPULSE_KAFKA__BROKERS": self.brokers,
            "RAGPULSE_KAFKA__SESSION_TIMEOUT_MS": str(_SESSION_TIMEOUT_MS),
            "RAGPULSE_CLICKHOUSE__DSN": self.dsn,
            "RAGPULSE_TELEMETRY__LOG_FORMAT": "json",
            **{name: value for name, value in _for_the_judge().items() if name not in kept},
            **self._overrides,
        }

    def start(self) -> Self:
        """Start all parts in order and wait until they are ready. What was started is stopped on failure."""
        find_binary()
        require_engine()
        self._logs.mkdir(parents=True, exist_ok=True)
        (self._folder / _NO_SETTINGS).touch()
        try:
            self._say("starting the broker")
            self._parts.enter_context(self._broker)
            ensure_topics(self.kafka, topics.ALL)
            self._say("starting the ClickHouse engine")
            self._parts.enter_context(self._engine)
            self._migrate()
            others = ", the judge" * self._judge + ", the watch" * self._watches
            others += ", the annotation queue" * self._annotates + ", the console" * self._console
            self._say(
                f"starting {self._worker_count} worker{'s' * (self._worker_count > 1)}{others} and the sink "
                "(the first time, half a minute more: the scorer is compiled for this machine)"
            )
            self._start_children()
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End all of it: workers, then the sink, then what they use. Stopping twice is fine."""
        self._stopping.set()
        with self._tending:  # nothing is being started, and nothing will be
            for group in ("console", "worker", "judge", "sink", "watch", "annotate"):
                members = [one for one in self.children if one.name.startswith(group)]
                for one in members:
                    one.ask_to_stop()
                for one in members:
                    one.stop(_STOP_S)
            self._parts.close()
        self._stopped.set()
        if self._watcher:
            self._watcher.join()
            self._watcher = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _migrate(self) -> None:
        self._say("creating the tables")
        log = self._logs / "migrate.log"
        command = [sys.executable, "-m", "stream.cli", "migrate"]
        process = child.spawn(command, log, cwd=self._folder, env=self.environment())
        try:
            code = process.wait(_MIGRATE_S)
        except subprocess.TimeoutExpired:
            code = child.stop(process, budget_s=1.0)
        if code != 0:
            raise RagpulseError(f"The tables could not be created. Last words of {log}:\n{child.tail(log)}")

    def _start_children(self) -> None:
        names = [f"worker-{number + 1}" for number in range(self._worker_count)]
        names += ["judge"] * self._judge + ["sink"] + ["watch"] * self._watches
        names += ["annotate"] * self._annotates + ["console"] * self._console
        environment = self.environment()
        self.children = [Child(name, self._logs, environment) for name in names]
        for one in self.children:
            one.start()
        self._watcher = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._watcher.start()

    def _watch(self) -> None:
        while not self._stopping.wait(_WATCH_S):
            with self._tending:
                try:
                    self._tend()
                except RagpulseError as error:
                    self._failure = str(error)
        # The kernel ends what a thread started together with it, so this one stays until all is stopped.
        self._stopped.wait()

    def _tend(self) -> None:
        if not self._broker.alive:
            self._failure = (
                "The embedded broker died, and its data with it. "
                f"Last words of {self._logs / 'broker.log'}:\n{child.tail(self._logs / 'broker.log')}"
            )
        if self._stopping.is_set() or self._failure:
            return
        if not self._engine.alive:
            self._engine.start()
        for one in self.children:
            one.tend()

    def _wait_until_ready(self) -> None:
        until = time.monotonic() + _READY_S
        for one in self.children:
            while not one.ready():
                self.check()
                if one.restarts >= _START_FAILURES or time.monotonic() > until:
                    raise RagpulseError(
                        f"{one.name} does not get ready. Last words of {one.log}:\n{child.tail(one.log)}"
                    )
                time.sleep(0.05)


__all__ = ["Child", "Supervisor", "names_a_judge"]
