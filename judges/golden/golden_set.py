"""A golden set: cases, and where this version of them comes from."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from judges.golden.case import GoldenCase, Kind

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What a set may be called: fit for a file's name, and never taken for an option or a version."""
VERSION: Final = re.compile(r"[0-9a-f]{16}")

WANTED: Final[Mapping[Kind, int]] = {
    Kind.SINGLE_HOP: 40,
    Kind.MULTI_HOP: 20,
    Kind.UNANSWERABLE: 20,
    Kind.CONFLICTING: 10,
    Kind.PERMISSION: 10,
    Kind.LONG_DOCUMENT: 10,
}
"""Cases of each kind to aim for, unless somebody says otherwise."""


@dataclass(frozen=True, slots=True)
class Quota:
    """How many cases of a kind there are, and how many there should be."""

    have: int
    want: int

    @property
    def missing(self) -> int:
        """0 where there are enough."""
        return max(0, self.want - self.have)


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """One version of a set. Its cases are in the order of their ids, each id once."""

    name: str
    cases: tuple[GoldenCase, ...]
    parent: str = ""
    """The version that it grew from; empty for the first."""
    who: str = ""
    when: datetime | None = None
    why: str = ""
    wanted: Mapping[Kind, int] = field(default_factory=lambda: dict(WANTED))

    @property
    def version(self) -> str:
        """Hash of all that the cases say, and of nothing else: equal cases are an equal version."""
        return version_of(self.cases)

    @property
    def quotas(self) -> dict[Kind, Quota]:
        """Of every kind, in a fixed order."""
        have = Counter(case.kind for case in self.cases)
        return {kind: Quota(have[kind], self.wanted.get(kind, 0)) for kind in Kind}

    def case(self, case_id: str) -> GoldenCase | None:
        """One case; null where there is none of this id."""
        return next((case for case in self.cases if case.case_id == case_id), None)

    def with_cases(self, cases: Iterable[GoldenCase]) -> GoldenSet:
        """The same with other cases, in order. Raises ValueError where an id occurs twice."""
        return replace(self, cases=in_order(cases))


def version_of(cases: Iterable[GoldenCase]) -> str:
    """SHA-256 over ids and hashes of the cases in the order of their ids: the first 64 bits, in hex."""
    total = hashlib.sha256()
    for case in sorted(cases, key=lambda one: one.case_id):
        total.update(f"{case.case_id}\0{case.digest}\n".encode())
    return total.hexdigest()[:16]


def in_order(cases: Iterable[GoldenCase]) -> tuple[GoldenCase, ...]:
    """Cases by id. Raises ValueError where one occurs twice."""
    ordered = tuple(sorted(cases, key=lambda case: case.case_id))
    for one, other in pairwise(ordered):
        if one.case_id == other.case_id:
            raise ValueError(f"case {one.case_id!r} occurs twice")
    return ordered


__all__ = ["NAME", "VERSION", "WANTED", "GoldenSet", "Quota", "in_order", "version_of"]
