"""Hashes of words, pairs and numbers, and the small hash tables that the other kernels look into."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel.compiled import compiled, inlined

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint32]
Slots = npt.NDArray[np.int32]

_MIX = np.uint64(0xBF58476D1CE4E5B9)
_LEFT = np.uint64(0xD6E8FEB86659FD93)
_S17, _S29, _S32 = np.uint64(17), np.uint64(29), np.uint64(32)


@compiled
def mix(key: np.uint64) -> np.uint64:
    """Finish a hash: every input bit reaches the high bits (the ones that tables index by)."""
    mixed = (key ^ (key >> _S29)) * _MIX
    return mixed ^ (mixed >> _S32)


@compiled
def pair(left: np.uint64, right: np.uint64) -> np.uint64:
    """Hash of an ordered pair of hashes."""
    return mix(left * _LEFT + (right ^ (right << _S17)))


@compiled
def table_size(entries: int) -> int:
    """A power of two that leaves half of a table empty."""
    size = 16
    while size < 2 * entries:
        size *= 2
    return size


@compiled
def find(keys: Keys, used: Slots, stamp: int, key: np.uint64) -> int:
    """The slot of `key` among those stamped `stamp`, or -1. One table serves many sets, one after another:
    a new stamp empties it."""
    mask = len(keys) - 1
    slot = np.int64(key) & mask
    while used[slot] == stamp:
        if keys[slot] == key:
            return int(slot)
        slot = (slot + 1) & mask
    return -1


@inlined
def no_slots(size: int) -> Slots:
    """So many times -1."""
    slots = np.empty(size, np.int32)
    for i in range(size):
        slots[i] = -1
    return slots


@inlined
def no_places(size: int) -> Ints:
    """So many times -1."""
    places = np.empty(size, np.int64)
    for i in range(size):
        places[i] = -1
    return places


@inlined
def find_first(ascending: Ints, least: int) -> int:
    """Where the first entry is that is no less than `least`; the length where there is none."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def find_or_take(keys: Keys, used: Slots, stamp: int, key: np.uint64) -> tuple[int, bool]:
    """The slot of `key`, and whether it was taken for it just now. The table must have room."""
    mask = len(keys) - 1
    slot = np.int64(key) & mask
    while used[slot] == stamp:
        if keys[slot] == key:
            return int(slot), False
        slot = (slot + 1) & mask
    keys[slot] = key
    used[slot] = stamp
    return int(slot), True
