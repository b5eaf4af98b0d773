"""Keeps the minute rollups level, on a thread of its own, beside the inserts."""

from __future__ import annotations

import threading
import time

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.rollup import roll_up
from sinks.errors import SinkError
from stream import logs
from stream.endpoint import Clock
from stream.settings import Settings
from stream.telemetry import SinkMetrics

_LEAST_SLACK_S = 60.0
_REST = 5
"""It rests this many times as long as it worked, whatever the interval: the inserts come first."""
_REST_FAILED = 1
"""The same after a run that failed. Mostly it waited for a store that was away, and dashboards and alerts
must not wait five times as long once that is back; or the store is overloaded, and needs some rest."""


class Roller:
    """Rolls up at once when it starts, then at every interval; a failed run is made good by the next."""

    def __init__(
        self,
        client: ClickHouse,
        settings: Settings,
        metrics: SinkMetrics,
        clock: Clock = time.perf_counter,
    ) -> None:
        self._client = client
        self._clock = clock
        self._interval_s = settings.sink.rollup_interval_s
        self._slack_s = max(_LEAST_SLACK_S, 2 * settings.clickhouse.timeout_s)
        self._metrics = metrics
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="roller", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, budget_s: float) -> None:
        """End, after one last run, so that what was stored last is counted too."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(budget_s)

    def _run(self) -> None:
        while True:
            rest_s = self.run_once(at_most_every_s=0.8 * self._interval_s)
            if self._ended.wait(max(self._interval_s, rest_s)):
                break
        self.run_once()

    def run_once(self, at_most_every_s: float = 0.0) -> float:
        """One run; returns how long to rest, in seconds. Failures are logged, and never end the process."""
        start = self._clock()
        try:
            done = roll_up(self._client, slack_s=self._slack_s, at_most_every_s=at_most_every_s)
        except SinkError as error:
            logs.get().warning(f"the rollup is behind: {error}")
        except Exception:
            logs.get().exception("the rollup failed; the next run does it again")
        else:
            if not done.skipped:
                self._metrics.batch_seconds.labels("rollup").observe(self._clock() - start)
                self._metrics.rollup_minutes.inc(done.minutes)
            return _REST * (self._clock() - start)
        return _REST_FAILED * (self._clock() - start)


__all__ = ["Roller"]
