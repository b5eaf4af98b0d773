"""Questions against answers, against the history, and against the passages behind the answer."""

from __future__ import annotations

import numpy as np

from judges.distilled import codepoints as cp
from judges.distilled.batch import Role
from judges.distilled.cover import Cover, Wanted
from judges.distilled.overlap import Matches, occurs
from judges.distilled.part import Part
from judges.distilled.tokens import Bools
from judges.distilled.units import Floats


def measure_traces(part: Part, cover: Cover, wanted: Wanted, matches: Matches) -> dict[str, Floats]:
    """Measures with one entry a case: shares (0..1, NaN where there is nothing to share) and weights."""
    in_answer, in_history = _held_by(part, wanted, Role.ANSWER), _held_by(part, wanted, Role.HISTORY)
    supporting = _cover_tokens(part, wanted, _near_support(part, cover, wanted, matches))
    fresh = ~_held_by(part, wanted, Role.QUESTION)
    return {
        "question_in_answer": _share(part, in_answer, Role.QUESTION),
        "rewrite_in_answer": _share(part, in_answer, Role.REWRITE),
        "question_in_support": _share(part, supporting, Role.QUESTION),
        "rewrite_in_support": _share(part, supporting, Role.REWRITE),
        "question_in_history": _share(part, in_history, Role.QUESTION),
        "rewrite_new": _weigh(part, fresh, Role.REWRITE),
        "rewrite_new_in_history": _share(part, in_history, Role.REWRITE, of=fresh),
        "rewrite_new_names": _count_names(part, fresh & ~in_history),
        "rewrite_keeps": _share(part, _held_by(part, wanted, Role.REWRITE), Role.QUESTION),
    }


def _count_names(part: Part, mask: Bools) -> Floats:
    """Names in the rewrites among the masked tokens: capitals, numbers, and Latin words in Chinese text."""
    tokens = part.tokens
    chinese = np.array([case.language == "zh" for case in part.cases], dtype=np.bool_)[part.case]
    latin = (tokens.kind == cp.LETTER) & chinese
    named = ((tokens.capital & ~tokens.opens) | (tokens.number >= 0) | latin) & (part.weight > 0)
    mine = np.flatnonzero(mask & named & (part.role == Role.REWRITE))
    return np.bincount(part.case[mine], minlength=len(part.cases)).astype(np.float64)


def measure_echo(part: Part, wanted: Wanted) -> Floats:
    """Share of each claim's weight (0..1) that only repeats the question."""
    mine = np.flatnonzero(part.in_claim)
    asked = _held_by(part, wanted, Role.QUESTION)[mine]
    claim, weight = part.group[mine], part.weight[mine]
    total = np.bincount(claim, weight, minlength=part.claims)
    echoed = np.bincount(claim, weight * asked, minlength=part.claims)
    share: Floats = np.divide(echoed, total, out=np.zeros(part.claims), where=total > 0)
    return share


def _cover_tokens(part: Part, wanted: Wanted, hit: Bools) -> Bools:
    """The tokens that the hit units cover: one flag a token."""
    covered = np.zeros(len(part.weight), dtype=np.bool_)
    covered[wanted.first[hit]] = covered[wanted.last[hit]] = True
    return covered


def _held_by(part: Part, wanted: Wanted, role: Role) -> Bools:
    """The tokens of groups whose units stand in the texts of `role` of the same case."""
    chosen = part.role[part.units.last] == role
    case = part.case[part.units.last[chosen]]
    return _cover_tokens(part, wanted, occurs(part.units.key[chosen], case, wanted.sought))


def _weigh(part: Part, mask: Bools, role: Role) -> Floats:
    mine = np.flatnonzero(mask & (part.role == role))
    return np.bincount(part.case[mine], part.weight[mine], minlength=len(part.cases)).astype(np.float64)


def _share(part: Part, mask: Bools, role: Role, *, of: Bools | None = None) -> Floats:
    everything = np.ones(len(part.weight), dtype=np.bool_) if of is None else of
    total = _weigh(part, everything, role)
    found = _weigh(part, mask & everything, role)
    share: Floats = np.divide(found, total, out=np.full(len(total), np.nan), where=total > 0)
    return share


def _near_support(part: Part, cover: Cover, wanted: Wanted, matches: Matches) -> Bools:
    """For each wanted unit: does it stand in, or next to, a window that supports a claim best?"""
    windows = cover.best_window[: part.claims]
    windows = windows[windows >= 0]
    support = np.zeros(len(part.tokens.window_text) + 2, dtype=np.bool_)
    for shift in (-1, 0, 1):
        support[np.maximum(windows + shift, 0)] = True
    hit = np.zeros(len(wanted.sought), dtype=np.bool_)
    there = support[part.tokens.clause_window[matches.place]]
    hit[matches.query[there]] = True
    return hit
