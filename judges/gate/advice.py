"""What to mind when a baseline is made: floors so near that noise would miss them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from judges.gate.decide import Decision
from judges.gate.finding import ALL, Stratum
from judges.gate.result import CaseResult
from judges.gate.suite import Suite

_NEAR: Final = 2.0
"""Standard errors."""


def advise(suite: Suite, decision: Decision) -> list[str]:
    """A sentence for each floor that the system clears by less than two standard errors of its mean."""
    floors = [(ALL, metric, floor) for metric, floor in suite.floors.items()]
    floors += [
        (Stratum(by, value), metric, floor)
        for by, values in suite.stratum_floors.items()
        for value, named in values.items()
        for metric, floor in named.items()
    ]
    return [
        said
        for stratum, metric, floor in floors
        if (said := _advise(stratum, metric, floor, decision.results))
    ]


def _advise(stratum: Stratum, metric: str, floor: float, results: Sequence[CaseResult]) -> str:
    values = np.array(
        [
            one.values[metric]
            for one in results
            if metric in one.values and (not stratum.by or one.strata.get(stratum.by) == stratum.value)
        ]
    )
    if len(values) < 2 or values.mean() < floor:
        return ""
    error = float(values.std(ddof=1)) / len(values) ** 0.5
    if values.mean() - floor >= _NEAR * error:
        return ""
    return (
        f"the floor of {metric} over {stratum} ({floor:.3g}) is nearer to {values.mean():.3f} than two "
        f"standard errors ({2 * error:.3f}): the same system may miss it by chance"
    )


__all__ = ["advise"]
