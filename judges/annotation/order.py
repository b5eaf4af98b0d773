"""Which case comes next: value, age, variety, whoever has begun it, and chance in its fixed share.

for item_id in in_order(standings, control_share=0.1, half_life_s=3 * 86_400): …
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

SAME_STAGE: Final = 0.93
SAME_CLASS: Final = 0.93
SAME_KIND: Final = 0.5
"""What each case taken already leaves of the value of the next of its first failed stage, class, or kind of
question: one index gap makes hundreds of cases, and the tenth of them teaches little."""
_ROUNDING: Final = 1e-9
_MOST_DUE: Final = 2.0
"""Controls that are handed out at once at most, where people had too few of them before."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A case, as far as the order goes."""

    item_id: str
    value: float
    """0 to 1, when it was made."""
    age_s: float = 0.0
    stage: str = ""
    failure: str = ""
    cluster: str = ""
    """Of its question; nothing where it is like no other."""
    control: bool = False
    votes: int = 0


def priority(one: Standing, half_life_s: float) -> float:
    """The value, halved with each half-life: what failed a month ago was repaired, or is known."""
    return float(one.value * 0.5 ** (max(one.age_s, 0.0) / half_life_s))


def in_order(
    standings: Iterable[Standing],
    control_share: float,
    half_life_s: float,
    taken: Iterable[Standing] = (),
) -> list[str]:
    """All of them, the next first. `taken`: what people had of late, which counts for variety.

    Begun cases come first: agreement is known only of cases that have several votes. The others follow by
    value and variety (`vary`). Controls are spread among them evenly, in their share, and in the order of
    their ids, which is that of chance: no value decides which of them is looked at.
    """
    known = list(standings)
    begun = [one for one in known if one.votes]
    begun.sort(key=lambda one: (-priority(one, half_life_s), one.item_id))
    fresh = [replace(one, value=priority(one, half_life_s)) for one in known if not one.votes]
    had = [*taken, *begun]
    chosen = deque(vary([one for one in fresh if not one.control], had))
    controls = deque(sorted(one.item_id for one in fresh if one.control))
    found = [one.item_id for one in begun]
    due = min(max(control_share * len(had) - sum(one.control for one in had), 0.0), _MOST_DUE)
    while chosen or controls:
        due += control_share
        if controls and (due >= 1.0 - _ROUNDING or not chosen):
            found.append(controls.popleft())
            due -= 1.0
        elif chosen:
            found.append(chosen.popleft().item_id)
    return found


def vary(standings: Sequence[Standing], taken: Iterable[Standing] = ()) -> Iterator[Standing]:
    """The same in another order: by value, less for what comes of a stage, class and kind that came before.

    Of each class the best case waits in front; each time the best of these is taken, and its stage, class and
    kind count for less from then on. Takes n log n steps.
    """
    variety = _Variety(standings, taken)
    waiting: dict[tuple[str, str], list[tuple[float, str, Standing]]] = {}
    for one in standings:
        waiting.setdefault((one.stage, one.failure), []).append((-one.value, one.item_id, one))
    for heap in waiting.values():
        heapq.heapify(heap)
    while waiting:
        fronts = ((variety.worth(variety.front(heap)), heap[0], key) for key, heap in waiting.items())
        _, (_, _, best), key = max(fronts, key=lambda front: (front[0], front[1][1]))
        heapq.heappop(waiting[key])
        if not waiting[key]:
            del waiting[key]
        variety.take(best)
        yield best


class _Variety:
    """How much of its value each case keeps, after what was taken."""

    def __init__(self, standings: Sequence[Standing], taken: Iterable[Standing]) -> None:
        self._stages: Counter[str] = Counter()
        self._classes: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        for one in taken:
            self.take(one)
        # Only differences matter, and a high power of a share is nothing.
        stages = min((self._stages[one.stage] for one in standings), default=0)
        classes = min((self._classes[one.failure] for one in standings), default=0)
        self._stages.subtract(dict.fromkeys(self._stages, stages))
        self._classes.subtract(dict.fromkeys(self._classes, classes))

    def take(self, one: Standing) -> None:
        self._stages[one.stage] += 1
        self._classes[one.failure] += 1
        if one.cluster:
            self._kinds[one.cluster] += 1

    def front(self, heap: list[tuple[float, str, Standing]]) -> Standing:
        """The best of a class, each as much as is left of it because of its kind."""
        while True:
            noted, item_id, one = heap[0]
            now = -self._kind_worth(one)
            if now <= noted:
                return one
            heapq.heapreplace(heap, (now, item_id, one))

    def worth(self, one: Standing) -> float:
        stage, of_class = self._stages[one.stage], self._classes[one.failure]
        return float(self._kind_worth(one) * SAME_STAGE**stage * SAME_CLASS**of_class)

    def _kind_worth(self, one: Standing) -> float:
        return float(one.value * SAME_KIND ** self._kinds[one.cluster]) if one.cluster else one.value


__all__ = ["SAME_CLASS", "SAME_KIND", "SAME_STAGE", "Standing", "in_order", "priority", "vary"]
