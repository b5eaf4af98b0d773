"""Crowds of traces that ask nearly the same, and whether their kind of question is new."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from judges.annotation.alike import Kinds, shingles
from judges.annotation.policy import Crowd
from stream.annotation.reader import AskedOften

OLD_FROM: Final = 200
"""Traces before the newest part of the window, for anything to count as new: at the start all is."""


@dataclass(slots=True)
class _Counted:
    traces: int
    unsupported: int
    first: datetime


class Crowds:
    """What is asked, by app, near-duplicates together."""

    def __init__(self, asked: Iterable[AskedOften], new_since: datetime) -> None:
        self._new_since = new_since
        self._kinds: dict[str, Kinds] = {}
        self._counted: dict[tuple[str, str], _Counted] = {}
        self._before = 0
        for number, one in enumerate(asked):
            self._add(one, str(number))

    def of(self, app: str, question: str) -> Crowd:
        """The crowd that this question belongs to; one trace where it is like no other."""
        kinds = self._kinds.get(app)
        kind = kinds.find(shingles(question)) if kinds else None
        if kind is None:
            return Crowd()
        counted = self._counted[app, kind]
        is_new = counted.first >= self._new_since and self._before >= OLD_FROM
        return Crowd(counted.traces, counted.unsupported, is_new)

    def _add(self, one: AskedOften, name: str) -> None:
        kinds = self._kinds.setdefault(one.app, Kinds())
        text = shingles(one.text)
        kind = kinds.find(text)
        if kind is None:
            kinds.add(name, text)
            self._counted[one.app, name] = _Counted(one.traces, one.unsupported, one.first)
        else:
            counted = self._counted[one.app, kind]
            counted.traces += one.traces
            counted.unsupported += one.unsupported
            counted.first = min(counted.first, one.first)
        if one.first < self._new_since:
            self._before += one.traces


__all__ = ["OLD_FROM", "Crowds"]
