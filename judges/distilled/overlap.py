"""Which units of one side occur on the other, and in which places: one sort and binary searches.

Keys are mixed with the number of their trace, so a whole batch is one index and no trace can see
another's text. The high 44 bits of an entry are the key, the low 20 the place (a clause, counted from
the batch's first); equal entries fall together in the sort.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judges.distilled.tokens import Bools, Ints, Keys, mix

PLACE_BITS = 20
MAX_PLACES = 1 << PLACE_BITS
_KEY_MASK = np.uint64(~np.uint64(MAX_PLACES - 1))
_PLACE_MASK = np.uint64(MAX_PLACES - 1)
_TRACE_SALT = np.uint64(0xC2B2AE3D27D4EB4F)


def in_trace(keys: Keys, trace: Ints) -> Keys:
    """Keys that are equal only within one trace."""
    with np.errstate(over="ignore"):
        return mix(keys ^ ((trace.astype(np.uint64) + np.uint64(1)) * _TRACE_SALT))


@dataclass(slots=True)
class Matches:
    """Pairs of a query (index into the keys that were asked for) and a place that holds it, in order."""

    query: Ints
    place: Ints


class Index:
    """Where each key occurs. `place` numbers must be below `MAX_PLACES`."""

    def __init__(self, keys: Keys, trace: Ints, place: Ints) -> None:
        packed = (in_trace(keys, trace) & _KEY_MASK) | place.astype(np.uint64)
        packed.sort()
        if len(packed):
            packed = packed[np.append(True, packed[1:] != packed[:-1])]
        self._packed = packed

    def match(self, keys: Keys, trace: Ints) -> Matches:
        """Every (query, place) at which a queried key occurs, ordered by query, then by place."""
        low = in_trace(keys, trace) & _KEY_MASK
        left = np.searchsorted(self._packed, low)
        right = np.searchsorted(self._packed, low | _PLACE_MASK, side="right")
        counts = right - left
        total = int(counts.sum())
        query = np.repeat(np.arange(len(keys)), counts)
        if not total:
            return Matches(query, np.zeros(0, dtype=np.int64))
        begins = np.cumsum(counts) - counts
        at = np.arange(total) - np.repeat(begins, counts) + np.repeat(left, counts)
        return Matches(query, (self._packed[at] & _PLACE_MASK).astype(np.int64))

    def holds(self, keys: Keys, trace: Ints) -> Bools:
        """Whether each key occurs at all."""
        everywhere = np.zeros(len(keys), dtype=np.int64)
        return self.within(keys, trace, everywhere, everywhere + MAX_PLACES)

    def within(self, keys: Keys, trace: Ints, first: Ints, last: Ints) -> Bools:
        """Whether each key occurs at a place in its `[first, last)`."""
        base = in_trace(keys, trace) & _KEY_MASK
        at = np.searchsorted(self._packed, base | np.maximum(first, 0).astype(np.uint64))
        found = np.zeros(len(keys), dtype=np.bool_)
        inside = at < len(self._packed)
        entry = self._packed[at[inside]]
        same = (entry & _KEY_MASK) == base[inside]
        found[inside] = same & ((entry & _PLACE_MASK).astype(np.int64) < last[inside])
        return found
