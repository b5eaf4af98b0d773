"""How much of a cited text a chunk holds."""

from __future__ import annotations

import numpy as np

from judges.distilled.kernel.compiled import compiled
from judges.distilled.kernel.hashing import (
    Bools,
    Floats,
    Ints,
    Keys,
    find,
    find_or_take,
    no_slots,
    table_size,
)


@compiled
def weigh_held(key: Keys, first: Ints, last: Ints, weight: Floats, chunk: Keys, together: Bools) -> float:
    """The weight of the tokens that units of `chunk` cover; they are flagged in `together` as well.

    `key`, `first`, `last`: the units of the text; `weight` and `together` have one entry a token of it.
    """
    size = table_size(len(key))
    keys, used, there = np.empty(size, np.uint64), no_slots(size), np.zeros(size, np.bool_)
    for u in range(len(key)):
        find_or_take(keys, used, 0, key[u])
    for u in range(len(chunk)):
        slot = find(keys, used, 0, chunk[u])
        if slot >= 0:
            there[slot] = True
    alone = np.zeros(len(weight), np.bool_)
    for u in range(len(key)):
        if there[find(keys, used, 0, key[u])]:
            for token in range(first[u], last[u] + 1):
                alone[token] = together[token] = True
    held = 0.0
    for token in range(len(weight)):
        held += weight[token] if alone[token] else 0.0
    return held
