"""The probes: traces, each with the class that is true of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

import orjson

from schemas.trace import Trace

PROBE_SET: Final = "1"
"""Version of the set. Answers to different versions are never compared."""


@dataclass(slots=True, frozen=True)
class Probe:
    """One probe. `expected` is a failure class or `healthy`; `kind` is what it is meant to try."""

    name: str
    kind: str
    expected: str
    trace: Trace

    @property
    def language(self) -> str:
        """Of the trace: zh or en."""
        return self.trace.language or ""


@lru_cache(maxsize=1)
def load_probes() -> tuple[Probe, ...]:
    """All probes, in the order of the file."""
    lines = files(__package__).joinpath("probes.jsonl").read_bytes().splitlines()
    return tuple(
        Probe(row["name"], row["kind"], row["expected"], Trace.model_validate(row["trace"]))
        for row in map(orjson.loads, lines)
    )


__all__ = ["PROBE_SET", "Probe", "load_probes"]
