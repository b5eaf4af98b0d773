"""Runs of two, three and four tokens, and names: which of a claim's the chunks of its case hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judges.distilled.kernel.compiled import compiled, inlined
from judges.distilled.kernel.hashing import (
    Bools,
    Floats,
    Ints,
    Keys,
    Slots,
    find,
    find_or_take,
    no_slots,
    pair,
    table_size,
)
from judges.distilled.kernel.matching import CHUNK
from judges.distilled.kernel.wording import STOP

LONGEST = 4
"""Tokens of the longest run."""


class Runs(NamedTuple):
    """Counts, one entry a claim. Row i of `total` and `seen`: runs of i + 1 tokens (row 0: names).

    `breaks`: content tokens behind a pair that the chunks hold, with which they go on otherwise.
    """

    total: Floats
    seen: Floats
    breaks: Floats


@inlined
def _longest_run(sentence: Ints, i: int, before: int) -> int:
    """Tokens of the longest run that ends at `i`, at most `LONGEST`, given that of the token before."""
    if i == 0 or sentence[i] != sentence[i - 1]:
        return 1
    return min(before + 1, LONGEST)


@compiled
def count_runs(
    key: Keys, sentence: Ints, case: Ints, role: Ints, group: Ints, capital: Bools, opens: Bools, flags: Ints,
    claims: int,
) -> Runs:  # fmt: skip
    """Count runs of claims and those that the chunks hold. One entry a token, but `claims`: their number."""
    n = len(key)
    total, seen = np.zeros((LONGEST, claims), np.float64), np.zeros((LONGEST, claims), np.float64)
    breaks = np.zeros(claims, np.float64)
    most = mine = 0
    for i in range(n):
        mine = 0 if i and case[i] != case[i - 1] else mine
        mine += 0 <= group[i] < claims
        most = max(most, mine)
    size = table_size(LONGEST * most)
    keys, used = np.empty(size, np.uint64), no_slots(size)
    there = np.zeros(size, np.bool_)
    grams = np.zeros(LONGEST, np.uint64)
    slots = np.empty((most, LONGEST), np.int64)
    tokens = np.empty(most, np.int64)
    begin = 0
    while begin < n:
        owner, end, reach, count = case[begin], begin, 0, 0
        while end < n and case[end] == owner:
            reach = _longest_run(sentence, end, reach)
            _extend(grams, key, end, reach)
            if 0 <= group[end] < claims:
                tokens[count] = end
                named = capital[end] and not opens[end] and not flags[end] & STOP
                for row in range(LONGEST):
                    slots[count, row] = -1
                    if row < reach and (row > 0 or named):
                        slot, new = find_or_take(keys, used, owner, grams[row])
                        there[slot] = there[slot] and not new
                        slots[count, row] = slot
                count += 1
            end += 1
        if count:
            _mark_seen(key, sentence, role, keys, used, there, grams, owner, begin, end)
        _tally(slots, tokens, count, group, flags, there, total, seen, breaks)
        begin = end
    return Runs(total, seen, breaks)


@inlined
def _extend(grams: Keys, key: Keys, i: int, reach: int) -> None:
    """Turn the hashes of the runs that end before `i` into those that end at it (runs of 1, 2 … tokens)."""
    for row in range(reach - 1, 0, -1):
        grams[row] = pair(grams[row - 1], key[i])
    grams[0] = key[i]


@inlined
def _mark_seen(
    key: Keys, sentence: Ints, role: Ints, keys: Keys, used: Slots, there: Bools, grams: Keys, owner: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Mark the entries that stand in a chunk. The last tokens of a known run are one: the pair decides."""
    reach = 0
    for i in range(begin, end):
        if role[i] != CHUNK:
            reach = 0
            continue
        reach = _longest_run(sentence, i, reach)
        _extend(grams, key, i, reach)
        slot = find(keys, used, owner, grams[0])
        if slot >= 0:
            there[slot] = True
        for row in range(1, reach):
            slot = find(keys, used, owner, grams[row])
            if slot < 0:
                break
            there[slot] = True


@inlined
def _tally(
    slots: Ints, tokens: Ints, count: int, group: Ints, flags: Ints, there: Bools, total: Floats,
    seen: Floats, breaks: Floats,
) -> None:  # fmt: skip
    pair_before = -2
    for i in range(count):
        claim = group[tokens[i]]
        for row in range(LONGEST):
            if slots[i, row] >= 0:
                total[row, claim] += 1
                seen[row, claim] += there[slots[i, row]]
        goes_on = slots[i, 2] >= 0 and there[slots[i, 2]]
        breaks[claim] += pair_before == tokens[i] - 1 and not goes_on and not flags[tokens[i]] & STOP
        if slots[i, 1] >= 0 and there[slots[i, 1]]:
            pair_before = tokens[i]
