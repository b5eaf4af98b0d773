"""Boundaries that were fitted before, by the name of the model's file: so that nobody need wait for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from judges.llm.local.boundary import Boundary

FIT_SEED: Final = 101
"""Of the simulated traffic that boundaries are fitted on; a demonstration never uses it."""
FIT_EACH: Final = 12
"""Traces of every kind and language for a fit."""

FITTED: Final[Mapping[str, Mapping[str, Boundary]]] = {}
"""By `ragpulse judge --local --fit`, which prints them."""

__all__ = ["FITTED", "FIT_EACH", "FIT_SEED"]
