"""What every loop over a topic does around its turns: join, beat, commit, report, and end well or not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from stream.endpoint import Clock, Health
from stream.kafka.producer import Output
from stream.kafka.source import Source
from stream.telemetry import StreamMetrics


class Turns:
    """One source, and one output where it writes, turned until a stop, on the thread that calls `run`."""

    def __init__(
        self,
        source: Source,
        output: Output | None,
        metrics: StreamMetrics,
        health: Health,
        commit_every_s: float,
        clock: Clock = time.monotonic,
    ) -> None:
        self._source = source
        self._output = output
        self._metrics = metrics
        self._health = health
        self._commit_every_s = commit_every_s
        self._clock = clock
        self._next_commit = clock()

    def run(self, stop: threading.Event, turn: Callable[[], None], finish: Callable[[], None]) -> None:
        """Join the group and `turn` until `stop`, then `finish`.

        On any error nothing more is committed: what was in work is read again by whoever comes next.
        """
        try:
            self._source.subscribe()
            while not stop.is_set():
                turn()
                self._health.beat()
                self._commit_when_due()
            finish()
        except BaseException:
            self._source.close()
            if self._output is not None:
                self._output.abandon()
            raise

    def report(self) -> None:
        """Let the metrics say how much is in work and how much waits on the broker."""
        self._metrics.in_flight.set(self._source.ledger.in_flight)
        for (topic, partition), messages in self._source.lag().items():
            self._metrics.lag.labels(topic, str(partition)).set(messages)

    def _commit_when_due(self) -> None:
        if self._clock() >= self._next_commit:
            self._next_commit = self._clock() + self._commit_every_s
            self._source.commit()
            self.report()


__all__ = ["Turns"]
