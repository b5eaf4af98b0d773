"""The demo from beginning to end: start everything, publish, watch, wait, compare."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sinks.clickhouse.client import ClickHouse, connect
from sinks.errors import SinkUnavailable
from stream import topics
from stream.dead import letters
from stream.demo.publisher import TrafficPublisher
from stream.demo.queries import (
    NOTHING_YET,
    Found,
    Landed,
    count_joined_feedback,
    count_landed,
    read_incidents,
    read_verdicts,
    take_snapshot,
)
from stream.demo.queue import fill_and_look
from stream.demo.scoreboard import Scoreboard
from stream.demo.site import DemoConsole
from stream.demo.traffic import Kind, Traffic
from stream.demo.view import State, View
from stream.embedded.scratch import Scratch
from stream.embedded.supervisor import Supervisor, names_a_judge
from stream.errors import RagpulseError
from stream.kafka.reader import read_once
from stream.settings import KafkaSettings

_LOOK_EVERY_S: Final = 1.0
_LAND_POLL_S: Final = 0.2
_PATIENCE_S: Final = 30.0
_FIRST_PATIENCE_S: Final = 120.0
"""Until the first row: processes that have just started on a busy machine take their time."""
_QUERY_TIMEOUT_S: Final = 20.0
_WATCH: Final = {"RAGPULSE_WATCH__INTERVAL_S": "1", "RAGPULSE_WATCH__RATES_INTERVAL_S": "5"}
"""A demo is short: the watch looks more often than elsewhere, and judges no differently."""
Stay = Callable[[Scoreboard], None]
_WATCH_PATIENCE_S: Final = 6.0
"""After the last row: so long the watch may take to find what is in it."""


class FolderInUse(RagpulseError):
    """The folder to keep is not empty (results of two runs must not mix), or cannot be made."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """What was asked for. `keep` is a folder for data and logs; null: a temporary one."""

    seconds: float = 60.0
    rate: float = 100.0
    workers: int = 1
    seed: int = 0
    keep: Path | None = None
    console: DemoConsole | None = None
    """The web page to serve; null: none."""


def run_demo(plan: Plan, view: View, stay: Stay | None = None) -> Scoreboard:
    """Run it, and compare. Ctrl-C while traces are published ends that early. Raises RagpulseError.

    `stay` is called with the result while everything still runs; all ends when it returns.
    """
    with (
        _folder(plan.keep) as folder,
        contextlib.ExitStack() as shown,
        Supervisor(
            folder,
            workers=plan.workers,
            judge=names_a_judge(os.environ),
            watch=True,
            annotate=True,
            console=plan.console is not None,
            overrides=_WATCH | _annotation(folder) | (plan.console.variables if plan.console else {}),
            on_step=shown.enter_context(view).say,
        ) as pulse,
        contextlib.closing(connect(pulse.dsn, _QUERY_TIMEOUT_S)) as store,
    ):
        publisher = TrafficPublisher(
            Traffic(plan.seed), pulse.kafka, topics.TRACES, seconds=plan.seconds, rate=plan.rate
        )
        try:
            board = _Run(plan, view, pulse, store, publisher).go()
        finally:
            publisher.stop()
        shown.close()
        if stay:
            stay(board)
        return board


def _annotation(folder: Path) -> dict[str, str]:
    """The queue fills more often than elsewhere; leases end with the demo."""
    leases = folder.resolve() / "leases.sqlite"
    return {"RAGPULSE_ANNOTATION__INTERVAL_S": "10", "RAGPULSE_ANNOTATION__LEASE_FILE": str(leases)}


@contextlib.contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with Scratch("demo") as scratch:
            yield scratch.path
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise FolderInUse(f"{keep} is not an empty folder (--keep): name another one, or empty it.")
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderInUse(f"{keep} cannot be made (--keep): {error.strerror}.") from error
    yield keep


class _Run:
    """One run in its steps."""

    def __init__(
        self,
        plan: Plan,
        view: View,
        pulse: Supervisor,
        store: ClickHouse,
        publisher: TrafficPublisher,
    ) -> None:
        self._plan, self._view, self._pulse = plan, view, pulse
        self._store, self._publisher = store, publisher
        self._snapshot = NOTHING_YET
        self._seen: tuple[float, int] = (0.0, 0)
        self._stored_per_s = 0.0
        self._interrupted = False

    def go(self) -> Scoreboard:
        self._publisher.start()
        try:
            while not self._publisher.finished.wait(_LOOK_EVERY_S):
                self._look("publishing")
        except KeyboardInterrupt:
            self._interrupted = True
            self._publisher.stop()
            self._publisher.finished.wait()
        if self._publisher.failure:
            raise self._publisher.failure
        landed_at = self._wait_until_landed()
        return self._compare(landed_at)

    def _look(self, phase: str) -> None:
        """Take a snapshot and show it. An engine that is being started again is waited for."""
        self._pulse.check()
        with contextlib.suppress(SinkUnavailable):
            self._snapshot = take_snapshot(self._store)
        now = time.monotonic()
        before, rows = self._seen
        if now - before >= _LOOK_EVERY_S / 2:
            if before:
                self._stored_per_s = (self._snapshot.landed.rows - rows) / (now - before)
            self._seen = (now, self._snapshot.landed.rows)
        began, spike = self._publisher.started, self._publisher.spike_began
        self._view.show(
            State(
                phase=phase,
                elapsed=now - began if began else 0.0,
                seconds=self._plan.seconds,
                published=len(self._publisher.truths),
                stored_per_s=self._stored_per_s,
                spike_since=spike - began if spike and began else None,
                restarts=sum(self._restarts().values()),
                snapshot=self._snapshot,
            )
        )

    def _wait_until_landed(self) -> float:
        """Until all that was published is stored, or nothing has moved for a while. Returns when."""
        publisher = self._publisher
        wanted = Landed(len(publisher.truths), publisher.sent[Kind.BROKEN], len(publisher.feedback_on))
        last, moved, looked = Landed(), time.monotonic(), 0.0
        while True:
            now = time.monotonic()
            with contextlib.suppress(SinkUnavailable):
                landed = count_landed(self._store)
                if landed != last:
                    last, moved = landed, now
            if last == wanted:
                return moved
            if now - moved > (_PATIENCE_S if last.rows else _FIRST_PATIENCE_S):
                return moved
            if now - looked > _LOOK_EVERY_S:
                looked = now
                self._look("waiting for the last rows")
            time.sleep(_LAND_POLL_S)

    def _compare(self, landed_at: float) -> Scoreboard:
        """Count again, each at its own place: the topics, the tables."""
        publisher, kafka = self._publisher, self._pulse.kafka
        self._look("comparing")
        verdicts = read_verdicts(self._store)
        board = Scoreboard(
            published=len(publisher.truths),
            scored=_distinct_scored(kafka),
            dead=_count_broken(kafka),
            dead_expected=publisher.sent[Kind.BROKEN],
            rows=len(verdicts),
            seconds=landed_at - (publisher.started or landed_at),
            feedback_published=len(publisher.feedback_on),
            feedback_rows=count_joined_feedback(self._store),
            repeats=publisher.sent[Kind.REPEAT],
            restarts=self._restarts(),
            seed=self._plan.seed,
            scorer_version=_scorer_version(self._store),
            interrupted=self._interrupted,
        )
        board.compare(publisher.truths, verdicts)
        board.compare_incidents(self._wait_for_incident(), publisher.spike_at, publisher.truths)
        board.queue = fill_and_look(self._store, publisher.truths)
        return board

    def _wait_for_incident(self) -> tuple[Found, ...]:
        """What the watch found, given the time for some looks."""
        until = time.monotonic() + _WATCH_PATIENCE_S
        while True:
            found = read_incidents(self._store)
            if any(one.cases for one in found) or time.monotonic() > until:
                return found
            time.sleep(_LAND_POLL_S)

    def _restarts(self) -> dict[str, int]:
        return {one.name: one.restarts for one in self._pulse.children if one.restarts}


def _count_broken(kafka: KafkaSettings) -> int:
    """Dead letters for messages that could not be read. What judges failed on was read well."""
    return sum(letters.read(message).by != "judge" for message in read_once(kafka, topics.DEAD))


def _distinct_scored(kafka: KafkaSettings) -> int:
    """Distinct trace_ids on the topic of scored traces."""
    keys = set()
    for message in read_once(kafka, topics.SCORED):
        headers = dict(message.headers() or [])
        if headers.get(topics.HEADER_TABLE, b"traces") == b"traces":
            keys.add(message.key())
    return len(keys)


def _scorer_version(store: ClickHouse) -> str:
    rows = store.query("SELECT any(scorer_version) AS version FROM traces")
    return str(rows[0]["version"]) if rows else ""


__all__ = ["FolderInUse", "Plan", "run_demo"]
