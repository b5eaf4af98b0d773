"""Which case comes next: value, age, whoever has begun it, and chance in its fixed share.

for item_id in in_order(standings, control_share=0.1, half_life_s=3 * 86_400): …
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

BEGUN: Final = 2.0
"""A case with a vote comes before all without: agreement is known only of cases that have several."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An open case, as far as the order goes."""

    item_id: str
    value: float
    """0 to 1, when it was made."""
    age_s: float
    stratum: str
    """What must not fill the queue alone: the first failed stage."""
    control: bool = False
    votes: int = 0


def priority(one: Standing, half_life_s: float) -> float:
    """The value, halved with each half-life: what failed a month ago was repaired, or is known."""
    return float((BEGUN if one.votes else 0.0) + one.value * 0.5 ** (max(one.age_s, 0.0) / half_life_s))


def in_order(standings: Iterable[Standing], control_share: float, half_life_s: float) -> list[str]:
    """All of them, the next first.

    Begun cases come first. Of the others each stratum has its turn, its best case at a time, as long as it
    has any, the stratum with the best case first. Controls are spread among them evenly, in their share, and
    in the order of their ids, which is that of chance: no value decides which of them is looked at.
    """
    known = list(standings)
    begun = [one for one in known if one.votes]
    fresh = [one for one in known if not one.votes]
    begun.sort(key=lambda one: (-priority(one, half_life_s), one.item_id))
    chosen = deque(_turns([one for one in fresh if not one.control], half_life_s))
    controls = deque(sorted((one for one in fresh if one.control), key=lambda one: one.item_id))
    found = [one.item_id for one in begun]
    due = 0.0
    while chosen or controls:
        due += control_share
        if controls and (due >= 1.0 or not chosen):
            found.append(controls.popleft().item_id)
            due -= 1.0
        elif chosen:
            found.append(chosen.popleft().item_id)
    return found


def _turns(standings: list[Standing], half_life_s: float) -> Iterator[Standing]:
    """One of each stratum after the other."""
    by_stratum: dict[str, deque[Standing]] = {}
    for one in sorted(standings, key=lambda one: (-priority(one, half_life_s), one.item_id)):
        by_stratum.setdefault(one.stratum, deque()).append(one)
    while by_stratum:
        for name in list(by_stratum):
            yield by_stratum[name].popleft()
            if not by_stratum[name]:
                del by_stratum[name]


__all__ = ["BEGUN", "Standing", "in_order", "priority"]
