"""Boundaries that were fitted before, by the name of the model's file: so that nobody need wait for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from judges.llm.local.boundary import Boundary
from judges.llm.local.parts import NAME

FIT_SEED: Final = 101
"""Of the simulated traffic that boundaries are fitted on; a demonstration never uses it."""
FIT_EACH: Final = 8
"""Traces of every kind and language for a fit."""

FITTED: Final[Mapping[str, Mapping[str, Boundary]]] = {
    NAME: {
        "en": Boundary(threshold=0.0547, steepness=2.837, fitted_on=16),
        "zh": Boundary(threshold=2.2254, steepness=1.582, fitted_on=16),
    }
}
"""As `ragpulse judge --local --fit` prints them; to be fitted anew when questions are put differently."""

__all__ = ["FITTED", "FIT_EACH", "FIT_SEED"]
