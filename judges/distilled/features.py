"""What is measured on a batch: claims against chunks, questions against chunks, answers against both.

One code path serves training and scoring. The texts of a part of a batch are tokenised once; every
comparison after that is a search in sorted arrays (see `overlap`).

A *group* is something that is looked for in the chunks: a claim of an answer, the question, the
rewritten query, the history. All groups go through the same matching.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judges.distilled import codepoints as cp
from judges.distilled.batch import Case, Layout, Role, lay_out
from judges.distilled.lexicon import NEGATION, STOP, read_number_words, word_flags
from judges.distilled.opposites import opposite_keys
from judges.distilled.overlap import Index, Matches
from judges.distilled.shape import find_suspects
from judges.distilled.tokens import Bools, Ints, Keys, Tokens, pair, tokenize, value_keys
from judges.distilled.units import Floats, Units, find_units

QUESTION, REWRITE, HISTORY = 0, 1, 2
GROUPS_PER_CASE = 3


@dataclass(slots=True)
class Groups:
    """Coverage of each group by the chunks of its case. All arrays have one entry a group.

    `total` is the weight of the group's distinct units (nats); `any`, `chunk`, `pair`, `window` and
    `clause` the share of it (0..1) found anywhere, in the best chunk, in the best two neighbouring
    windows, in the best window, in the best clause; `best_*` say which one that was (-1: none).
    """

    case: Ints
    total: Floats
    count: Ints
    any: Floats
    chunk: Floats
    pair: Floats
    window: Floats
    clause: Floats
    best_window: Ints
    best_clause: Ints


@dataclass(slots=True)
class Features:
    """Everything measured on one part of a batch. Claims come first among the groups, in order."""

    cases: list[Case]
    layout: Layout
    tokens: Tokens
    groups: Groups
    claim_case: Ints
    claim_first: Ints
    """First claim of each case, and one past the last: `len(cases) + 1` entries."""
    claims: dict[str, Floats]
    """Further measures, one entry a claim."""
    traces: dict[str, Floats]
    """Further measures, one entry a case."""
    suspect: Bools
    """One flag a text: worth a close look by `garbled`."""


@dataclass(slots=True)
class _Sides:
    """The two sides of the comparison: units of groups, and units of chunks."""

    key: Keys
    weight: Floats
    group: Ints
    case: Ints
    token: Ints


def measure(cases: list[Case]) -> Features:
    """Measure one part of a batch (see `batch.split_cases`)."""
    layout = lay_out(cases)
    tokens = tokenize(layout.texts)
    read_number_words(tokens)
    flags = word_flags(tokens)
    units = find_units(tokens, flags)
    text_case = np.array(layout.case, dtype=np.int64)
    text_role = np.array(layout.role, dtype=np.int64)
    claim_case, claim_first, token_claim = _place_claims(layout, tokens, text_case, text_role)

    token_case = text_case[tokens.text]
    token_role = text_role[tokens.text]
    in_chunk = token_role[units.token] == Role.CHUNK
    chunk_index = Index(
        units.key[in_chunk],
        token_case[units.token[in_chunk]],
        tokens.clause[units.token[in_chunk]],
    )
    wanted = _group_units(units, token_case, token_role, token_claim, len(claim_case))
    matches = chunk_index.match(wanted.key, wanted.case)
    group_case = np.concatenate([claim_case, np.repeat(np.arange(len(cases)), GROUPS_PER_CASE)])
    groups = _cover(wanted, matches, group_case, tokens, layout)

    claims = _measure_claims(
        tokens, flags, token_case, token_role, token_claim, chunk_index, wanted, groups, claim_case
    )
    traces = _measure_traces(tokens, units, token_case, token_role, wanted, matches, groups, len(claim_case), len(cases))
    return Features(
        cases=cases,
        layout=layout,
        tokens=tokens,
        groups=groups,
        claim_case=claim_case,
        claim_first=claim_first,
        claims=claims,
        traces=traces,
        suspect=find_suspects(tokens),
    )


def _place_claims(
    layout: Layout, tokens: Tokens, text_case: Ints, text_role: Ints
) -> tuple[Ints, Ints, Ints]:
    """Which case each claim is of, the first claim of each case, and each token's claim (or -1)."""
    counts = [len(c.claims) for c in layout.cases]
    claim_case = np.repeat(np.arange(len(counts)), counts)
    claim_first = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    answers = np.flatnonzero(text_role == Role.ANSWER)
    base = tokens.offset[answers]
    starts = np.array([s.start for c in layout.cases for s in c.claims], dtype=np.int64) + base[claim_case]
    ends = np.array([s.end for c in layout.cases for s in c.claims], dtype=np.int64) + base[claim_case]
    token_claim = np.full(len(tokens.text), -1, dtype=np.int64)
    if len(starts):
        position = tokens.offset[tokens.text] + tokens.start
        at = np.searchsorted(starts, position, side="right") - 1
        inside = (at >= 0) & (position < ends[np.maximum(at, 0)])
        token_claim[inside] = at[inside]
    return claim_case, claim_first, token_claim


