"""What the sampler remembers of earlier traffic, within bounds: releases, and how much each segment has.

Each worker remembers what it saw itself. After a start it calls nothing new or rare until it has seen enough
to know; what it forgets makes a probability another one, never a wrong one.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Final, TypeVar

from schemas.trace import Trace

_WARM_UP_S: Final = 600.0
"""What is seen so soon after the first trace was there before."""
_MOST_RELEASES: Final = 4096
_MOST_APPS: Final = 1024
_MOST_SEGMENTS: Final = 8192
_MOST_NEW: Final = 16
"""More new releases of one app at once are no releases: something writes an id there."""
_HOUR_S: Final = 3600.0

Parts = tuple[str | None, ...]
K = TypeVar("K")
V = TypeVar("V")


class Releases:
    """Which combinations of release parts an app runs, and since when."""

    def __init__(self, new_for_s: float) -> None:
        self._new_for_s = new_for_s
        self._first: OrderedDict[tuple[str | None, Parts], float] = OrderedDict()
        self._apps: OrderedDict[str | None, _App] = OrderedDict()

    def is_new(self, trace: Trace, now: float) -> bool:
        """Whether this release was first seen a short while ago, and was not there from the start."""
        release = trace.release
        if release is None:
            return False
        parts = (
            release.app, release.prompt, release.index, release.embedding_model, release.reranker,
            release.generator,
        )  # fmt: skip
        app = _recall(self._apps, trace.app, _MOST_APPS) or self._meet(trace.app, now)
        key = (trace.app, parts)
        since = _recall(self._first, key, _MOST_RELEASES)
        if since is None:
            is_first = now - app.since < _WARM_UP_S
            since = self._first[key] = -math.inf if is_first else now
            if not is_first:
                app.note(now)
        return now - since < self._new_for_s and app.new_within(self._new_for_s, now) <= _MOST_NEW

    def _meet(self, name: str | None, now: float) -> _App:
        self._apps[name] = _App(now)
        return self._apps[name]


class _App:
    """Since when an app is known, and when its latest new releases came."""

    __slots__ = ("_news", "since")

    def __init__(self, since: float) -> None:
        self.since = since
        self._news: list[float] = []

    def note(self, now: float) -> None:
        self._news = [*self._news[-_MOST_NEW:], now]

    def new_within(self, seconds: float, now: float) -> int:
        return sum(now - moment < seconds for moment in self._news)


class Traffic:
    """How many traces an hour each segment has: counts that fade with a time constant of an hour."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._counts: OrderedDict[Parts, tuple[float, float]] = OrderedDict()

    def per_hour(self, segment: Parts, now: float) -> float:
        """Traces an hour of this segment before this one, which is then counted. Infinite while unknown."""
        if self._began is None:
            self._began = now
        count, at = _recall(self._counts, segment, _MOST_SEGMENTS) or (0.0, now)
        faded = count * math.exp(-max(0.0, now - at) / _HOUR_S)
        self._counts[segment] = (faded + 1.0, max(at, now))
        elapsed = now - self._began
        return faded / -math.expm1(-elapsed / _HOUR_S) if elapsed >= _WARM_UP_S else math.inf


def _recall(memory: OrderedDict[K, V], key: K, most: int) -> V | None:
    """What is remembered of `key`, which is now the latest; the oldest gives way to what is unknown."""
    if key in memory:
        memory.move_to_end(key)
        return memory[key]
    if len(memory) >= most:
        memory.popitem(last=False)
    return None


__all__ = ["Parts", "Releases", "Traffic"]
