"""The highest rate at which 99 traces in 100 are queryable within two seconds, by their size."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from benchmarks._common import Messages
from benchmarks._deployment import Deployment, name_of, say
from benchmarks._documents import table
from benchmarks._publishing import Publisher
from benchmarks._reading import EVERY_S, Latencies, Reader
from benchmarks._sized_traces import resize

GOAL_S: Final = 2.0
PRECISION: Final = 1.1
"""The search ends where the lowest rate that failed is less than so many times the highest that held."""
_HOPELESS_S: Final = 4.0
"""A step ends early where so many seconds' worth of traces wait."""
_WARM_S: Final = 3.0
_DRAIN_S: Final = 180.0
_CONFIRMATIONS: Final = 6


@dataclass(frozen=True, slots=True)
class Step:
    """One rate, tried. `used` is processor seconds a second, by part."""

    rate: float
    latencies: Latencies
    bytes_a_trace: float
    used: dict[str, float]

    @property
    def held(self) -> bool:
        """Whether the goal was met, every trace counted."""
        return self.latencies.p99 < GOAL_S


def find_highest(
    attempt: Callable[[float], bool], start: float, precision: float = PRECISION
) -> float | None:
    """The highest rate known to hold: doubled from `start` until one fails, then halved in between.

    Where `start` itself fails, it is halved until one holds; null where none does above a 32nd of it.
    """
    low, high = None, start
    while attempt(high):
        low, high = high, high * 2
    while low is None:
        if high / 2 < start / 32:
            return None
        if attempt(high / 2):
            low = high / 2
        else:
            high /= 2
    while high / low > precision:
        between = (high * low) ** 0.5
        if attempt(between):
            low = between
        else:
            high = between
    return low


def measure(options: argparse.Namespace, messages: Messages) -> str:
    """All sizes on one deployment; returns the table."""
    rows = []
    with Deployment(workers=options.workers, embedded=options.embedded) as here:
        for size in options.sizes:
            search = Search(here, options, size, resize(messages.bodies, round(size * 1024)))
            say(f"traces of {size:g} KB ({len(search.bodies)} different ones)")
            rate = find_highest(lambda rate, at=search: at.attempt(rate).held, options.start)  # type: ignore[misc]
            rows.append(search.row(search.confirm(rate) if rate else None))
        broker = name_of(here.broker)
    head = [
        "size", "highest rate, traces/s", "MB/s", "p50, p95, p99, most, s", "CPU s a second: workers, sink",
        "broker, engine, publisher and reader", "rates tried (failed)",
    ]  # fmt: skip
    about = (
        f"On {broker}, workers: {options.workers}, one sink, everything on its defaults and on the same "
        f"cores. Each rate was tried for {options.step:g} s, the highest then for {options.confirm:g} s, of "
        f"which the figures are. A trace's time runs from the moment it was due to the first answer of the "
        f"engine that counts it; the reader asks every {EVERY_S * 1000:.0f} ms."
    )
    return f"{about}\n\n{table(head, rows)}"


class Search:
    """The rates tried for traces of one size."""

    def __init__(
        self, here: Deployment, options: argparse.Namespace, size: float, bodies: list[dict[str, Any]]
    ) -> None:
        self.bodies = bodies
        self.tried: list[Step] = []
        self._here, self._options, self._size = here, options, size

    def attempt(self, rate: float, seconds: float | None = None) -> Step:
        """Publish at a rate for a while; then wait until all of it is there, so that the next begins even."""
        here, length = self._here, seconds or self._options.step
        name = f"{self._size:g}k-{len(self.tried)}"
        had, _ = here.stored()
        with Reader(here.engine.dsn, since=time.time()) as reader:
            with Publisher(here.broker.address, here.traces_topic, self.bodies, rate, name) as publisher:
                time.sleep(_WARM_S)
                begin, before = time.time(), here.processor_seconds()
                while time.time() - begin < length and publisher.count - reader.seen < rate * _HOPELESS_S:
                    here.complain_of_crashes()
                    time.sleep(EVERY_S)
                end, after = time.time(), here.processor_seconds()
            if not reader.wait_for(publisher.count, _DRAIN_S):
                raise RuntimeError(f"{reader.seen} of {publisher.count} traces after {_DRAIN_S:.0f} s more")
        if (gained := here.stored()[0] - had) != publisher.count:  # the reader counts rows, also those again
            raise RuntimeError(f"{gained} of {publisher.count} traces are stored")
        latencies = reader.latencies(begin, end, publisher.due_between(begin, end))
        used = {part: (seconds - before[part]) / (end - begin) for part, seconds in after.items()}
        step = Step(rate, latencies, publisher.bytes / publisher.count, used)
        self.tried.append(step)
        say(f"  {rate:,.0f}/s {'held' if step.held else 'failed'}: {latencies.text()}")
        return step

    def confirm(self, rate: float) -> Step | None:
        """The rate for longer; where that fails a little less, and again. Null where it never holds."""
        for _ in range(_CONFIRMATIONS):
            say(f"  for {self._options.confirm:g} s:")
            step = self.attempt(rate, self._options.confirm)
            if step.held:
                return step
            rate /= PRECISION
        return None

    def row(self, confirmed: Step | None) -> list[str]:
        """For the table."""
        tried = ", ".join(f"{s.rate:,.0f}" if s.held else f"({s.rate:,.0f})" for s in self.tried)
        if confirmed is None:
            return [f"{self._size:g} KB", "none held", "", "", "", "", tried]
        late, used = confirmed.latencies, confirmed.used
        return [
            f"{self._size:g} KB",
            f"**{confirmed.rate:,.0f}**",
            f"{confirmed.rate * confirmed.bytes_a_trace / 1e6:.1f}",
            f"{late.p50:.2f}, {late.p95:.2f}, {late.p99:.2f}, {late.most:.2f}",
            f"{used['workers']:.2f}, {used['sink']:.2f}",
            ", ".join(f"{used.get(part, 0.0):.2f}" for part in ("broker", "engine", "publisher and reader")),
            tried,
        ]
