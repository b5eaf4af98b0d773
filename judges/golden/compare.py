"""What differs between two golden sets: cases that came, went, and changed, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judges.golden.case import GoldenCase
from judges.golden.golden_set import GoldenSet, Quota
from schemas.golden import Kind


@dataclass(frozen=True, slots=True)
class Changed:
    """One case that says something else now."""

    old: GoldenCase
    new: GoldenCase

    @property
    def fields(self) -> dict[str, tuple[Any, Any]]:
        """What it said and says, by field, as JSON; null where it says nothing."""
        before, after = self.old.as_dict(), self.new.as_dict()
        names = [name for name in GoldenCase.__dataclass_fields__ if before.get(name) != after.get(name)]
        return {name: (before.get(name), after.get(name)) for name in names}


@dataclass(frozen=True, slots=True)
class Difference:
    """Old set to new set. Both sides are in the order of ids."""

    old: GoldenSet
    new: GoldenSet
    added: tuple[GoldenCase, ...]
    removed: tuple[GoldenCase, ...]
    changed: tuple[Changed, ...]

    def __bool__(self) -> bool:
        """Whether the cases differ at all. Who made a version, and when, is no difference."""
        return bool(self.added or self.removed or self.changed)

    @property
    def quotas(self) -> dict[Kind, tuple[Quota, Quota]]:
        """Before and after, of every kind."""
        after: Mapping[Kind, Quota] = self.new.quotas
        return {kind: (quota, after[kind]) for kind, quota in self.old.quotas.items()}


def compare(old: GoldenSet, new: GoldenSet) -> Difference:
    """What became of each case, by its id."""
    before = {case.case_id: case for case in old.cases}
    after = {case.case_id: case for case in new.cases}
    return Difference(
        old=old,
        new=new,
        added=tuple(after[case_id] for case_id in sorted(after.keys() - before.keys())),
        removed=tuple(before[case_id] for case_id in sorted(before.keys() - after.keys())),
        changed=tuple(
            Changed(before[case_id], after[case_id])
            for case_id in sorted(before.keys() & after.keys())
            if before[case_id].digest != after[case_id].digest
        ),
    )


__all__ = ["Changed", "Difference", "compare"]
