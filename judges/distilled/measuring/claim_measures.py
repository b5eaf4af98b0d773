"""What coverage cannot see about a claim: word order, numbers, names, negations, opposites."""

from __future__ import annotations

import numpy as np

from judges.distilled.kernel.claiming import count_wording, mark_list_points
from judges.distilled.kernel.figures import Numbers, Places, count_numbers
from judges.distilled.kernel.opposing import count_opposites
from judges.distilled.kernel.runs import count_runs
from judges.distilled.measuring import codepoints as cp
from judges.distilled.measuring.cover import Cover
from judges.distilled.measuring.overlap import Matches
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.slots import find_displaced
from judges.distilled.measuring.units import Floats

Measures = dict[str, Floats]

REPLY_TOKENS = 3
"""A first clause of so few tokens (No, … or 不会，…) answers the question: it negates nothing."""
_LIST_POINT = cp.is_any(".、)）:：")


def measure_claims(part: Part, cover: Cover, matches: Matches) -> Measures:
    """Measures with one entry a claim; counts unless they say otherwise.

    `missing`, `heaviest_missing` (nats), `longest_gap`: content that no chunk holds, and the longest stretch
    of it; `denied`, `affirmed`: content that the chunks hold only where they negate, of a claim that does
    not, and the other way round; `negations` in the claim, in the clause and in the window that support it
    best; `runs2` … `runs4`, `names`, `numbers`: all of them, and what is (`_seen`) or is not (`_unknown`) in
    the chunks; numbers that only the question has (`_echoed`), only another chunk than the best (`_far`), and
    those whose place another one takes (`_contradicted`); `slot_breaks`: word pairs that the chunks go on
    from otherwise; `opposites`: units whose opposite stands by the best window; `displaced`: see `slots`.
    """
    measures = _measure_wording(part, cover) | _measure_runs(part) | _measure_numbers(part, cover)
    places = _list_places(part)
    measures["opposites"] = count_opposites(
        matches.unit,
        matches.entry,
        matches.table,
        matches.contrary,
        part.units.last,
        part.group,
        places,
        cover.best_window,
        part.claims,
    )
    measures["displaced"] = find_displaced(part, cover, _share(measures, "runs2"), _share(measures, "runs4"))
    return measures


def _share(measures: Measures, runs: str) -> Floats:
    total = measures[runs]
    share: Floats = np.divide(measures[f"{runs}_seen"], total, out=np.zeros(len(total)), where=total > 0)
    return share


def _list_places(part: Part) -> Places:
    tokens = part.tokens
    return Places(tokens.clause_window, tokens.window_text, tokens.text_window)


def _measure_wording(part: Part, cover: Cover) -> Measures:
    tokens = part.tokens
    counted = count_wording(
        part.group,
        part.weight,
        part.flags,
        tokens.clause,
        tokens.window,
        cover.found,
        cover.denied,
        cover.best_clause,
        cover.best_window,
        len(tokens.clause_window),
        len(tokens.window_text),
        part.claims,
        REPLY_TOKENS,
    )
    return counted._asdict()


def _measure_runs(part: Part) -> Measures:
    tokens = part.tokens
    runs = count_runs(
        tokens.key,
        tokens.sentence,
        part.case,
        part.role,
        part.group,
        tokens.capital,
        tokens.opens,
        part.flags,
        part.claims,
    )
    measures: Measures = {"names": runs.total[0], "names_unknown": runs.total[0] - runs.seen[0]}
    for length in (2, 3, 4):
        measures[f"runs{length}"] = runs.total[length - 1]
        measures[f"runs{length}_seen"] = runs.seen[length - 1]
    return measures | {"slot_breaks": runs.breaks}


def _measure_numbers(part: Part, cover: Cover) -> Measures:
    t = part.tokens
    marker = mark_list_points(
        part.group, t.number, t.text, t.end, t.offset, t.codes, _LIST_POINT, part.claims
    )
    words = Numbers(
        t.word,
        t.number,
        t.value,
        t.value_key,
        t.value_first,
        t.sentence,
        t.clause,
        t.adjacent,
        part.case,
        part.role,
        part.group,
    )
    counts = count_numbers(words, _list_places(part), marker, cover.best_window, part.claims)
    return {
        "numbers": counts.all,
        "numbers_unknown": counts.unknown,
        "numbers_echoed": counts.echoed,
        "numbers_far": counts.far,
        "numbers_contradicted": counts.contradicted,
    }
