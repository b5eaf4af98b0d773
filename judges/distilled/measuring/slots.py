"""Right words in the wrong place: a claim whose every word the chunk has, but says of something else.

"The fee is paid by the tenant" over "the fee is paid by the landlord, the deposit by the tenant": coverage
is full, and the claim is false. Two signs: in the clause that comes nearest, the claim's neighbour of a
word has another content word beside it (a slot filled differently); or the claim holds exactly the
clause's words with two of them exchanged. Only claims that look like this at a glance are read closely.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from judges.distilled.measuring.cover import Cover
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats

LONGEST = 30
"""Tokens of a claim; a longer one joins several statements."""
NEAR = 0.35
"""Share of the claim that its best clause must hold for the two to be about one thing."""
KNOWN = 0.75
"""Share of the claim that the chunks must hold: with less, coverage itself tells."""
COPIED = 0.8
"""Share of the claim's neighbouring pairs that the chunks must hold: the wording is theirs."""
MIN_WEIGHT = 1.5
"""Nats of a word that fills a slot; lighter ones are nearly function words."""


def find_displaced(part: Part, cover: Cover, pairs: Floats, exact_runs: Floats) -> Floats:
    """1 for each claim with a word in another's place, else 0.

    `pairs` and `exact_runs`: share of its runs of two and of four tokens that the chunks hold. A claim in
    words of its own is not read, and neither is a copy.
    """
    n = part.claims
    displaced = np.zeros(n)
    mine = np.flatnonzero(part.in_claim)
    lengths = np.bincount(part.group[mine], minlength=n)
    starts = np.searchsorted(part.group[mine], np.arange(n)) if n else np.zeros(0, dtype=np.int64)
    suspect = (
        (cover.best_clause[:n] >= 0)
        & (lengths <= LONGEST)
        & (lengths >= 2)
        & (exact_runs < 1.0)
        & (pairs >= COPIED)
    )
    suspect &= (cover.any[:n] >= KNOWN) & (cover.clause[:n] >= NEAR)
    for claim in np.flatnonzero(suspect).tolist():
        tokens = mine[starts[claim] : starts[claim] + lengths[claim]]
        clause = int(cover.best_clause[claim])
        low, high = np.searchsorted(part.tokens.clause, [clause, clause + 1]).tolist()
        displaced[claim] = _is_displaced(part, cover.found, tokens, np.arange(low, high))
    return displaced


def _is_displaced(part: Part, found: Bools, claim: Ints, clause: Ints) -> bool:
    keys = part.tokens.key
    said, there = keys[claim].tolist(), keys[clause].tolist()
    weight, beside = part.weight[claim].tolist(), part.weight[clause].tolist()
    known = found[claim].tolist()
    if set(said) <= set(there):
        return _is_exchanged(said, there, weight)
    places = defaultdict(list)
    for place, key in enumerate(there):
        places[key].append(place)
    claimed = set(said)

    def filled_otherwise(place: int) -> bool:
        inside = 0 <= place < len(there)
        return inside and beside[place] >= MIN_WEIGHT and there[place] not in claimed

    for i, key in enumerate(said):
        if weight[i] < MIN_WEIGHT or key in places or not known[i]:
            continue
        if i >= 2 and any(
            p >= 1 and there[p - 1] == said[i - 2] and filled_otherwise(p + 1) for p in places[said[i - 1]]
        ):
            return True
        if i + 2 < len(said) and any(
            p + 1 < len(there) and there[p + 1] == said[i + 2] and filled_otherwise(p - 1)
            for p in places[said[i + 1]]
        ):
            return True
    return False


def _is_exchanged(said: list[int], there: list[int], weight: list[float]) -> bool:
    """The claim's content words stand in the clause once each, in another order."""
    order = [
        there.index(k) for k, w in zip(said, weight, strict=True) if w >= MIN_WEIGHT and there.count(k) == 1
    ]
    if len(set(order)) < 2 or len(order) != len(set(order)):
        return False
    return order != sorted(order) and len(said) >= 0.7 * len(there)


__all__ = ["find_displaced"]
