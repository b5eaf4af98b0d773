"""Alignment of claims with chunks, compiled: for each unit of a claim the place with most of its neighbours.

Each case has one open-addressed table of the keys that its claims ask for; its chunks are read once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from judges.distilled.kernel.compiled import compiled

NEAR_UNITS, NEAR_TOKENS = 4, 12
"""A unit's neighbours in the claim on each side, and how far from its place they may stand in a chunk."""
WIDE_UNITS, WIDE_TOKENS = 10, 48
PREFIX = 5
"""Letters that two words of one root share: organise, organisation."""
BESIDE = 4
"""Tokens that two units may stand apart and still be neighbours."""
MAX_RUN = 12
"""Units of the longest run that is told from a longer one."""
MAX_PLACES = 48
"""Places of one unit that are compared; a word that stands in more says little by where it stands."""


@compiled
def hash_prefixes(codes: Any, begin: Any, length: Any) -> Any:
    """A hash of the first `PREFIX` letters behind each of `begin`, any case alike; 0 for words no longer."""
    hashes = np.zeros(len(begin), dtype=np.uint64)
    for i in range(len(begin)):
        if length[i] <= PREFIX:
            continue
        value = np.uint64(14695981039346656037)
        for j in range(PREFIX):
            code = codes[begin[i] + j]
            if 65 <= code <= 90:
                code += 32
            value = (value ^ np.uint64(code)) * np.uint64(1099511628211)
        hashes[i] = value | np.uint64(1)
    return hashes


@compiled
def _slot(table: Any, mask: Any, key: Any) -> Any:
    """Where `key` stands in an open-addressed table, or where it would be put (0 marks a free slot)."""
    at = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while table[at] != 0 and table[at] != key:
        at = (at + 1) & mask
    return at


@compiled
def _nearest(places: Any, first: Any, last: Any, low: Any) -> Any:
    """Index of the first place in `places[first:last]` that is at least `low`, or `last`."""
    while first < last:
        middle = (first + last) >> 1
        if places[middle] < low:
            first = middle + 1
        else:
            last = middle
    return first


@compiled
def align_cases(
    bounds: Any, key: Any, last: Any, claim: Any, in_chunk: Any, text: Any, weight: Any, prefix: Any,
    out: Any, best: Any,
) -> None:  # fmt: skip
    """Align the claims of every case, in place: `out` has the rows of `Alignment` from `count` to `kin`,
    `best` the place; one column a unit of a claim, in reading order. `bounds`: the units of each case."""
    done = 0
    for case in range(len(bounds) - 1):
        begin, end = bounds[case], bounds[case + 1]
        asked = 0
        for u in range(begin, end):
            asked += claim[u] >= 0
        if asked == 0:
            continue
        done = _align_case(
            begin, end, asked, done, key, last, claim, in_chunk, text, weight, prefix, out, best
        )


@compiled
def _align_case(
    begin: Any, end: Any, asked: Any, done: Any, key: Any, last: Any, claim: Any, in_chunk: Any, text: Any,
    weight: Any, prefix: Any, out: Any, best: Any,
) -> Any:  # fmt: skip
    size = 8
    while size < 2 * asked:
        size *= 2
    mask = size - 1
    table = np.zeros(size, dtype=np.uint64)
    ident = np.full(size, -1, dtype=np.int64)
    mine = np.empty(asked, dtype=np.int64)  # the claim units, as indices of units
    which = np.empty(asked, dtype=np.int64)  # the distinct key of each
    keys = 0
    filled = 0
    for u in range(begin, end):
        if claim[u] < 0:
            continue
        at = _slot(table, mask, key[u])
        if table[at] == 0:
            table[at] = key[u]
            ident[at] = keys
            keys += 1
        mine[filled] = u
        which[filled] = ident[at]
        filled += 1
    # Occurrences of each key in the chunks, in order.
    found = np.full(end - begin, -1, dtype=np.int64)
    head = np.zeros(keys + 1, dtype=np.int64)
    for u in range(begin, end):
        if in_chunk[u]:
            at = _slot(table, mask, key[u])
            if table[at] != 0:
                found[u - begin] = ident[at]
                head[ident[at] + 1] += 1
    for k in range(keys):
        head[k + 1] += head[k]
    places = np.empty(head[keys], dtype=np.int64)
    texts = np.empty(head[keys], dtype=np.int64)
    fill = head[:-1].copy()
    for u in range(begin, end):
        k = found[u - begin]
        if k >= 0:
            places[fill[k]] = last[u]
            texts[fill[k]] = text[u]
            fill[k] += 1
    _mark_kin(begin, end, asked, done, mine, which, head, in_chunk, prefix, out)
    for i in range(asked):
        k = which[i]
        out[0, done + i] = head[k + 1] - head[k]
        _measure_near(
            i,
            asked,
            mine,
            which,
            head,
            places,
            texts,
            last,
            claim,
            weight,
            NEAR_UNITS,
            NEAR_TOKENS,
            out,
            1,
            done,
            best,
        )
        _measure_near(
            i,
            asked,
            mine,
            which,
            head,
            places,
            texts,
            last,
            claim,
            weight,
            WIDE_UNITS,
            WIDE_TOKENS,
            out,
            2,
            done,
            best,
        )
    _measure_runs(asked, done, mine, which, head, places, last, claim, out)
    return done + asked


