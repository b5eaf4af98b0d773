"""Where the units that groups ask for stand in the texts of their case: one pass, one small table a case."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judges.distilled.kernel.compiled import compiled, inlined
from judges.distilled.kernel.hashing import Bools, Ints, Keys, Slots, find, find_or_take, no_slots, table_size

CHUNK = 4
"""As `batch.Role`."""


class Table(NamedTuple):
    """Entries of the cases' tables, found by key (see `hashing`), and the clauses where each stands.

    `head` and `tail`: its first and last place in the lists below, or -1; `roles`: bit r is set where a
    text of role r of its case has it; `place`, `following`: a clause, and where the list goes on (-1: ends).
    """

    head: Slots
    tail: Slots
    roles: Slots
    place: Slots
    following: Slots


class Contrary(NamedTuple):
    """What a claim asks for (an index into the units asked for), and the entry of what says the opposite."""

    asked: Ints
    entry: Ints


@inlined
def add_place(table: Table, places: int, entry: int, place: int) -> int:
    """Put a place behind those of an entry, unless it is the last of them. How many places there are now."""
    last = table.tail[entry]
    if last >= 0 and table.place[last] == place:
        return places
    table.place[places], table.following[places] = place, -1
    if last >= 0:
        table.following[last] = places
    else:
        table.head[entry] = places
    table.tail[entry] = places
    return places + 1


@inlined
def new_table(entries: int, places: int) -> Table:
    """An empty table with room for so many entries and places."""
    return Table(
        no_slots(entries),
        no_slots(entries),
        np.zeros(entries, np.int32),
        np.empty(places, np.int32),
        np.empty(places, np.int32),
    )


@inlined
def has_place_within(table: Table, entry: int, first: int, last: int) -> bool:
    """Whether an entry has a place in `[first, last)`."""
    at = table.head[entry]
    while at >= 0:
        place = table.place[at]
        if place >= last:
            return False
        if place >= first:
            return True
        at = table.following[at]
    return False


class Opposites(NamedTuple):
    """Pairs of units that say the opposite of each other, ordered by `left`; `sieve` tells by the low bits of
    a key whether it may be among them."""

    sieve: Bools
    left: Keys
    right: Keys


@inlined
def _find_opposites(known: Opposites, key: np.uint64) -> tuple[int, int]:
    """Which pairs `[low, high)` have `key` on their left."""
    if not known.sieve[np.int64(key) & (len(known.sieve) - 1)]:
        return 0, 0
    left = known.left
    low = 0
    while low < len(left) and left[low] < key:
        low += 1
    high = low
    while high < len(left) and left[high] == key:
        high += 1
    return low, high


@compiled
def match_units(
    key: Keys, last: Ints, case: Ints, role: Ints, group: Ints, clause: Ints, claims: int,
    known: Opposites,
) -> tuple[Ints, Ints, Table, Contrary]:  # fmt: skip
    """Look for the units of all groups, and for the opposites of those of claims, in the case's texts.

    `key`, `last`: the units; the rest has one entry a token. Returns the units that groups ask for, the
    entry of each, the table, and the opposites.
    """
    n = len(key)
    wanted = chunked = most = mine = 0
    owner = -1
    for u in range(n):
        token = last[u]
        if case[token] != owner:
            owner, mine = case[token], 0
        if group[token] >= 0:
            wanted += 1
            mine += 1
            most = max(most, mine)
        chunked += role[token] == CHUNK
    room = 0
    for u in range(n):
        if 0 <= group[last[u]] < claims:
            low, high = _find_opposites(known, key[u])
            room += high - low
    size = table_size(most + room)
    keys, used, entry_of = np.empty(size, np.uint64), no_slots(size), np.empty(size, np.int32)
    table = new_table(wanted + room, chunked)
    unit, entry = np.empty(wanted, np.int64), np.empty(wanted, np.int64)
    contrary, contrary_entry = np.empty(room, np.int64), np.empty(room, np.int64)
    asked = opposites = entries = places = 0
    begin = 0
    while begin < n:
        owner = case[last[begin]]
        end = begin
        while end < n and case[last[end]] == owner:
            token = last[end]
            if group[token] >= 0:
                slot, new = find_or_take(keys, used, owner, key[end])
                if new:
                    entry_of[slot] = entries
                    entries += 1
                unit[asked], entry[asked] = end, entry_of[slot]
                asked += 1
                if group[token] < claims and room:
                    low, high = _find_opposites(known, key[end])
                    for i in range(low, high):
                        slot, new = find_or_take(keys, used, owner, known.right[i])
                        if new:
                            entry_of[slot] = entries
                            entries += 1
                        contrary[opposites], contrary_entry[opposites] = asked - 1, entry_of[slot]
                        opposites += 1
            end += 1
        for u in range(begin, end):
            slot = find(keys, used, owner, key[u])
            if slot >= 0:
                token = last[u]
                found = entry_of[slot]
                table.roles[found] |= 1 << role[token]
                if role[token] == CHUNK:
                    places = add_place(table, places, found, clause[token])
        begin = end
    return unit, entry, table, Contrary(contrary, contrary_entry)
