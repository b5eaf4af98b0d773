"""A golden set's next version, out of what people agreed on: asked for here, made elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Grown:
    """What came of it. `is_new` false: people agreed on nothing that the newest version has not."""

    name: str
    version: str
    """Of the newest version now; empty where there is none, since nothing was agreed on."""
    cases: int
    added: int
    is_new: bool


class Grower(Protocol):
    """Makes and stores the next version of a set."""

    def __call__(self, name: str, *, days: float, who: str, why: str) -> Grown:
        """From labels of the last `days`. Raises SinkError."""


__all__ = ["Grower", "Grown"]
