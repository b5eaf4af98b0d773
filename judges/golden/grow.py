"""A new version of a set: its parent's cases, and those that people have agreed on since."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from judges.golden.case import GoldenCase
from judges.golden.golden_set import GoldenSet, in_order
from schemas.golden import Kind

FROM_LABELS: Final = ("gold_chunk_ids", "gold_texts", "reference_answer", "should_refuse")
"""What labels say of a case; its kind follows where these change. All else is only written by hand."""


@dataclass(frozen=True, slots=True)
class Growth:
    """What a new version is made of."""

    golden: GoldenSet
    added: tuple[str, ...]
    refreshed: tuple[str, ...]
    """Cases of the parent that took what labels say now."""
    otherwise: tuple[str, ...]
    """Cases of the parent of which labels say something else now, kept as they were."""
    repeated: int
    """Agreed cases that ask what another one asks already."""


def grow(
    parent: GoldenSet,
    agreed: Iterable[GoldenCase],
    *,
    who: str,
    when: datetime,
    why: str,
    wanted: Mapping[Kind, int] | None = None,
    refresh: bool = False,
) -> Growth:
    """Add what is agreed on to a parent (without a version: an empty set of that name).

    A case that the parent holds stays as it is, since people may have worked on it; with `refresh` what
    labels say (`FROM_LABELS`) is taken over, and the rest stays. `wanted` replaces the quotas by kind.
    """
    cases = {case.case_id: case for case in parent.cases}
    asked = {asks(case) for case in parent.cases}
    added: list[str] = []
    refreshed: list[str] = []
    otherwise: list[str] = []
    repeated = 0
    for case in in_order(agreed):
        known = cases.get(case.case_id)
        if known is None and asks(case) in asked:
            repeated += 1
        elif known is None:
            cases[case.case_id] = case
            asked.add(asks(case))
            added.append(case.case_id)
        elif (now := _by_labels(known, case)).digest != known.digest:
            if refresh:
                cases[case.case_id] = now
            (refreshed if refresh else otherwise).append(case.case_id)
    golden = GoldenSet(
        name=parent.name,
        cases=in_order(cases.values()),
        parent=parent.version if parent.cases else "",
        who=who,
        when=when,
        why=why,
        wanted={**parent.wanted, **(wanted or {})},
    )
    return Growth(golden, tuple(added), tuple(refreshed), tuple(otherwise), repeated)


def _by_labels(known: GoldenCase, agreed: GoldenCase) -> GoldenCase:
    now = replace(known, **{name: getattr(agreed, name) for name in FROM_LABELS})
    return known if now.digest == known.digest else replace(now, kind=agreed.kind)


def asks(case: GoldenCase) -> tuple[object, ...]:
    """What a case asks, of whom: letters and digits only, so that a comma makes no other question."""
    texts = [*(turn.content for turn in case.history), case.question]
    folded = (unicodedata.normalize("NFKC", text).casefold() for text in texts)
    plain = tuple("".join(char for char in text if char.isalnum()) for text in folded)
    return (*plain, case.tenant, case.permissions)


__all__ = ["FROM_LABELS", "Growth", "asks", "grow"]
