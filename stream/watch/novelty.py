"""Releases that nobody announced: a value of a release part that its app never had before. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from stream.watch.records import RELEASE_PARTS, Batch, Floats, Mark, Names

_BEGINNING_S: Final = 5.0
_HOUR_S: Final = 3_600.0
_MOST_AN_HOUR: Final = 16
"""New values of one part of an app: whoever has more puts ids in the place of releases."""
_REMEMBERED: Final = 1_000
"""Values of one part of an app, the last seen."""


class Novelty:
    """Remembers which values each app had, and marks new ones by the time of their first trace.

    What ran in an app's first seconds is no release: nothing ran before it, as far as we know. Nor are ids in
    the place of releases.
    """

    def __init__(self) -> None:
        self._new: dict[tuple[str, str], list[float]] = {}
        self._known: dict[tuple[str, str], dict[str, float]] = {}
        self._began: dict[tuple[str, str], float] = {}

    def know(self, values: dict[tuple[str, str], dict[str, float]]) -> None:
        """By app and release part: values that ran before, and when they were last seen."""
        for place, seen in values.items():
            known = self._known.setdefault(place, {})
            for value, at in seen.items():
                known[value] = max(at, known.get(value, 0.0))

    def learn(self, marks: Iterable[Mark]) -> None:
        """Marks that are there already: their values are not new."""
        for mark in marks:
            self._known.setdefault((mark.app, mark.part), {}).setdefault(mark.value, mark.at)

    def look(self, batch: Batch) -> list[Mark]:
        """Marks for what is new in this batch."""
        found: list[Mark] = []
        for app in set(batch.columns["app"]):
            of_app = batch.columns["app"] == app
            for part in RELEASE_PARTS:
                values = batch.columns[f"release_{part}"]
                found.extend(self._of_part(app, part, values[of_app], batch.timestamp[of_app]))
        return found

    def _of_part(self, app: str, part: str, values: Names, at: Floats) -> Iterator[Mark]:
        known = self._known.setdefault((app, part), {})
        first = {str(value): float(at[values == value].min()) for value in set(values) - {""}}
        if first and not known:
            self._began[app, part] = min(first.values())
        for value, when in sorted(first.items(), key=lambda item: item[1]):
            begun = when > self._began.get((app, part), 0.0) + _BEGINNING_S
            if value not in known and begun and self._is_release((app, part), when):
                earlier = values[(at < when) & (values != "")]
                previous = str(earlier[-1]) if len(earlier) else max(known, key=lambda name: known[name])
                yield Mark(when, app, part, value, previous, "detected")
            known[value] = max(float(at[values == value].max()), known.get(value, 0.0))
        if len(known) > 2 * _REMEMBERED:
            for value in sorted(known, key=lambda name: known[name])[:-_REMEMBERED]:
                del known[value]

    def _is_release(self, place: tuple[str, str], when: float) -> bool:
        new = [at for at in self._new.get(place, ()) if at > when - _HOUR_S][-_MOST_AN_HOUR:]
        self._new[place] = [*new, when]
        return len(new) < _MOST_AN_HOUR


__all__ = ["Novelty"]
