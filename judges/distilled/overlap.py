"""Which units of one side occur on the other, and in which windows: one sort and binary searches.

Keys are mixed with the number of their trace, so a whole batch is one index and no trace can see
another's text. The high 44 bits of an entry are the key, the low 20 the window, counted from the
batch's first; equal (key, window) entries fall together in the sort.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judges.distilled.tokens import Bools, Ints, Keys, mix

WINDOW_BITS = 20
MAX_WINDOWS = 1 << WINDOW_BITS
_KEY_MASK = np.uint64(~np.uint64(MAX_WINDOWS - 1))
_WINDOW_MASK = np.uint64(MAX_WINDOWS - 1)
_TRACE_SALT = np.uint64(0xC2B2AE3D27D4EB4F)


def in_trace(keys: Keys, trace: Ints) -> Keys:
    """Keys that are equal only within one trace."""
    with np.errstate(over="ignore"):
        return mix(keys ^ ((trace.astype(np.uint64) + np.uint64(1)) * _TRACE_SALT))


@dataclass(slots=True)
class Matches:
    """Pairs of a query (index into the keys that were asked for) and a window that holds it."""

    query: Ints
    window: Ints


class Index:
    """Where each key occurs. `window` numbers must be below `MAX_WINDOWS`."""

    def __init__(self, keys: Keys, trace: Ints, window: Ints) -> None:
        packed = (in_trace(keys, trace) & _KEY_MASK) | window.astype(np.uint64)
        packed.sort()
        if len(packed):
            packed = packed[np.append(True, packed[1:] != packed[:-1])]
        self._packed = packed

    def match(self, keys: Keys, trace: Ints) -> Matches:
        """Every (query, window) in which a queried key occurs, ordered by query."""
        low = in_trace(keys, trace) & _KEY_MASK
        left = np.searchsorted(self._packed, low)
        right = np.searchsorted(self._packed, low | _WINDOW_MASK, side="right")
        counts = right - left
        total = int(counts.sum())
        query = np.repeat(np.arange(len(keys)), counts)
        if not total:
            return Matches(query, np.zeros(0, dtype=np.int64))
        begins = np.cumsum(counts) - counts
        at = np.arange(total) - np.repeat(begins, counts) + np.repeat(left, counts)
        return Matches(query, (self._packed[at] & _WINDOW_MASK).astype(np.int64))

    def holds(self, keys: Keys, trace: Ints) -> Bools:
        """Whether each key occurs at all."""
        low = in_trace(keys, trace) & _KEY_MASK
        at = np.searchsorted(self._packed, low)
        found = np.zeros(len(keys), dtype=np.bool_)
        inside = at < len(self._packed)
        found[inside] = (self._packed[at[inside]] & _KEY_MASK) == low[inside]
        return found
