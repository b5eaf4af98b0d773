"""One figure with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Gap(StrEnum):
    """Why a figure is null."""

    NO_ITEMS = "no_items"
    """Nothing was rated by both."""
    TOO_FEW = "too_few_items"
    ONE_CLASS = "one_class_only"
    """Everybody says the same of everything: agreement beyond chance is not defined (0 / 0)."""
    UNSTABLE = "interval_not_defined"
    """The figure stands, but too many resamples had none: its interval is not known."""


@dataclass(slots=True, frozen=True)
class Figure:
    """A coefficient over `n` items, `low` to `high` its interval.

    `value` is null where `reason` says why; an interval may be null while the value is known.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: Gap | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return asdict(self)


__all__ = ["Figure", "Gap"]
