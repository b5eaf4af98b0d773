"""Which segments are watched, and which strata compared: a bounded number of places, the busiest first."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stream.watch.bins import Bin, Combo, belongs, value_of
from stream.watch.records import COLUMNS, Floats, SegmentKey

_HOUR_S: Final = 3_600.0
_MINUTE_S: Final = 60.0
STRATUM: Final = ("app", "tenant", "language", "intent")
_VERSION: Final = -1
Stratum = tuple[str, ...]
"""Values of STRATUM, and the scorer's version."""


def segments_of(combo: Combo) -> list[SegmentKey]:
    """All segments that traces with these values lie in: all traffic, their app, each further part of it."""
    app = value_of(combo, "app")
    within = {"app": app} if app else {}
    found = [SegmentKey(), SegmentKey.of(**within)]
    for column in COLUMNS[1:]:
        if value := value_of(combo, column):
            found.append(SegmentKey.of(**within, **{column: value}))
    return list(dict.fromkeys(found))


class Watched:
    """The segments that are watched, each in a place of its own for as long as it is."""

    def __init__(self, most: int, least: float) -> None:
        self._least = least
        self.keys: list[SegmentKey | None] = [None] * most
        self._minutes: deque[tuple[float, Counter[SegmentKey]]] = deque()
        self._recent: Counter[SegmentKey] = Counter()
        self._known: dict[Combo, list[SegmentKey]] = {}
        self._members: dict[Combo, NDArray[np.bool_]] = {}

    def count(self, one: Bin) -> None:
        """Count a bin's traffic towards the last hour."""
        minute = one.at // _MINUTE_S * _MINUTE_S
        if not self._minutes or self._minutes[-1][0] < minute:
            self._minutes.append((minute, Counter()))
        for combo, traces in zip(one.combos, one.traces, strict=True):
            if combo not in self._known:
                self._known[combo] = segments_of(combo)
            for key in self._known[combo]:
                self._minutes[-1][1][key] += traces
                self._recent[key] += traces
        while self._minutes[0][0] < minute - _HOUR_S:
            self._recent.subtract(self._minutes.popleft()[1])

    def choose(self, pinned: Collection[SegmentKey] = ()) -> list[int]:
        """Watch the busiest; returns the places that hold another segment than before.

        Whoever is watched stays while it has any traffic and nobody busier needs the place; `pinned` always.
        """
        busy = [
            key for key, n in self._recent.most_common() if n >= self._least or (key in self.keys and n > 0)
        ]
        wanted = list(dict.fromkeys([*pinned, *busy]))[: len(self.keys)]
        leaving = [place for place, key in enumerate(self.keys) if key is not None and key not in wanted]
        coming = [key for key in wanted if key not in self.keys]
        free = [place for place, key in enumerate(self.keys) if key is None]
        places = (free + leaving)[: len(coming)]
        for place, key in zip(places, coming, strict=True):
            self.keys[place] = key
        if places:
            self._members.clear()
        return places

    def members(self, combos: tuple[Combo, ...]) -> Floats:
        """1 where a place's segment holds the combination: places × combinations."""
        for combo in combos:
            if combo not in self._members:
                held = [key is not None and belongs(combo, key) for key in self.keys]
                self._members[combo] = np.array(held, dtype=np.bool_)
        return np.stack([self._members[combo] for combo in combos], axis=1).astype(np.float64)

    def place(self, key: SegmentKey) -> int | None:
        """Where it is watched; null where it is not."""
        return self.keys.index(key) if key in self.keys else None


class Strata:
    """Traffic that is alike: each app, tenant, language and intent under each scorer is compared with itself.

    A segment of several strata is expected to do what its mixture of them usually does, so that neither more
    Chinese traffic nor another scorer looks like a change. What finds no place is left out of comparisons.
    """

    def __init__(self, most: int) -> None:
        self.keys: list[Stratum | None] = [None] * most
        self._last = np.zeros(most)
        self._place: dict[Stratum, int] = {}

    def places(self, one: Bin) -> tuple[NDArray[np.intp], list[int]]:
        """The place of each combination (-1: none), and the places that were given away for it."""
        given: list[int] = []
        found = np.full(len(one.combos), -1, dtype=np.intp)
        for number, combo in enumerate(one.combos):
            key = (*(value_of(combo, column) for column in STRATUM), combo[_VERSION])
            place = self._place.get(key)
            if place is None:
                place = self._free(one.at)
                if place is None:
                    continue
                given.append(place)
                self._take(place, key)
            self._last[place] = max(self._last[place], one.at)
            found[number] = place
        return found, given

    def touched_by(self, segments: list[SegmentKey | None]) -> NDArray[np.bool_]:
        """Which strata may hold traffic of which segment: segments × strata."""
        touched = np.zeros((len(segments), len(self.keys)), dtype=np.bool_)
        for row, segment in enumerate(segments):
            if segment is None:
                continue
            wanted = [segment.value(column) for column in STRATUM]
            for place, key in enumerate(self.keys):
                touched[row, place] = key is not None and all(
                    not value or value == own for value, own in zip(wanted, key, strict=False)
                )
        return touched

    def _free(self, at: float) -> int | None:
        if None in self.keys:
            return self.keys.index(None)
        oldest = int(self._last.argmin())
        return oldest if self._last[oldest] < at - _HOUR_S else None

    def _take(self, place: int, key: Stratum) -> None:
        before = self.keys[place]
        if before is not None:
            del self._place[before]
        self.keys[place] = key
        self._place[key] = place


__all__ = ["STRATUM", "Strata", "Stratum", "Watched", "segments_of"]
