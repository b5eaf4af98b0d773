"""What is counted of each claim token by token: content, gaps, negations, what others deny."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judges.distilled.kernel.compiled import compiled, inlined
from judges.distilled.kernel.hashing import Bools, Codes, Floats, Ints
from judges.distilled.kernel.wording import NEGATION


class Wording(NamedTuple):
    """One entry a claim; see `claim_measures`."""

    tokens: Floats
    content: Floats
    missing: Floats
    heaviest_missing: Floats
    longest_gap: Floats
    denied: Floats
    affirmed: Floats
    negations: Floats
    clause_negations: Floats
    window_negations: Floats


@compiled
def mark_list_points(
    group: Ints, number: Ints, text: Ints, end: Ints, offset: Ints, codes: Codes, points: Bools, claims: int
) -> Bools:
    """Flags of numbers that open their claim and are followed by a point or bracket: "1." counts items.

    `points`: flags of code points.
    """
    n = len(group)
    marker = np.zeros(n, np.bool_)
    for i in range(n):
        opens = 0 <= group[i] < claims and (i == 0 or group[i - 1] != group[i])
        if opens and number[i] >= 0:
            after = min(offset[text[i]] + end[i], len(codes) - 1)
            marker[i] = points[codes[after]]
    return marker


@inlined
def _count_claim(
    w: Wording, claim: int, begin: int, end: int, weight: Floats, flags: Ints, clause: Ints, found: Bools,
    denied: Bools, reply_tokens: int,
) -> None:  # fmt: skip
    reply = begin
    while reply < end and clause[reply] == clause[begin]:
        reply += 1
    if reply - begin > reply_tokens or reply == end:
        reply = begin  # no short first clause
    gap = known_denied = known_affirmed = 0
    negates = False
    for i in range(begin, end):
        if flags[i] & NEGATION:
            negates = True
            w.negations[claim] += i >= reply
        if weight[i] <= 0:
            continue  # function words neither break nor lengthen a stretch
        w.content[claim] += 1
        known_denied += denied[i]
        known_affirmed += found[i] and not denied[i]
        gap = 0 if found[i] else gap + 1
        if not found[i]:
            w.missing[claim] += 1
            w.heaviest_missing[claim] = max(w.heaviest_missing[claim], weight[i])
            w.longest_gap[claim] = max(w.longest_gap[claim], gap)
    w.tokens[claim] = end - begin
    w.denied[claim] = 0 if negates else known_denied
    w.affirmed[claim] = known_affirmed if negates else 0


@compiled
def count_wording(
    group: Ints, weight: Floats, flags: Ints, clause: Ints, window: Ints, found: Bools, denied: Bools,
    best_clause: Ints, best_window: Ints, clauses: int, windows: int, claims: int, reply_tokens: int,
) -> Wording:  # fmt: skip
    """Count over the tokens of claims. `reply_tokens`: a first clause of so few negates nothing ("No, …")."""
    w = Wording(
        np.zeros(claims, np.float64), np.zeros(claims, np.float64), np.zeros(claims, np.float64),
        np.zeros(claims, np.float64), np.zeros(claims, np.float64), np.zeros(claims, np.float64),
        np.zeros(claims, np.float64), np.zeros(claims, np.float64), np.zeros(claims, np.float64),
        np.zeros(claims, np.float64),
    )  # fmt: skip
    n = len(group)
    in_clause, in_window = np.zeros(clauses + 1, np.float64), np.zeros(windows + 1, np.float64)
    begin = 0
    while begin < n:
        claim = group[begin]
        end = begin
        while end < n and group[end] == claim:
            if flags[end] & NEGATION:
                in_clause[clause[end]] += 1
                in_window[window[end]] += 1
            end += 1
        if 0 <= claim < claims:
            _count_claim(w, claim, begin, end, weight, flags, clause, found, denied, reply_tokens)
        begin = end
    for claim in range(claims):
        if best_clause[claim] >= 0:
            w.clause_negations[claim] = in_clause[best_clause[claim]]
            w.window_negations[claim] = in_window[best_window[claim]]
    return w
