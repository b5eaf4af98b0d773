"""Cases: a trace with what a reader expects scoring to say of it, and how the two are compared.

A case is one JSON line: `kind`, `name`, `why`, `trace`, `expect`. `expect` holds fields of the score
line: a value (must equal it; null means not measured), `{"min": x}` and `{"max": x}`, or
`evidence_contains`: a piece of text that the weakest claim must include.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from schemas.trace import Trace

SAME_SUPPORT = 1e-6
"""Claims this close to the lowest support are equally weak."""


@dataclass(frozen=True, slots=True)
class Case:
    """One trace and the fields of its score line that nobody would dispute."""

    kind: str
    name: str
    why: str
    trace: Trace
    expect: dict[str, Any]


def read_cases(path: Path) -> list[Case]:
    """Every case of a file, in its order; `kind` falls back to the name."""
    with path.open("rb") as lines:
        return [_case(orjson.loads(line)) for line in lines]


def _case(raw: dict[str, Any]) -> Case:
    name = raw["name"]
    return Case(raw.get("kind", name), name, raw["why"], Trace.model_validate(raw["trace"]), raw["expect"])


def misses(line: dict[str, Any], expect: dict[str, Any]) -> list[str]:
    """Where a score line differs from what was expected, one sentence each; empty when it is right."""
    return [miss for name, wanted in expect.items() for miss in _miss(line, name, wanted)]


def _miss(line: dict[str, Any], name: str, wanted: Any) -> Iterator[str]:
    if name == "evidence_contains":
        weakest = weakest_claims(line)
        if not any(wanted in claim for claim in weakest):
            yield f"the weakest claim should contain {wanted!r}; it is {weakest}"
    elif isinstance(wanted, dict):
        value = line[name]
        if value is None or value < wanted.get("min", value) or value > wanted.get("max", value):
            yield f"{name} should be within {wanted}; it is {value}"
    elif line[name] != wanted:
        yield f"{name} should be {wanted!r}; it is {line[name]!r}"


def weakest_claims(line: dict[str, Any]) -> list[str]:
    """The texts of the claims with the lowest support."""
    claims = line["evidence"]
    lowest = min((claim["support"] for claim in claims), default=0.0)
    return [claim["text"] for claim in claims if claim["support"] <= lowest + SAME_SUPPORT]
