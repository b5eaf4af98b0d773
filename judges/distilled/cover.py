"""How much of each claim, question and history the chunks hold, and where they hold most of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judges.distilled.lexicon import DENIAL, NEGATION
from judges.distilled.overlap import Index, Matches, in_trace
from judges.distilled.part import Part
from judges.distilled.tokens import Bools, Ints, Keys
from judges.distilled.units import Floats

_PLACE_BITS = 24
_PLACE_MASK = (1 << _PLACE_BITS) - 1


@dataclass(slots=True)
class Wanted:
    """The units that groups ask for, and the tokens they cover. `sought` is mixed with the trace."""

    sought: Keys
    first: Ints
    last: Ints


@dataclass(slots=True)
class Cover:
    """Coverage of each group by the chunks of its case. All arrays have one entry a group.

    `total` is the weight of the group's tokens (nats); `any`, `chunk`, `pair`, `window` and `clause`
    the share of it (0..1) found anywhere, in the best chunk, in the best two neighbouring windows, in
    the best window, in the best clause; `best_*` say which one that was (-1: none).
    """

    total: Floats
    any: Floats
    chunk: Floats
    pair: Floats
    window: Floats
    clause: Floats
    best_window: Ints
    best_clause: Ints
    found: Bools
    """One flag a token of the part: some chunk of its case holds it."""
    denied: Bools
    """The same, but everywhere it stands, its clause negates ("outdoorSeating": false)."""


def index_chunks(part: Part, sought: Keys) -> Index:
    """Where the sought units stand in the chunks: places are clauses."""
    last = part.units.last
    inside = part.in_chunk[last]
    return Index(part.units.key[inside], part.case[last[inside]], part.tokens.clause[last[inside]], sought)


def list_wanted(part: Part) -> Wanted:
    """The units of every group."""
    chosen = np.flatnonzero(part.group[part.units.last] >= 0)
    last = part.units.last[chosen]
    sought = in_trace(part.units.key[chosen], part.case[last])
    return Wanted(sought, part.units.first[chosen], last)


def cover_groups(part: Part, wanted: Wanted, matches: Matches) -> Cover:
    """Weigh what was found: anywhere, and at best in one place of each size."""
    tokens, weight = part.tokens, part.weight
    n = len(part.group_case)
    mine = np.flatnonzero((part.group >= 0) & (weight > 0))
    total: Floats = np.bincount(part.group[mine], weight[mine], minlength=n).astype(np.float64)
    safe = np.where(total > 0, total, 1.0)
    token, clause = _covered_tokens(wanted, matches, weight)
    window = tokens.clause_window[clause]
    text = tokens.window_text[window]
    found = np.zeros(len(weight), dtype=np.bool_)
    found[token] = True
    covered = np.flatnonzero(found)
    denied = found.copy()
    denied[token[~_negated_clauses(part)[clause]]] = False
    anywhere = np.bincount(part.group[covered], weight[covered], minlength=n)

    def best(place: Ints) -> tuple[Floats, Ints]:
        return _find_best(token, place, part.group[token], weight[token], n)

    by_clause, best_clause = best(clause)
    by_window, best_window = best(window)
    by_pair = np.maximum(best(window >> 1)[0], best((window + 1) >> 1)[0])
    return Cover(
        total=total,
        any=anywhere / safe,
        chunk=best(text)[0] / safe,
        pair=by_pair / safe,
        window=by_window / safe,
        clause=by_clause / safe,
        best_window=best_window,
        best_clause=best_clause,
        found=found,
        denied=denied,
    )


def changes(*columns: Ints) -> Bools:
    """True where any of the columns differs from the entry before it, and at the first entry."""
    new = np.zeros(len(columns[0]), dtype=np.bool_)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def _negated_clauses(part: Part) -> Bools:
    """One flag a clause: it holds a negation, or a value that denies."""
    negations = part.tokens.clause[(part.flags & (NEGATION | DENIAL)) != 0]
    flags = np.zeros(len(part.tokens.clause_window) + 1, dtype=np.bool_)
    flags[negations] = True
    return flags


def _covered_tokens(wanted: Wanted, matches: Matches, weight: Floats) -> tuple[Ints, Ints]:
    """(token, clause) for every token of a group that a match covers, in order, each once."""
    first, last = wanted.first[matches.query], wanted.last[matches.query]
    double = first != last
    token = np.concatenate([last, first[double]])
    place = np.concatenate([matches.place, matches.place[double]])
    counts = weight[token] > 0
    packed = (token[counts] << _PLACE_BITS) | place[counts]
    packed.sort()
    packed = packed[changes(packed)]
    return packed >> _PLACE_BITS, packed & _PLACE_MASK


def _find_best(token: Ints, place: Ints, group: Ints, weight: Floats, n: int) -> tuple[Floats, Ints]:
    """For each group the largest weight covered at one place, and that place (-1: none)."""
    best = np.zeros(n)
    where = np.full(n, -1, dtype=np.int64)
    if not len(token):
        return best, where
    distinct = changes(token, place)
    packed = (group[distinct] << _PLACE_BITS) | place[distinct]
    order = np.argsort(packed)
    packed = packed[order]
    starts = np.flatnonzero(changes(packed))
    sums = np.add.reduceat(weight[distinct][order], starts)
    owner, spot = packed[starts] >> _PLACE_BITS, packed[starts] & _PLACE_MASK
    first = np.flatnonzero(changes(owner))
    best[owner[first]] = np.maximum.reduceat(sums, first)
    tops = np.flatnonzero(sums >= best[owner] - 1e-9)[::-1]
    where[owner[tops]] = spot[tops]  # reversed, so that the first of equals stays
    return best, where