@compiled
def _measure_near(
    i: Any, asked: Any, mine: Any, which: Any, head: Any, places: Any, texts: Any, last: Any, claim: Any,
    weight: Any, reach: Any, spread: Any, out: Any, row: Any, done: Any, best: Any,
) -> None:  # fmt: skip
    """Share of the neighbours' weight around the best place of claim unit `i`; also for unknown units:
    then the best place is that of any neighbour."""
    u, k = mine[i], which[i]
    total = 0.0
    low, high = i, i
    while low > 0 and i - low < reach and claim[mine[low - 1]] == claim[u]:
        low -= 1
    while high + 1 < asked and high - i < reach and claim[mine[high + 1]] == claim[u]:
        high += 1
    for j in range(low, high + 1):
        if j != i:
            total += weight[mine[j]]
    if head[k + 1] == head[k]:
        return
    top, where = -1.0, -1
    for o in range(head[k], min(head[k + 1], head[k] + MAX_PLACES)):
        p = places[o]
        score = 0.0
        for j in range(low, high + 1):
            if j == i:
                continue
            n = which[j]
            if head[n + 1] == head[n]:
                continue
            q = _nearest(places, head[n], head[n + 1], p - spread)
            while q < head[n + 1] and places[q] <= p + spread:
                if texts[q] == texts[o] and (n != k or places[q] != p):
                    score += weight[mine[j]]
                    break
                q += 1
        if score > top:
            top, where = score, p
    out[row, done + i] = top / total if total > 0 else 1.0
    if row == 1:
        best[done + i] = where


@compiled
def _measure_runs(
    asked: Any, done: Any, mine: Any, which: Any, head: Any, places: Any, last: Any, claim: Any, out: Any
) -> None:
    """Longest run through each unit that the chunks hold with the same spacing, and whether its neighbours
    stand beside it in some chunk."""
    run = np.zeros(asked, dtype=np.int64)
    for i in range(asked):
        k = which[i]
        if i > 0 and claim[mine[i]] == claim[mine[i - 1]]:
            n = which[i - 1]
            reach = max(last[mine[i]] - last[mine[i - 1]], BESIDE)
            for o in range(head[k], head[k + 1]):
                q = _nearest(places, head[n], head[n + 1], places[o] - reach)
                if q < head[n + 1] and places[q] < places[o]:
                    out[4, done + i] = 1.0
                    out[5, done + i - 1] = 1.0
                    break
        for o in range(head[k], min(head[k + 1], head[k] + MAX_PLACES)):
            j = i
            while j + 1 < asked and j + 1 - i < MAX_RUN and claim[mine[j + 1]] == claim[mine[i]]:
                n = which[j + 1]
                aim = places[o] + last[mine[j + 1]] - last[mine[i]]
                q = _nearest(places, head[n], head[n + 1], aim)
                if q == head[n + 1] or places[q] != aim:
                    break
                j += 1
            for m in range(i, j + 1):
                run[m] = max(run[m], j - i + 1)
    for i in range(asked):
        out[3, done + i] = run[i]


@compiled
def _mark_kin(
    begin: Any, end: Any, asked: Any, done: Any, mine: Any, which: Any, head: Any, in_chunk: Any, prefix: Any,
    out: Any,
) -> None:  # fmt: skip
    """Unknown words whose first letters some word of the chunks shares."""
    size = 8
    while size < 2 * asked:
        size *= 2
    mask = size - 1
    table = np.zeros(size, dtype=np.uint64)
    seen = np.zeros(size, dtype=np.bool_)
    unknown = 0
    for i in range(asked):
        k = which[i]
        if head[k + 1] == head[k] and prefix[mine[i]] != 0:
            table[_slot(table, mask, prefix[mine[i]])] = prefix[mine[i]]
            unknown += 1
    if unknown == 0:
        return
    for u in range(begin, end):
        if in_chunk[u] and prefix[u] != 0:
            at = _slot(table, mask, prefix[u])
            if table[at] != 0:
                seen[at] = True
    for i in range(asked):
        k = which[i]
        if head[k + 1] == head[k] and prefix[mine[i]] != 0:
            out[6, done + i] = seen[_slot(table, mask, prefix[mine[i]])]
