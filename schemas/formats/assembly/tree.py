"""The steps of one trace as a tree: only those that say something, whatever parents are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from schemas.formats.step import Kind, Step

_ROOT: Final = -1
_NOTHING: Final = frozenset[Kind]()


class Tree:
    """Steps in the order of their start, each with its nearest speaking ancestor as parent.

    Spans of web servers and databases are passed over, so that what hangs below them moves up. A
    parent that never arrived makes a root, and so does a circle of parents.
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        everything = list(steps)
        up = _parents(everything)
        spoken = [i for i, step in enumerate(everything) if step.kind is not Kind.PLAIN]
        starts = [step.span.start_ns for step in everything]
        if len({starts[i] for i in spoken}) < len(spoken):
            spoken.sort(key=lambda i: _depth_hint(up, i))  # of those that start together
        spoken.sort(key=starts.__getitem__)
        place = {old: new for new, old in enumerate(spoken)}
        self.steps = [everything[i] for i in spoken]
        self.span_ids = {step.span.span_id for step in everything}
        self.parent = [_spoken_parent(up, place, i) for i in spoken]
        self.children: list[list[int]] = [[] for _ in spoken]
        for child, parent in enumerate(self.parent):
            if parent != _ROOT:
                self.children[parent].append(child)
        self.roots = [i for i, parent in enumerate(self.parent) if parent == _ROOT]
        self._above: dict[int, frozenset[Kind]] = {}

    def __len__(self) -> int:
        return len(self.steps)

    def ancestors(self, i: int) -> Iterator[int]:
        """From its parent to the topmost."""
        i = self.parent[i]
        while i != _ROOT:
            yield i
            i = self.parent[i]

    def above(self, i: int) -> frozenset[Kind]:
        """The kinds of everything it stands in. Remembered: kinds must not change any more."""
        known = self._above.get(i)
        if known is not None:
            return known
        chain = []
        j = i
        while j != _ROOT and j not in self._above:
            chain.append(j)
            j = self.parent[j]
        for k in reversed(chain):
            parent = self.parent[k]
            self._above[k] = _NOTHING if parent == _ROOT else self._above[parent] | {self.steps[parent].kind}
        return self._above[i]

    def path(self, i: int) -> list[int]:
        """From the topmost down to the step itself."""
        return [*reversed(list(self.ancestors(i))), i]

    def below(self, i: int) -> Iterator[int]:
        """Everything under a step."""
        waiting = list(self.children[i])
        while waiting:
            child = waiting.pop()
            yield child
            waiting += self.children[child]

    def outermost(self, *kinds: Kind) -> list[int]:
        """The steps of these kinds that do not stand inside another of them, in order."""
        places = [i for i, step in enumerate(self.steps) if step.kind in kinds]
        return [i for i in places if self.above(i).isdisjoint(kinds)]


def _parents(steps: Sequence[Step]) -> list[int]:
    """The place of each step's parent; circles are cut open."""
    by_id = {step.span.span_id: i for i, step in enumerate(steps) if step.span.span_id}
    up = [by_id.get(step.span.parent_id, _ROOT) if step.span.parent_id else _ROOT for step in steps]
    done = [False] * len(steps)
    for i in range(len(steps)):
        path: dict[int, None] = {}
        j = i
        while j != _ROOT and not done[j]:
            if j in path:
                up[j] = _ROOT  # a circle: whoever closes it becomes a root
                break
            path[j] = None
            j = up[j]
        for k in path:
            done[k] = True
    return up


def _spoken_parent(up: list[int], place: dict[int, int], i: int) -> int:
    """The nearest ancestor that says something. Steps over silent ones are remembered in `up`."""
    skipped = []
    j = up[i]
    while j != _ROOT and j not in place:
        skipped.append(j)
        j = up[j]
    for k in skipped:
        up[k] = j
    return place.get(j, _ROOT)


def _depth_hint(up: list[int], i: int) -> int:
    """0 for roots: of two spans that start together, the outer goes first."""
    depth = 0
    while up[i] != _ROOT and depth < 64:
        i = up[i]
        depth += 1
    return depth


__all__ = ["Tree"]
