"""Which keys are among others, trace by trace: one hash table for a whole part."""

from __future__ import annotations

import numpy as np

from judges.distilled.kernel.compiled import compiled, inlined
from judges.distilled.kernel.hashing import Bools, Ints, Keys, find, find_or_take, mix, no_slots, table_size

_TRACE_SALT = np.uint64(0xC2B2AE3D27D4EB4F)


@inlined
def _mix_trace(key: np.uint64, trace: int) -> np.uint64:
    return mix(key ^ (np.uint64(trace + 1) * _TRACE_SALT))


@compiled
def mix_traces(keys: Keys, traces: Ints) -> Keys:
    """Keys that are equal only within one trace."""
    mixed = np.empty(len(keys), np.uint64)
    for i in range(len(keys)):
        mixed[i] = _mix_trace(keys[i], traces[i])
    return mixed


@compiled
def find_members(keys: Keys, traces: Ints, sought: Keys) -> Bools:
    """Whether each of `sought` (mixed with its trace) is among `keys` of its trace."""
    size = table_size(len(sought))
    known, used = np.empty(size, np.uint64), no_slots(size)
    there = np.zeros(size, np.bool_)
    slots = np.empty(len(sought), np.int64)
    for i in range(len(sought)):
        slots[i], _ = find_or_take(known, used, 0, sought[i])
    for i in range(len(keys)):
        slot = find(known, used, 0, _mix_trace(keys[i], traces[i]))
        if slot >= 0:
            there[slot] = True
    found = np.empty(len(sought), np.bool_)
    for i in range(len(sought)):
        found[i] = there[slots[i]]
    return found
