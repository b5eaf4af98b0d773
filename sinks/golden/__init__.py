"""Golden sets in the store: versions that are written once."""

from __future__ import annotations

from sinks.golden.errors import GoldenSetDamaged, NoSuchGoldenSet
from sinks.golden.store import GoldenStore, Head

__all__ = ["GoldenSetDamaged", "GoldenStore", "Head", "NoSuchGoldenSet"]
