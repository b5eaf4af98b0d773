"""What the names of a span's attributes tell by themselves.

Applications write the same names again and again, and most of what a reader asks of a span (which
conventions it speaks, which numbered names belong together) depends on its names alone: it is worked
out once for a set of names, and remembered within bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

_REMEMBERED: Final = 1_024
_MAX_CHARS: Final = 20_000
"""Names that are longer together are not remembered: memory stays within some tens of megabytes."""

Path = tuple[str, tuple[str, ...]]
"""A name, and the parts of it that follow a prefix."""

T = TypeVar("T")
Table = tuple[tuple[tuple[str, ...], T], ...]
"""Beginnings of names, and what goes with them."""


class Shape:
    """The names of one span's attributes, in order. `kept` is for what else readers work out of them."""

    __slots__ = ("_has", "_paths", "kept", "names")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.kept: dict[object, Any] = {}
        self._has: dict[tuple[str, ...], bool] = {}
        self._paths: dict[str, tuple[Path, ...]] = {}

    def has(self, *prefixes: str) -> bool:
        """Whether any name begins with one of these."""
        found = self._has.get(prefixes)
        if found is None:
            found = self._has[prefixes] = any(name.startswith(prefixes) for name in self.names)
        return found

    def choose(self, table: Table[T]) -> tuple[T, ...]:
        """Of a constant table, what stands beside beginnings that a name has."""
        found: tuple[T, ...] | None = self.kept.get(id(table))
        if found is None:
            found = self.kept[id(table)] = tuple(chosen for prefixes, chosen in table if self.has(*prefixes))
        return found

    def paths(self, prefix: str) -> tuple[Path, ...]:
        """The names that begin so, each with the parts between the dots that follow."""
        found = self._paths.get(prefix)
        if found is None:
            start = len(prefix)
            found = self._paths[prefix] = tuple(
                (name, tuple(name[start:].split("."))) for name in self.names if name.startswith(prefix)
            )
        return found


_known: dict[tuple[str, ...], Shape] = {}


def shape_of(attributes: Mapping[str, Any]) -> Shape:
    """The shape of these attributes."""
    names = tuple(attributes)
    return _known.get(names) or _learn(names)


def _learn(names: tuple[str, ...]) -> Shape:
    found = Shape(names)
    if sum(map(len, names)) <= _MAX_CHARS:
        if len(_known) >= _REMEMBERED:
            _known.clear()  # it is filled again in a moment; a count of uses would cost more than that
        _known[names] = found
    return found


_MOST_NAMES: Final = 10_000
_LONGEST_NAME: Final = 100
KNOWN_NAMES: Final[dict[str, str]] = {}
"""Names of attributes that were seen, each as the one object that stands for it wherever it is written.

Spans wait in memory until their trace is whole: with names of their own they would take a quarter more.
"""


def learn_name(name: str) -> str:
    """Remember a name, within bounds."""
    if len(name) <= _LONGEST_NAME:
        if len(KNOWN_NAMES) >= _MOST_NAMES:
            KNOWN_NAMES.clear()
        KNOWN_NAMES[name] = name
    return name


__all__ = ["KNOWN_NAMES", "Path", "Shape", "Table", "learn_name", "shape_of"]
