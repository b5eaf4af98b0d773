"""What a gate finds: each finding blocks, and says why in one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from judges.gate.metrics import Layer


class Kind(StrEnum):
    """Why a candidate is blocked."""

    UNANSWERED = "unanswered"
    """Too many cases have no answer at all."""
    NOT_MEASURED = "not_measured"
    FLOOR = "floor"
    DROP = "drop"
    COLLAPSE = "collapse"
    DEMAND = "demand"
    """A single case does not hold what the golden set demands of it."""
    OVERRIDE = "override"
    """The system does not follow its chunks."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the cases, such as kind = multi_hop; all of them where `by` is empty."""

    by: str = ""
    value: str = ""

    def __str__(self) -> str:
        return f"{self.by} {self.value}" if self.by else "all cases"


ALL = Stratum()


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason to block. `layer` is null where it is no matter of a layer."""

    kind: Kind
    layer: Layer | None
    message: str
    metric: str = ""
    stratum: Stratum = ALL
    cases: tuple[str, ...] = ()
    """Ids of the cases that make it."""
    numbers: dict[str, Any] = field(default_factory=dict)


__all__ = ["ALL", "Finding", "Kind", "Stratum"]
