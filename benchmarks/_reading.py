"""A reader that asks the engine for what is new, over and over, and notes how old that is."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import numpy as np

from sinks.clickhouse.client import ClickHouse, connect
from sinks.errors import SinkError

EVERY_S: Final = 0.1
"""How often it asks: latencies are up to so much (and the question's own time) too long, never too short."""
_NEW: Final = (
    "SELECT toUnixTimestamp64Milli(received_at) AS due, toUnixTimestamp64Milli(inserted_at) AS put, "
    "count() AS n FROM traces WHERE inserted_at >= fromUnixTimestamp64Milli({last:Int64}) GROUP BY due, put"
)


@dataclass(frozen=True, slots=True)
class Latencies:
    """Seconds from the moment traces were due to the moment a reader saw them. Unseen ones count as never."""

    expected: int
    seen: int
    p50: float
    p95: float
    p99: float
    most: float

    @classmethod
    def over(cls, seconds: Iterable[float], expected: int) -> Latencies:
        """Of what was seen; `expected` is how many there should be. Percentiles are values that occurred."""
        found = np.sort(np.fromiter(seconds, float))
        missing = max(0, expected - len(found))
        every = np.concatenate([found, np.full(missing, np.inf)])
        if not len(every):
            return cls(0, 0, np.inf, np.inf, np.inf, np.inf)
        p50, p95, p99 = (float(every[min(len(every) - 1, int(q * len(every)))]) for q in (0.5, 0.95, 0.99))
        return cls(expected, len(found), p50, p95, p99, float(every[-1]))

    def text(self) -> str:
        """For progress and tables: `p50 0.51 s, p99 0.93 s`."""
        return f"p50 {self.p50:.2f} s, p95 {self.p95:.2f} s, p99 {self.p99:.2f} s, most {self.most:.2f} s"


class Reader:
    """Polls in a thread while the body runs. A trace's age counts from its message's time (`received_at`).

    Only what was inserted from `since` on (time of day in seconds) is looked at. It bears an engine that is
    away. One sink inserts one batch at a time, so `inserted_at` never goes back.
    """

    def __init__(self, dsn: str, since: float = 0.0) -> None:
        self._store: ClickHouse = connect(dsn, timeout_s=5.0)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)
        self._lock = threading.Lock()
        self._due: list[float] = []
        self._age: list[float] = []
        self._many: list[int] = []
        self._last = int(since * 1000)
        self._known: Counter[tuple[int, int]] = Counter()
        self.seen = 0
        """Rows, counted again where a row was inserted again."""
        self.newest_age = 0.0
        """How old the newest trace of the last news was, in seconds."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(30)

    def latencies(self, since: float, until: float, expected: int) -> Latencies:
        """Of the traces that were due from one time of day up to another (excluded)."""
        with self._lock:
            due, age, many = np.array(self._due), np.array(self._age), np.array(self._many, dtype=int)
        if not len(due):
            return Latencies.over((), expected)
        since, until = (math.floor(moment * 1000) / 1000 for moment in (since, until))  # as finely as `due`
        chosen = (due >= since) & (due < until)
        return Latencies.over(np.repeat(age[chosen], many[chosen]), expected)

    def wait_for(self, count: int, budget_s: float) -> bool:
        """Whether so many rows have been seen within the budget."""
        until = time.monotonic() + budget_s
        while self.seen < count and time.monotonic() < until:
            time.sleep(EVERY_S / 2)
        return self.seen >= count

    def _run(self) -> None:
        while not self._stop.wait(EVERY_S):
            try:
                rows = self._store.query(_NEW, {"last": self._last})
            except SinkError:
                continue  # it is away: asked again
            self._note([(int(row["due"]), int(row["put"]), int(row["n"])) for row in rows], time.time())

    def _note(self, rows: list[tuple[int, int, int]], now: float) -> None:
        known, self._last = self._known, max([self._last, *(put for _, put, _ in rows)])
        news = [(due, n - known[due, put]) for due, put, n in rows if n > known[due, put]]
        self._known = Counter({(due, put): n for due, put, n in rows if put == self._last})
        if not news:
            return
        with self._lock:
            for due, n in news:
                self._due.append(due / 1000)
                self._age.append(now - due / 1000)
                self._many.append(n)
        self.newest_age = now - max(due for due, _ in news) / 1000
        self.seen += sum(n for _, n in news)
