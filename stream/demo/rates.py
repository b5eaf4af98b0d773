"""Rates with their uncertainty: Wilson's interval, which holds for small counts and near 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

_Z: Final = 1.959964
"""Of the normal distribution, for 95 percent."""


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` out of `total`, with the 95 percent Wilson interval. All null where total is 0."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1."""
        return self.count / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper end, 0 to 1."""
        if not self.total:
            return None
        share, n, z2 = self.count / self.total, self.total, _Z * _Z
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def text(self) -> str:
        """For people: `12.3 %  [9.8, 15.2]`."""
        if self.interval is None or self.value is None:
            return "–"
        low, high = self.interval
        return f"{self.value * 100:5.1f} %  [{low * 100:.1f}, {high * 100:.1f}]"


UNKNOWN: Final = Rate(0, 0)
"""Nothing was counted yet."""

__all__ = ["UNKNOWN", "Rate"]
