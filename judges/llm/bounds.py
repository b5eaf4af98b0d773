"""How long answers are kept, and how many."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Bounds:
    """Of the cache: seconds that an answer is kept, and bytes of all answers. An age of 0 keeps none."""

    age_s: float = 7 * 86_400.0
    bytes: int = 256 * 1024 * 1024


__all__ = ["Bounds"]
