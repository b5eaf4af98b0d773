"""What is kept under `extra` of a converted trace: what was cut on its way, what was never recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from schemas.bounds import CUT_KEY, UNRECORDED_KEY

BEGINNINGS_KEY: Final = "ragpulse_beginnings"
"""What is left of texts that were cut on their way, by field: for people, never scored."""
INCOMPLETE_KEY: Final = "ragpulse_incomplete"
"""Why spans of this trace are known to be missing."""


@dataclass(slots=True)
class Marks:
    """Collected while a trace is put together."""

    counts: dict[str, int] = field(default_factory=dict)
    beginnings: dict[str, Any] = field(default_factory=dict)
    unrecorded: list[str] = field(default_factory=list)

    def cut(self, name: str, beginning: Any = None, count: int = 1) -> None:
        """Note that a field is there as a beginning only."""
        self.counts[name] = count
        if beginning is not None:
            self.beginnings[name] = beginning

    def into(self, extra: dict[str, Any]) -> None:
        """Write down what there is to say."""
        if self.counts:
            extra[CUT_KEY] = self.counts
        if self.beginnings:
            extra[BEGINNINGS_KEY] = self.beginnings
        if self.unrecorded:
            extra[UNRECORDED_KEY] = self.unrecorded


__all__ = ["BEGINNINGS_KEY", "INCOMPLETE_KEY", "Marks"]
