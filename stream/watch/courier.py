"""Carries messages to one receiver of alerts, on a thread of its own: one that hangs holds up nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from sinks.errors import SinkUnreachable
from sinks.evaluations.destination import Request
from sinks.evaluations.http import Poster
from stream import logs
from stream.backoff import Backoff
from stream.telemetry import WatchMetrics

_LATER: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT_S: Final = 300.0
_MOST_WAITING: Final = 1_000

SENT: Final = "sent"
REFUSED: Final = "refused"
DROPPED: Final = "dropped"


@dataclass(slots=True)
class _Letter:
    key: str
    build: Callable[[], Request]
    tells: frozenset[str] = field(default=frozenset())
    tries: int = 0


class Courier:
    """Messages go in order, each tried `tries` times; one of the same key replaces what still waits."""

    def __init__(
        self,
        name: str,
        poster: Poster,
        metrics: WatchMetrics,
        tries: int,
        make_backoff: Callable[[], Backoff] | None = None,
    ) -> None:
        self.name = name
        self._poster = poster
        self._metrics = metrics
        self._tries = tries
        self._make_backoff = make_backoff or (lambda: Backoff(1.0, 60.0))
        self._waiting: list[_Letter] = []
        self._told: set[str] = set()
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=f"courier-{name}", daemon=True)

    def start(self) -> None:
        """Begin to carry."""
        self._thread.start()

    def send(self, key: str, build: Callable[[], Request], tells: frozenset[str] = frozenset()) -> None:
        """Send it soon. `build` is called at each try, `tells` are incidents that are told of by it."""
        with self._changed:
            before = next((letter for letter in self._waiting if letter.key == key), None)
            if before is not None:
                before.build, before.tells = build, before.tells | tells
            elif len(self._waiting) < _MOST_WAITING:
                self._waiting.append(_Letter(key, build, tells))
            else:
                self._metrics.told.labels(self.name, DROPPED).inc()
            self._changed.notify()

    def told(self) -> set[str]:
        """Incidents that the receiver has heard of since this was asked last."""
        with self._changed:
            told, self._told = self._told, set()
            return told

    def stop(self, budget_s: float) -> None:
        """Let what waits be tried once more, within the budget."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(budget_s)

    def _run(self) -> None:
        backoff = self._make_backoff()
        while True:
            with self._changed:
                while not self._waiting and not self._closing:
                    self._changed.wait()
                if not self._waiting:
                    return
                letter = self._waiting[0]
                build, tells = letter.build, letter.tells
            wait_s = self._try(letter, build, tells)
            if wait_s is None:
                backoff = self._make_backoff()
                continue
            with self._changed:
                if self._closing:
                    return
                self._changed.wait_for(
                    lambda: self._closing, min(_LONGEST_WAIT_S, max(wait_s, backoff.next_s()))
                )

    def _try(self, letter: _Letter, build: Callable[[], Request], tells: frozenset[str]) -> float | None:
        """One try; null when the letter is done with, else the least time to wait."""
        letter.tries += 1
        status, wait_s = 0, 0.0
        try:
            reply = self._poster.post(build())
        except SinkUnreachable as error:
            # Without the address: that of a webhook is often a secret.
            logs.get().warning(
                "no answer from the receiver of alerts",
                receiver=self.name,
                error=str(error).partition(" at ")[0],
            )
        else:
            status, wait_s = reply.status, reply.retry_after_s or 0.0
        self._metrics.receiver_up.labels(self.name).set(1 if 200 <= status < 300 else 0)
        if 200 <= status < 300:
            self._done(letter, build, SENT, tells)
            return None
        if (status in _LATER or not status) and letter.tries < self._tries:
            return wait_s
        outcome = DROPPED if status in _LATER or not status else REFUSED
        logs.get().error(
            "an alert was not taken",
            receiver=self.name,
            outcome=outcome,
            status=status or None,
            tries=letter.tries,
        )
        self._done(letter, build, outcome, frozenset())
        return None

    def _done(
        self, letter: _Letter, build: Callable[[], Request], outcome: str, tells: frozenset[str]
    ) -> None:
        self._metrics.told.labels(self.name, outcome).inc()
        with self._changed:
            self._told |= tells
            if letter.build is build:
                self._waiting.remove(letter)
            else:
                letter.tries = 0  # something newer took its place meanwhile


__all__ = ["DROPPED", "REFUSED", "SENT", "Courier"]
