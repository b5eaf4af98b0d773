"""Numbers of claims against those of the chunks and of the question, by value, unit and place."""

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
    find_first,
    find_or_take,
    no_slots,
    pair,
    table_size,
)
from judges.distilled.kernel.matching import CHUNK, Table, add_place, has_place_within, new_table

REWRITE = 1
"""As `batch.Role`; the question comes before it."""
TELLING = 31.0
"""A whole number up to this one stands in many a text by chance: days, months, places in lists."""
_BEHIND = np.uint64(0x7F4A_7C15_9E37_79B9)


class Numbers(NamedTuple):
    """What the kernel needs of the tokens (see `tokens.Tokens`) and of the part."""

    word: Keys
    number: Ints
    value: Floats
    value_key: Keys
    value_first: Ints
    sentence: Ints
    clause: Ints
    adjacent: Bools
    case: Ints
    role: Ints
    group: Ints


class Places(NamedTuple):
    """Where windows and texts begin: the clauses of each window, the windows of each text."""

    clause_window: Ints
    window_text: Ints
    text_window: Ints


class Counts(NamedTuple):
    """One entry a claim; see `claim_measures`."""

    all: Floats
    unknown: Floats
    echoed: Floats
    far: Floats
    contradicted: Floats


class _Entries(NamedTuple):
    """The small table of one case: values, values with a unit, words behind numbers; the entry of each."""

    keys: Keys
    used: Slots
    entry: Slots
    table: Table


@inlined
def clauses_between(places: Places, first: int, last: int) -> tuple[int, int]:
    """The clauses `[low, high)` of the windows `[first, last)`."""
    return find_first(places.clause_window, first), find_first(places.clause_window, last)


@inlined
def _count_meant(value: Floats, begin: int, end: int) -> int:
    """How many of its values a claim's number is taken for: a clock time for both its readings, any other
    for the likeliest alone."""
    return 2 if end - begin == 2 and value[begin + 1] > value[begin] else 1


@inlined
def _is_telling(value: float) -> bool:
    return abs(value) > TELLING or value % 1.0 != 0.0


@inlined
def _unit_key(words: Numbers, token: int, value_key: np.uint64) -> np.uint64:
    """A number together with the token behind it: 3 days is not 3 months."""
    return pair(value_key, words.word[min(token + 1, len(words.word) - 1)])


@inlined
def _behind_key(words: Numbers, token: int) -> np.uint64:
    """The token behind a number: what it counts."""
    return np.uint64(words.word[min(token + 1, len(words.word) - 1)] ^ _BEHIND)


@inlined
def _take(entries: _Entries, owner: int, count: int, key: np.uint64) -> int:
    slot, new = find_or_take(entries.keys, entries.used, owner, key)
    if new:
        entries.entry[slot] = count
        return count + 1
    return count


@inlined
def _entry_of(entries: _Entries, owner: int, key: np.uint64) -> int:
    slot = find(entries.keys, entries.used, owner, key)
    return -1 if slot < 0 else int(entries.entry[slot])


@inlined
def _ask(words: Numbers, entries: _Entries, owner: int, count: int, token: int) -> int:
    """Enter what is to be known of a claim's number."""
    begin, end = words.value_first[words.number[token]], words.value_first[words.number[token] + 1]
    for v in range(begin, begin + _count_meant(words.value, begin, end)):
        count = _take(entries, owner, count, words.value_key[v])
        count = _take(entries, owner, count, _unit_key(words, token, words.value_key[v]))
    return _take(entries, owner, count, _behind_key(words, token))


@inlined
def _answer(words: Numbers, entries: _Entries, owner: int, places: int, token: int) -> int:
    """Note what a number of a chunk or of the question says."""
    table = entries.table
    chunk = words.role[token] == CHUNK
    for v in range(words.value_first[words.number[token]], words.value_first[words.number[token] + 1]):
        entry = _entry_of(entries, owner, words.value_key[v])
        if entry >= 0 and chunk:
            places = add_place(table, places, entry, words.clause[token])
        elif entry >= 0:
            table.roles[entry] |= 1
        if chunk:
            entry = _entry_of(entries, owner, _unit_key(words, token, words.value_key[v]))
            if entry >= 0:
                table.roles[entry] |= 2
    if chunk:
        entry = _entry_of(entries, owner, _behind_key(words, token))
        if entry >= 0:
            places = add_place(table, places, entry, words.clause[token])
    return places


