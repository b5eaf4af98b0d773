"""The queue in figures, for pages that show them again and again: counts, and how far annotators agree."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from judges.annotation.concord import Concord
from sinks.annotation import AnnotationQueue, Stats

FRESH_S: Final = 3.0
"""Within so long nobody asks again, unless something was labelled here."""


@dataclass(frozen=True, slots=True)
class Standing:
    """As of now, and the agreement as it was before the last label that changed it (null at first)."""

    stats: Stats
    agreement: Mapping[str, Concord]
    before: Mapping[str, Concord] | None = None


class Standings:
    """Reads the figures once for everybody who looks at the same moment. Every method may raise SinkError."""

    def __init__(self, queue: AnnotationQueue, clock: Callable[[], float]) -> None:
        self._queue, self._clock = queue, clock
        self._last: tuple[float, Standing] | None = None
        self._stale = True
        self._lock = threading.Lock()

    def read(self) -> Standing:
        """The figures; at most `FRESH_S` old, and never older than the last label made here."""
        with self._lock:
            now = self._clock()
            if self._last is None or self._stale or not 0 <= now - self._last[0] < FRESH_S:
                self._stale = False
                try:
                    self._last = (now, self._read())
                except BaseException:
                    self._stale = True
                    raise
            return self._last[1]

    def last(self) -> Standing:
        """The figures as they were read last, so that nobody waits for them between two cases."""
        last = self._last
        return last[1] if last else self.read()

    def forget(self) -> None:
        """Something was said: whoever looks next reads anew."""
        self._stale = True

    def _read(self) -> Standing:
        stats, agreement = self._queue.stats(), self._queue.agreement()
        if self._last is None:
            return Standing(stats, agreement)
        last = self._last[1]
        changed = _shown(last.agreement) != _shown(agreement)
        return Standing(stats, agreement, last.agreement if changed else last.before)


def _shown(agreement: Mapping[str, Concord]) -> dict[str, object]:
    return {name: (one.alpha.n, one.alpha.value, one.kappa.value) for name, one in agreement.items()}


__all__ = ["FRESH_S", "Standing", "Standings"]
