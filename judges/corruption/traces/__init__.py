"""Traces that failed in a known way, made from healthy ones."""

from judges.corruption.traces.build_canaries import Canary, build_canaries, read_marker
from judges.corruption.traces.draft import Truth
from judges.corruption.traces.make import Made, list_kinds, make_trace
from judges.corruption.traces.material import Material, Pool

__all__ = [
    "Canary",
    "Made",
    "Material",
    "Pool",
    "Truth",
    "build_canaries",
    "list_kinds",
    "make_trace",
    "read_marker",
]
