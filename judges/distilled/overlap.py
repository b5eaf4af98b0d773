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
_FILTER_BITS = 20
_FILTER_SHIFT = np.uint64(64 - _FILTER_BITS)
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
    """Where each key occurs, of the keys that will be asked for. Places must be below `MAX_PLACES`.

    `sought` are keys already mixed with their trace (`in_trace`): entries of other keys are left out
    before the sort, by a table of bits, because a context holds many more words than an answer asks
    for. Asking for a key that was not sought gives no match.
    """

    def __init__(self, keys: Keys, trace: Ints, place: Ints, sought: Keys) -> None:
        mixed = in_trace(keys, trace)
        wanted = np.zeros(1 << _FILTER_BITS, dtype=np.bool_)
        wanted[(sought >> _FILTER_SHIFT).astype(np.int64)] = True
        kept = np.flatnonzero(wanted[(mixed >> _FILTER_SHIFT).astype(np.int64)])
        packed = (mixed[kept] & _KEY_MASK) | place[kept].astype(np.uint64)
        packed.sort()
        if len(packed):
            packed = packed[np.append(True, packed[1:] != packed[:-1])]
        self._packed = packed

    def match(self, sought: Keys) -> Matches:
        """Every (query, place) at which a sought key occurs, ordered by query, then by place."""
        low = sought & _KEY_MASK
        left = np.searchsorted(self._packed, low)
        right = np.searchsorted(self._packed, low | _PLACE_MASK, side="right")
        counts = right - left
        query = np.repeat(np.arange(len(sought)), counts)
        begins = np.cumsum(counts) - counts
        at = np.arange(len(query)) - np.repeat(begins, counts) + np.repeat(left, counts)
        return Matches(query, (self._packed[at] & _PLACE_MASK).astype(np.int64))

    def holds(self, sought: Keys) -> Bools:
        """Whether each sought key occurs at all."""
        everywhere = np.zeros(len(sought), dtype=np.int64)
        return self.within(sought, everywhere, everywhere + MAX_PLACES)

    def within(self, sought: Keys, first: Ints, last: Ints) -> Bools:
        """Whether each sought key occurs at a place in its `[first, last)`."""
        base = sought & _KEY_MASK
        at = np.searchsorted(self._packed, base | np.maximum(first, 0).astype(np.uint64))
        found = np.zeros(len(sought), dtype=np.bool_)
        inside = np.flatnonzero(at < len(self._packed))
        entry = self._packed[at[inside]]
        same = (entry & _KEY_MASK) == base[inside]
        found[inside] = same & ((entry & _PLACE_MASK).astype(np.int64) < last[inside])
        return found


def occurs(keys: Keys, trace: Ints, sought: Keys) -> Bools:
    """Whether each sought key is among `keys` of its trace."""
    return Index(keys, trace, np.zeros(len(keys), dtype=np.int64), sought).holds(sought)