@inlined
def _list_numbers(number: Ints) -> Ints:
    """The tokens that are numbers."""
    found = 0
    for i in range(len(number)):
        found += number[i] >= 0
    at = np.empty(found, np.int64)
    found = 0
    for i in range(len(number)):
        if number[i] >= 0:
            at[found] = i
            found += 1
    return at


@compiled
def count_numbers(words: Numbers, places: Places, marker: Bools, best_window: Ints, claims: int) -> Counts:
    """Count the numbers of claims, but for those that are a list's `marker`.

    `best_window`: by group. A number is known where the best chunk has it, or any chunk with the same token
    behind it, or any chunk at all if it is a telling one.
    """
    n = len(words.number)
    counts = Counts(
        np.zeros(claims, np.float64), np.zeros(claims, np.float64), np.zeros(claims, np.float64),
        np.zeros(claims, np.float64), np.zeros(claims, np.float64),
    )  # fmt: skip
    at = _list_numbers(words.number)
    asked = most = mine = room = 0
    for k in range(len(at)):
        token = at[k]
        mine = 0 if k and words.case[token] != words.case[at[k - 1]] else mine
        several = (
            2 * (words.value_first[words.number[token] + 1] - words.value_first[words.number[token]]) + 1
        )
        if 0 <= words.group[token] < claims:
            asked += several
            mine += several
            most = max(most, mine)
        room += several
    size = table_size(most)
    entries = _Entries(
        np.empty(size, np.uint64),
        no_slots(size),
        np.empty(size, np.int32),
        new_table(asked, room),
    )
    begin = count = listed = 0
    while begin < len(at) and n:
        owner, end = words.case[at[begin]], begin
        some = False
        while end < len(at) and words.case[at[end]] == owner:
            token = at[end]
            if 0 <= words.group[token] < claims and not marker[token]:
                count = _ask(words, entries, owner, count, token)
                some = True
            end += 1
        for k in range(begin, end if some else begin):
            if words.role[at[k]] == CHUNK or words.role[at[k]] <= REWRITE:
                listed = _answer(words, entries, owner, listed, at[k])
        for k in range(begin, end if some else begin):
            claim = words.group[at[k]]
            if 0 <= claim < claims and not marker[at[k]]:
                _judge(words, places, entries, owner, at[k], best_window[claim], counts)
        begin = end
    return counts


@inlined
def _judge(
    words: Numbers, places: Places, entries: _Entries, owner: int, token: int, window: int, counts: Counts
) -> None:
    """Add one number of a claim to the counts."""
    table, claim = entries.table, words.group[token]
    begin, end = words.value_first[words.number[token]], words.value_first[words.number[token] + 1]
    chunk_low = chunk_high = low = high = 0
    if window >= 0:
        text = places.window_text[window]
        chunk_low, chunk_high = clauses_between(
            places, places.text_window[text], places.text_window[text + 1]
        )
        low, high = clauses_between(places, window, window + 1)
    near = there = elsewhere = echoed = False
    telling = _is_telling(words.value[begin])
    for v in range(begin, begin + _count_meant(words.value, begin, end)):
        entry = _entry_of(entries, owner, words.value_key[v])
        with_unit = _entry_of(entries, owner, _unit_key(words, token, words.value_key[v]))
        near |= has_place_within(table, entry, chunk_low, chunk_high)
        there |= has_place_within(table, entry, low, high)
        elsewhere |= (table.roles[with_unit] & 2) != 0 or (telling and table.head[entry] >= 0)
        echoed |= (table.roles[entry] & 1) != 0
    behind = min(token + 1, len(words.word) - 1)
    counted = words.adjacent[behind] or words.sentence[behind] == words.sentence[token]
    entry = _entry_of(entries, owner, _behind_key(words, token))
    contradicted = not there and counted and has_place_within(table, entry, low, high)
    known = near or elsewhere
    counts.all[claim] += 1
    counts.unknown[claim] += not known and not echoed
    counts.echoed[claim] += not known and echoed
    counts.far[claim] += known and not near
    counts.contradicted[claim] += contradicted and known
