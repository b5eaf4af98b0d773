"""How finely two things are compared: as finely as they have traffic in common. Pure.

Tenants and hours of the day have rates of their own; two releases that ran at different hours, or one week
against another, are held against each other tenant by tenant and hour by hour, where both have such traffic.
Where they have not (one ran in the morning, the other in the afternoon), the hour is given up, then the
tenant, and the report says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from stream.report.compare import STRATA, Arms, N, Stratum, arms_of
from stream.report.strata import FINEST, coarser
from stream.watch.records import Floats, Measure

COMMON: Final = 0.9
"""Of the traces of one of the two at least, that must lie in strata which both have."""
_WITH_TENANT: Final = tuple(column for column in FINEST if column != "hour")
LEVELS: Final = (FINEST, _WITH_TENANT, STRATA)
_COUNTED: Final = list(Measure).index(Measure.REFUSAL)
"""A measure that every trace has."""


def choose_strata(a: Mapping[Stratum, Floats], b: Mapping[Stratum, Floats]) -> tuple[tuple[str, ...], Arms]:
    """The finest columns at which both have enough in common, and their sums by them."""
    for columns in LEVELS[:-1]:
        arms = arms_of(coarser(a, columns), coarser(b, columns))
        if len(arms.strata) and max(_common(arms)) >= COMMON:
            return columns, arms
    return STRATA, arms_of(coarser(a, STRATA), coarser(b, STRATA))


def _common(arms: Arms) -> tuple[float, float]:
    """Of either, the share of its traces in strata that both have."""
    a, b = arms.a[:, _COUNTED, N], arms.b[:, _COUNTED, N]
    both = (a > 0) & (b > 0)
    return tuple(float(n[both].sum()) / float(n.sum()) if n.sum() else 0.0 for n in (a, b))  # type: ignore[return-value]


__all__ = ["COMMON", "LEVELS", "choose_strata"]