def _group_units(
    units: Units, token_case: Ints, token_role: Ints, token_claim: Ints, claims: int
) -> _Sides:
    """The distinct units of every group, with the group that each belongs to."""
    role = token_role[units.token]
    group = np.full(len(units.key), -1, dtype=np.int64)
    claim = token_claim[units.token]
    group[claim >= 0] = claim[claim >= 0]
    fixed = role <= Role.HISTORY
    group[fixed] = claims + GROUPS_PER_CASE * token_case[units.token[fixed]] + role[fixed]
    chosen = np.flatnonzero(group >= 0)
    order = chosen[np.lexsort((units.key[chosen], group[chosen]))]
    key, owner = units.key[order], group[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (key[1:] != key[:-1]) | (owner[1:] != owner[:-1])
    kept = order[new]
    return _Sides(units.key[kept], units.weight[kept], group[kept], token_case[units.token[kept]], units.token[kept])


def _cover(wanted: _Sides, matches: Matches, group_case: Ints, tokens: Tokens, layout: Layout) -> Groups:
    """How much of each group the chunks hold: anywhere, and at best in one place of each size."""
    n = len(group_case)
    total = np.bincount(wanted.group, wanted.weight, minlength=n)
    count = np.bincount(wanted.group, minlength=n)
    safe = np.where(total > 0, total, 1.0)
    query, clause = matches.query, matches.place
    window = tokens.clause_window[clause] if len(clause) else clause
    text = tokens.window_text[window] if len(window) else window

    found = query[_changes(query)]
    anywhere = np.bincount(wanted.group[found], wanted.weight[found], minlength=n) / safe
    by_clause, best_clause = _best(wanted, query, clause, n)
    by_window, best_window = _best(wanted, query, window, n)
    even, _ = _best(wanted, query, window >> 1, n)
    odd, _ = _best(wanted, query, (window + 1) >> 1, n)
    by_chunk, _ = _best(wanted, query, text, n)
    return Groups(
        case=group_case,
        total=total,
        count=count,
        any=anywhere,
        chunk=by_chunk / safe,
        pair=np.maximum(even, odd) / safe,
        window=by_window / safe,
        clause=by_clause / safe,
        best_window=best_window,
        best_clause=best_clause,
    )


def _changes(*columns: Ints) -> Bools:
    """True where any of the columns differs from the entry before it (and at the first)."""
    new = np.zeros(len(columns[0]), dtype=np.bool_)
    if len(new):
        new[0] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


def _best(wanted: _Sides, query: Ints, place: Ints, n: int) -> tuple[Floats, Ints]:
    """For each group the largest weight found at one place, and that place (-1: none)."""
    best = np.zeros(n)
    where = np.full(n, -1, dtype=np.int64)
    if not len(query):
        return best, where
    distinct = _changes(query, place)
    query, place = query[distinct], place[distinct]
    group = wanted.group[query]
    packed = (group << 24) | place
    order = np.argsort(packed, kind="stable")
    packed = packed[order]
    starts = np.flatnonzero(_changes(packed))
    sums = np.add.reduceat(wanted.weight[query[order]], starts)
    owner, spot = packed[starts] >> 24, packed[starts] & 0xFFFFFF
    first = np.flatnonzero(_changes(owner))
    best[owner[first]] = np.maximum.reduceat(sums, first)
    top = sums >= best[owner] - 1e-9
    tops = np.flatnonzero(top)[::-1]
    where[owner[tops]] = spot[tops]  # reversed, so that the first of equals stays
    return best, where


def _measure_claims(
    tokens: Tokens,
    flags: Ints,
    token_case: Ints,
    token_role: Ints,
    token_claim: Ints,
    chunk_index: Index,
    wanted: _Sides,
    groups: Groups,
    claim_case: Ints,
) -> dict[str, Floats]:
    n = len(claim_case)
    in_chunk = token_role == Role.CHUNK
    in_claim = token_claim >= 0
    first, last = _window_clauses(tokens, groups.best_window[:n])
    sums: dict[str, Floats] = {}

    def tally(claims: Ints, values: Floats | Bools) -> Floats:
        return np.bincount(claims, values, minlength=n).astype(np.float64)

    sums["tokens"] = tally(token_claim[in_claim], np.ones(int(in_claim.sum())))
    sums |= _measure_ngrams(tokens, flags, token_case, in_chunk, in_claim, token_claim, tally)
    sums |= _measure_numbers(tokens, token_case, in_chunk, token_role, token_claim, first, last, tally)
    sums |= _measure_names(tokens, flags, token_case, token_claim, chunk_index, tally)
    sums |= _measure_polarity(tokens, flags, token_claim, groups, n, tally)
    sums["opposites"] = _measure_opposites(wanted, n, chunk_index, first, last)
    return sums


def _window_clauses(tokens: Tokens, windows: Ints) -> tuple[Ints, Ints]:
    """The clauses `[first, last)` of each window and its two neighbours; empty for window -1."""
    low = np.searchsorted(tokens.clause_window, windows - 1, side="left")
    high = np.searchsorted(tokens.clause_window, windows + 1, side="right")
    return np.where(windows < 0, 0, low), np.where(windows < 0, 0, high)


def _measure_ngrams(tokens: Tokens, flags, token_case, in_chunk, in_claim, token_claim, tally) -> dict[str, Floats]:  # type: ignore[no-untyped-def]
    """Runs of two, three and four tokens of a claim: how many the chunks hold, and where one breaks off."""
    key = tokens.key
    two = np.zeros(len(key), dtype=np.bool_)
    two[1:] = tokens.sentence[1:] == tokens.sentence[:-1]
    bi = key.copy()
    bi[1:] = pair(key[:-1], key[1:])
    three = two.copy()
    three[1:] &= two[:-1]
    tri = key.copy()
    tri[1:] = pair(bi[:-1], key[1:])
    four = three.copy()
    four[1:] &= three[:-1]
    quad = key.copy()
    quad[1:] = pair(tri[:-1], key[1:])
    seen = {}
    for name, grams, valid in (("two", bi, two), ("three", tri, three), ("four", quad, four)):
        there = np.flatnonzero(valid & in_chunk)
        here = np.flatnonzero(valid & in_claim)
        index = Index(grams[there], token_case[there], np.zeros(len(there), dtype=np.int64))
        hit = np.zeros(len(key), dtype=np.bool_)
        hit[here] = index.holds(grams[here], token_case[here])
        seen[name] = (here, hit)
    out: dict[str, Floats] = {}
    for name, (here, hit) in seen.items():
        out[f"{name}_seen"] = tally(token_claim[here], hit[here])
        out[f"{name}_all"] = tally(token_claim[here], np.ones(len(here)))
    content = (flags & STOP) == 0
    here3, hit3 = seen["three"]
    before = np.zeros(len(key), dtype=np.bool_)
    before[1:] = seen["two"][1][:-1]
    out["slot_breaks"] = tally(token_claim[here3], before[here3] & ~hit3[here3] & content[here3])
    return out


def _measure_numbers(tokens, token_case, in_chunk, token_role, token_claim, first, last, tally) -> dict[str, Floats]:  # type: ignore[no-untyped-def]
    """Numbers of a claim: all, those that no chunk has, those that only the question has, those far off."""
    numbered = np.flatnonzero(tokens.number >= 0)
    at, keys = _value_entries(tokens, numbered)
    chunk = in_chunk[at]
    index = Index(keys[chunk], token_case[at[chunk]], tokens.clause[at[chunk]])
    asked = token_role[at] <= Role.REWRITE
    question = Index(keys[asked], token_case[at[asked]], np.zeros(int(asked.sum()), dtype=np.int64))
    mine = np.flatnonzero((token_claim[numbered] >= 0) & ~_is_list_marker(tokens, token_claim, numbered))
    token = numbered[mine]
    claim = token_claim[token]
    entry_at, entry_keys = _value_entries(tokens, token, meant_only=True)
    owner = np.searchsorted(token, entry_at)
    case = token_case[entry_at]

    def any_of(found: Bools) -> Bools:
        return np.bincount(owner, found, minlength=len(token)) > 0

    known = any_of(index.holds(entry_keys, case))
    near = any_of(index.within(entry_keys, case, first[token_claim[entry_at]], last[token_claim[entry_at]]))
    echoed = any_of(question.holds(entry_keys, case))
    return {
        "numbers": tally(claim, np.ones(len(token))),
        "numbers_unknown": tally(claim, ~known & ~echoed),
        "numbers_echoed": tally(claim, ~known & echoed),
        "numbers_far": tally(claim, known & ~near),
    }


def _value_entries(tokens: Tokens, at: Ints, *, meant_only: bool = False) -> tuple[Ints, Keys]:
    """Every value that the number tokens `at` may stand for, as (token, key) pairs.

    With `meant_only`, 3万 stands for 30000 alone; a clock time keeps both its readings.
    """
    meant = [tokens.values[i] for i in tokens.number[at].tolist()]
    if meant_only:
        meant = [v if len(v) == 2 and v[1] > v[0] else v[:1] for v in meant]
    counts = [len(v) for v in meant]
    return np.repeat(at, counts), value_keys([x for v in meant for x in v])


def _is_list_marker(tokens: Tokens, token_claim: Ints, at: Ints) -> Bools:
    """A number that opens its claim and is followed by a point or bracket: "1." counts items."""
    previous = np.where(at > 0, token_claim[np.maximum(at - 1, 0)], -2)
    opening = previous != token_claim[at]
    after = tokens.offset[tokens.text[at]] + tokens.end[at]
    return opening & _LIST_POINT[tokens.codes[np.minimum(after, len(tokens.codes) - 1)]]


_LIST_POINT = cp.is_any(".、)）:：")


def _measure_names(tokens, flags, token_case, token_claim, chunk_index, tally) -> dict[str, Floats]:  # type: ignore[no-untyped-def]
    """Capitalised words inside a sentence: all of them, and those that no chunk has."""
    named = np.flatnonzero((token_claim >= 0) & tokens.capital & ~tokens.opens & ((flags & STOP) == 0))
    known = chunk_index.holds(tokens.key[named], token_case[named])
    claim = token_claim[named]
    return {"names": tally(claim, np.ones(len(named))), "names_unknown": tally(claim, ~known)}


def _measure_polarity(tokens, flags, token_claim, groups, n, tally) -> dict[str, Floats]:  # type: ignore[no-untyped-def]
    """Negations in the claim, in the clause and in the window that support it best."""
    negative = (flags & NEGATION) != 0
    clauses = np.bincount(tokens.clause, negative, minlength=len(tokens.clause_window) + 1)
    windows = np.bincount(tokens.window, negative, minlength=len(tokens.window_text) + 1)
    inside = token_claim >= 0
    return {
        "negations": tally(token_claim[inside], negative[inside]),
        "clause_negations": np.where(groups.best_clause[:n] >= 0, clauses[groups.best_clause[:n]], 0.0),
        "window_negations": np.where(groups.best_window[:n] >= 0, windows[groups.best_window[:n]], 0.0),
    }


def _measure_opposites(wanted: _Sides, n: int, index: Index, first: Ints, last: Ints) -> Floats:
    """Units of a claim whose opposite stands in the supporting windows, while they themselves do not."""
    mine = np.flatnonzero(wanted.group < n)
    which, opposite = opposite_keys(wanted.key[mine])
    unit = mine[which]
    claim = wanted.group[unit]
    there = index.within(opposite, wanted.case[unit], first[claim], last[claim])
    absent = ~index.within(wanted.key[unit], wanted.case[unit], first[claim], last[claim])
    return np.bincount(claim, there & absent, minlength=n).astype(np.float64)


def _measure_traces(tokens, units, token_case, token_role, wanted, matches, groups, claims, cases) -> dict[str, Floats]:  # type: ignore[no-untyped-def]
    """Questions against answers and history, and against the windows that support the answer."""
    role = token_role[units.token]
    case = token_case[units.token]

    def hold(chosen: Bools) -> Bools:
        index = Index(units.key[chosen], case[chosen], np.zeros(int(chosen.sum()), dtype=np.int64))
        return index.holds(wanted.key, wanted.case)

    def share(mask: Bools, group: int, of: Bools | None = None) -> Floats:
        mine = wanted.group == claims + GROUPS_PER_CASE * wanted.case + group
        if of is not None:
            mine &= of
        total = np.bincount(wanted.case[mine], wanted.weight[mine], minlength=cases)
        part = np.bincount(wanted.case[mine], wanted.weight[mine] * mask[mine], minlength=cases)
        return np.divide(part, total, out=np.full(cases, np.nan), where=total > 0)

    def weight(mask: Bools, group: int) -> Floats:
        mine = (wanted.group == claims + GROUPS_PER_CASE * wanted.case + group) & mask
        return np.bincount(wanted.case[mine], wanted.weight[mine], minlength=cases)

    in_answer, in_history, in_question = hold(role == Role.ANSWER), hold(role == Role.HISTORY), hold(role == Role.QUESTION)
    supporting = _near_support(wanted, matches, groups, tokens, claims)
    fresh = ~in_question
    return {
        "question_in_answer": share(in_answer, QUESTION),
        "rewrite_in_answer": share(in_answer, REWRITE),
        "question_in_support": share(supporting, QUESTION),
        "rewrite_in_support": share(supporting, REWRITE),
        "question_in_history": share(in_history, QUESTION),
        "rewrite_new": weight(fresh, REWRITE),
        "rewrite_new_in_history": share(in_history, REWRITE, fresh),
        "rewrite_keeps": share(hold(role == Role.REWRITE), QUESTION),
    }


def _near_support(wanted, matches, groups, tokens, claims) -> Bools:  # type: ignore[no-untyped-def]
    """For each wanted unit: does it stand in, or next to, a window that supports a claim best?"""
    windows = groups.best_window[:claims]
    windows = windows[windows >= 0]
    support = np.zeros(len(tokens.window_text) + 2, dtype=np.bool_)
    support[windows] = True
    support[windows + 1] = True
    support[np.maximum(windows - 1, 0)] = True
    hit = np.zeros(len(wanted.key), dtype=np.bool_)
    if len(matches.query):
        there = support[tokens.clause_window[matches.place]]
        hit[matches.query[there]] = True
    return hit
