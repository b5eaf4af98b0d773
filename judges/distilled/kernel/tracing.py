"""Questions and rewrites token by token: what answer, history and the supporting passages hold of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judges.distilled.kernel.compiled import compiled
from judges.distilled.kernel.hashing import Bools, Floats, Ints
from judges.distilled.kernel.matching import Table
from judges.distilled.kernel.spans import LETTER, Classes

QUESTION, REWRITE, HISTORY, ANSWER = range(4)
"""As `batch.Role`."""
_SUPPORT = 1 << 8


class Shares(NamedTuple):
    """Sums of weights, one entry a case (`echoed`: a claim); see `trace_measures`."""

    question: Floats
    question_in_answer: Floats
    question_in_support: Floats
    question_in_history: Floats
    question_in_rewrite: Floats
    rewrite: Floats
    rewrite_in_answer: Floats
    rewrite_in_support: Floats
    rewrite_new: Floats
    rewrite_new_in_history: Floats
    rewrite_new_names: Floats
    echoed: Floats


@compiled
def mark_tokens(
    unit: Ints, entry: Ints, table: Table, first: Ints, last: Ints, clause_window: Ints, best_window: Ints,
    windows: int, tokens: int,
) -> Ints:  # fmt: skip
    """For each token of a group: bit r where a text of role r has it, and one more where it stands in, or
    next to, a window that supports a claim best. `best_window`: of the claims."""
    support = np.zeros(windows + 2, np.bool_)
    for claim in range(len(best_window)):
        window = best_window[claim]
        if window >= 0:
            support[max(window - 1, 0)] = support[window] = support[window + 1] = True
    marks = np.zeros(tokens, np.int64)
    for q in range(len(unit)):
        mark = np.int64(table.roles[entry[q]])
        at = table.head[entry[q]]
        while at >= 0:
            if support[clause_window[table.place[at]]]:
                mark |= _SUPPORT
                break
            at = table.following[at]
        marks[first[unit[q]]] |= mark
        marks[last[unit[q]]] |= mark
    return marks


@compiled
def weigh_shares(
    marks: Ints, weight: Floats, case: Ints, role: Ints, group: Ints, kind: Classes, capital: Bools,
    opens: Bools, number: Ints, chinese: Bools, claims: int,
) -> Shares:  # fmt: skip
    """Add up the weights of marked tokens. `chinese`: flags of cases; a Latin word is a name in them."""
    cases = len(chinese)
    s = Shares(
        np.zeros(cases, np.float64), np.zeros(cases, np.float64), np.zeros(cases, np.float64),
        np.zeros(cases, np.float64), np.zeros(cases, np.float64), np.zeros(cases, np.float64),
        np.zeros(cases, np.float64), np.zeros(cases, np.float64), np.zeros(cases, np.float64),
        np.zeros(cases, np.float64), np.zeros(cases, np.float64), np.zeros(claims, np.float64),
    )  # fmt: skip
    for i in range(len(marks)):
        heavy, mark, owner = weight[i], marks[i], case[i]
        answered, recalled = mark & (1 << ANSWER), mark & (1 << HISTORY)
        if 0 <= group[i] < claims:
            s.echoed[group[i]] += heavy if mark & (1 << QUESTION) else 0.0
        elif role[i] == QUESTION:
            s.question[owner] += heavy
            s.question_in_answer[owner] += heavy if answered else 0.0
            s.question_in_support[owner] += heavy if mark & _SUPPORT else 0.0
            s.question_in_history[owner] += heavy if recalled else 0.0
            s.question_in_rewrite[owner] += heavy if mark & (1 << REWRITE) else 0.0
        elif role[i] == REWRITE:
            s.rewrite[owner] += heavy
            s.rewrite_in_answer[owner] += heavy if answered else 0.0
            s.rewrite_in_support[owner] += heavy if mark & _SUPPORT else 0.0
            if not mark & (1 << QUESTION):
                s.rewrite_new[owner] += heavy
                s.rewrite_new_in_history[owner] += heavy if recalled else 0.0
                latin = kind[i] == LETTER and chinese[owner]
                named = (capital[i] and not opens[i]) or number[i] >= 0 or latin
                s.rewrite_new_names[owner] += named and heavy > 0 and not recalled
    return s
