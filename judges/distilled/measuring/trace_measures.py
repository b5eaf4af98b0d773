"""Questions against answers, against the history, and against the passages behind the answer."""

from __future__ import annotations

import numpy as np

from judges.distilled.kernel.tracing import mark_tokens, weigh_shares
from judges.distilled.measuring.cover import Cover
from judges.distilled.measuring.overlap import Matches
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.units import Floats


def measure_traces(part: Part, cover: Cover, matches: Matches) -> tuple[dict[str, Floats], Floats]:
    """Measures with one entry a case: shares (0..1, NaN where there is nothing to share) and weights; and the
    share of each claim's weight (0..1) that only repeats the question.

    `rewrite_new_names` counts names in the rewrite that neither question nor history has: capitals, numbers,
    and Latin words in Chinese text.
    """
    tokens = part.tokens
    marks = mark_tokens(
        matches.unit,
        matches.entry,
        matches.table,
        part.units.first,
        part.units.last,
        tokens.clause_window,
        cover.best_window[: part.claims],
        len(tokens.window_text),
        len(part.weight),
    )
    sums = weigh_shares(
        marks,
        part.weight,
        part.case,
        part.role,
        part.group,
        tokens.kind,
        tokens.capital,
        tokens.opens,
        tokens.number,
        np.array([case.language == "zh" for case in part.cases], dtype=np.bool_),
        part.claims,
    )
    measures = {
        "question_in_answer": _share(sums.question_in_answer, sums.question),
        "rewrite_in_answer": _share(sums.rewrite_in_answer, sums.rewrite),
        "question_in_support": _share(sums.question_in_support, sums.question),
        "rewrite_in_support": _share(sums.rewrite_in_support, sums.rewrite),
        "question_in_history": _share(sums.question_in_history, sums.question),
        "rewrite_new": sums.rewrite_new,
        "rewrite_new_in_history": _share(sums.rewrite_new_in_history, sums.rewrite_new),
        "rewrite_new_names": sums.rewrite_new_names,
        "rewrite_keeps": _share(sums.question_in_rewrite, sums.question),
    }
    return measures, np.nan_to_num(_share(sums.echoed, cover.total[: part.claims]))


def _share(part: Floats, whole: Floats) -> Floats:
    share: Floats = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return share
