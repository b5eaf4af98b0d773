"""The one loop: take a batch, work on it, keep the balance, commit what is confirmed.

Confirmations arrive while the next batch is in work, so the broker's answer costs no waiting. One
thread does all of it: the consumer, its offsets and the producer are nobody else's.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from stream import logs
from stream.endpoint import Clock, Health
from stream.kafka.config import Message
from stream.kafka.producer import Output
from stream.kafka.source import Source
from stream.settings import WorkerSettings
from stream.telemetry import StreamMetrics
from stream.turns import Turns

Work = Callable[[list[Message], bool], None]
"""Does one batch: opens each message in the ledger, sends its outputs, settles its processing.

Called each turn, with no messages too: something may be due. The flag says that all there was is read.
"""

_PAUSED_WAIT_S = 0.02
_PATIENCE_S = 0.1
_RESUME_BELOW = 0.5
_LEAST_S = 0.2


class Runner:
    """Moves batches from a source through `work` to an output, until it is told to stop."""

    def __init__(
        self,
        source: Source,
        output: Output,
        work: Work,
        settings: WorkerSettings,
        metrics: StreamMetrics,
        health: Health,
        clock: Clock = time.monotonic,
    ) -> None:
        self._source = source
        self._output = output
        self._work = work
        self._settings = settings
        self._clock = clock
        self._turns = Turns(source, output, metrics, health, settings.commit_interval_s, clock)

    def run(self, stop: threading.Event) -> None:
        """Turn until `stop`, then finish within the stop budget."""
        self._turns.run(stop, self._turn, self._finish)

    def _turn(self) -> None:
        wait_s = _PAUSED_WAIT_S if self._source.paused else self._settings.batch_wait_s
        messages = self._source.take(self._settings.batch_size, wait_s)
        self._work(messages, len(messages) < self._settings.batch_size and not self._source.paused)
        self._output.poll()
        self._keep_balance()

    def _keep_balance(self) -> None:
        """Wait a moment, then pause the input, while too much is unconfirmed; go on at half of that.

        The moment spares short peaks the cost of a pause: what was fetched ahead is fetched again.
        """
        if self._load() > 1:
            self._output.flush(_PATIENCE_S, until=lambda: self._load() <= 1)
        load = self._load()
        if load > 1:
            self._source.pause()
        elif load < _RESUME_BELOW:
            self._source.resume()

    def _load(self) -> float:
        """What is on its way out. What waits for more to come must not stop it from coming."""
        ledger = self._source.ledger
        messages = (ledger.in_flight - ledger.waiting) / self._settings.max_in_flight
        volume = self._output.unconfirmed_bytes / self._settings.max_in_flight_bytes
        return max(messages, volume)

    def _finish(self) -> None:
        """Confirmations first, then the offsets, then the goodbye: together within the stop budget."""
        budget_s, start = self._settings.stop_budget_s, self._clock()

        def left(share: float) -> float:
            return max(_LEAST_S, start + budget_s * share - self._clock())

        if not self._output.flush(left(0.6)):
            logs.get().warning(
                "the broker did not confirm everything in time; the rest will be read again",
                setting="RAGPULSE_WORKER__STOP_BUDGET_S",
                in_flight=self._source.ledger.in_flight,
            )
        if not self._source.commit_within(left(0.8)):
            logs.get().warning("the broker did not take the last offsets in time; the rest is done again")
        self._turns.report()
        self._source.close(left(1.0))
        self._output.abandon()


__all__ = ["Runner", "Work"]
