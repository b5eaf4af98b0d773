"""A process of ours in a thread of the test: started, watched by its metrics, stopped, its error raised."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Self

from stream.endpoint import Health
from stream.telemetry import StreamMetrics


class Running:
    """Runs `body(stop)` in a thread; `metrics` is what it says of itself."""

    def __init__(self, name: str, metrics: StreamMetrics, health: Health) -> None:
        self.health = health
        self.error: BaseException | None = None
        self._name = name
        self._said = metrics
        self._stop = threading.Event()
        self._body: Callable[[threading.Event], None] = lambda stop: None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop it and wait; an error that ended it is raised here."""
        self._stop.set()
        self.join()

    def join(self) -> None:
        """Wait until it has ended; an error that ended it is raised here."""
        self._thread.join(30)
        assert not self._thread.is_alive()
        if self.error:
            raise self.error

    def count(self, name: str, **labels: str) -> float:
        """The sum of a metric over all labels that are not given."""
        return sum(
            sample.value
            for family in self._said.registry.collect()
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def wait_for(self, name: str, least: float, timeout_s: float = 30.0, **labels: str) -> None:
        """Wait until a metric has grown to `least`."""
        until = time.monotonic() + timeout_s
        while (got := self.count(name, **labels)) < least:
            assert self._thread.is_alive(), f"the {self._name} ended: {self.error!r}"
            assert time.monotonic() < until, f"{name} {labels} is {got} of {least} after {timeout_s} s"
            time.sleep(0.02)

    def _run(self) -> None:
        try:
            self._body(self._stop)
        except BaseException as error:
            self.error = error
