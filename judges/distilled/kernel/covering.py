"""How much of each group one place of each size holds: clause, window, pair of windows, text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judges.distilled.kernel.compiled import compiled, inlined
from judges.distilled.kernel.hashing import Bools, Floats, Ints, no_places
from judges.distilled.kernel.matching import Table

EQUAL = 1e-9
"""Nats by which two places may differ and hold equally much."""


class Covered(NamedTuple):
    """The arrays of `cover.Cover`, by the same names."""

    total: Floats
    any: Floats
    chunk: Floats
    pair: Floats
    window: Floats
    clause: Floats
    best_window: Ints
    best_clause: Ints
    found: Bools
    denied: Bools


class _Places(NamedTuple):
    """Sums of one group by place. `owner` says whose a sum is, `token` what was added to it last;
    `touched` lists the places of the group."""

    total: Floats
    owner: Ints
    token: Ints
    touched: Ints


@inlined
def _new_places(count: int) -> _Places:
    return _Places(
        np.empty(count, np.float64), no_places(count), np.empty(count, np.int64), np.empty(count, np.int64)
    )


@inlined
def _add(places: _Places, touched: int, place: int, group: int, token: int, weight: float) -> int:
    """Add a token's weight to a place once. How many places the group has touched now."""
    if places.owner[place] != group:
        places.owner[place] = group
        places.total[place] = weight
        places.token[place] = token
        places.touched[touched] = place
        return touched + 1
    if places.token[place] < token:  # tokens come in order: not added yet
        places.token[place] = token
        places.total[place] += weight
    return touched


@inlined
def _find_best(places: _Places, touched: int) -> tuple[float, int]:
    """The largest sum, and the first place that has it."""
    best, where = 0.0, -1
    for i in range(touched):
        best = max(best, places.total[places.touched[i]])
    for i in range(touched):
        place = places.touched[i]
        if places.total[place] >= best - EQUAL and (where < 0 or place < where):
            where = place
    return best, where


@compiled
def cover(
    unit: Ints, entry: Ints, table: Table, first: Ints, last: Ints, group: Ints, weight: Floats,
    denies: Bools, clause: Ints, clause_window: Ints, window_text: Ints, texts: int, groups: int,
) -> Covered:  # fmt: skip
    """Weigh what was found. A unit covers those of its tokens that lie in its own group.

    `unit`, `entry`, `table`: see `matching`; `first`, `last`: tokens of each unit;
    `denies`: flags of tokens that negate.
    """
    n, windows, clauses = len(group), len(window_text), len(clause_window)
    negated = np.zeros(clauses, np.bool_)
    total = np.zeros(groups, np.float64)
    for t in range(n):
        if denies[t]:
            negated[clause[t]] = True
        if group[t] >= 0:
            total[group[t]] += weight[t]
    found, affirmed = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    everywhere = np.zeros(groups, np.float64)
    by_chunk, by_pair = np.zeros(groups, np.float64), np.zeros(groups, np.float64)
    by_window, by_clause = np.zeros(groups, np.float64), np.zeros(groups, np.float64)
    best_window, best_clause = no_places(groups), no_places(groups)
    in_clause, in_window = _new_places(clauses), _new_places(windows)
    in_even, in_odd = _new_places(windows // 2 + 1), _new_places(windows // 2 + 1)
    in_text = _new_places(texts)
    q = 0
    while q < len(unit):
        mine = group[last[unit[q]]]
        n_clause = n_window = n_even = n_odd = n_text = 0
        while q < len(unit) and group[last[unit[q]]] == mine:
            at = table.head[entry[q]]
            begin, end = first[unit[q]], last[unit[q]]
            while at >= 0:
                place = table.place[at]
                window = clause_window[place]
                text = window_text[window]
                for token in range(begin, end + 1):
                    heavy = weight[token]
                    if heavy <= 0 or group[token] != mine:
                        continue
                    if not found[token]:
                        found[token] = True
                        everywhere[mine] += heavy
                    affirmed[token] |= not negated[place]
                    n_clause = _add(in_clause, n_clause, place, mine, token, heavy)
                    n_window = _add(in_window, n_window, window, mine, token, heavy)
                    n_even = _add(in_even, n_even, window >> 1, mine, token, heavy)
                    n_odd = _add(in_odd, n_odd, (window + 1) >> 1, mine, token, heavy)
                    n_text = _add(in_text, n_text, text, mine, token, heavy)
                at = table.following[at]
            q += 1
        by_clause[mine], best_clause[mine] = _find_best(in_clause, n_clause)
        by_window[mine], best_window[mine] = _find_best(in_window, n_window)
        by_pair[mine] = max(_find_best(in_even, n_even)[0], _find_best(in_odd, n_odd)[0])
        by_chunk[mine] = _find_best(in_text, n_text)[0]
    for g in range(groups):
        safe = total[g] if total[g] > 0 else 1.0
        everywhere[g] /= safe
        by_chunk[g] /= safe
        by_pair[g] /= safe
        by_window[g] /= safe
        by_clause[g] /= safe
    for t in range(n):
        affirmed[t] = found[t] and not affirmed[t]
    return Covered(
        total, everywhere, by_chunk, by_pair, by_window, by_clause, best_window, best_clause,
        found, affirmed,
    )  # fmt: skip
