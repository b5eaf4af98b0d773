"""The stretch of time that a page looks at, and the steps that its charts take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

_STEPS_S: Final = {"5m": 5, "15m": 30, "1h": 120, "6h": 600, "24h": 1_800, "7d": 14_400}
_LENGTHS_S: Final = {"5m": 300, "15m": 900, "1h": 3_600, "6h": 21_600, "24h": 86_400, "7d": 604_800}
NAMES: Final = tuple(_LENGTHS_S)
FIRST: Final = "15m"
"""What a page shows unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` to before `until`, in seconds since 1970; `since` is a multiple of `step`."""

    name: str
    since: float
    until: float
    step: int

    @property
    def parameters(self) -> dict[str, Any]:
        """As queries name them."""
        return {"since": int(self.since), "until": int(self.until) + 1, "step": self.step}

    @property
    def starts(self) -> list[int]:
        """The beginning of each step, in order."""
        return list(range(int(self.since), int(self.until) + 1, self.step))


def period(name: str | None, now: float) -> Period:
    """The last while before `now`, by name; a name that nobody knows is the first choice."""
    known = name if name in _LENGTHS_S else FIRST
    step = _STEPS_S[known]
    since = (now - _LENGTHS_S[known]) // step * step
    return Period(known, since, now, step)


__all__ = ["FIRST", "NAMES", "Period", "period"]
