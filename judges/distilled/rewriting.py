"""Did the rewritten query resolve the follow-up, and to the right thing?"""

from __future__ import annotations

import numpy as np

from judges.distilled.measuring.features import Features
from judges.distilled.reading.followup import is_fragment, points_back

STANDALONE, RESOLVED, MISSING, UNCHANGED, WRONG = "standalone", "resolved", "missing", "unchanged", "wrong"

NEW_WEIGHT = 4.0
"""Nats of new content in a rewrite that must come from somewhere."""
FROM_HISTORY = 0.2
"""Share of it that the history must hold, or the rewrite is about something else."""
KEPT = 0.6
"""Share of the question that a rewrite keeps when it only puts a name for a pronoun. One that keeps less is
worded anew, and new words need not stand in the history."""
UNRELATED = 0.1
"""Below this share of both question and history, a rewrite is about something else altogether."""


def judge_rewrite(features: Features, i: int) -> str:
    """`standalone` (nothing to resolve), `resolved`, or how it failed: `missing`, `unchanged`, `wrong`."""
    case, measures = features.part.cases[i], features.traces
    if not case.history:
        return STANDALONE
    if case.rewrite and _bare(case.rewrite) != _bare(case.question):
        fresh, known = float(measures["rewrite_new"][i]), float(measures["rewrite_new_in_history"][i])
        keeps = float(measures["rewrite_keeps"][i])
        if measures["rewrite_new_names"][i] and points_back(case.question):
            return WRONG
        from_elsewhere = fresh >= NEW_WEIGHT and not np.isnan(known) and known < FROM_HISTORY
        if not from_elsewhere:
            return RESOLVED
        if np.isnan(keeps) or keeps >= KEPT:
            return WRONG if points_back(case.question) else RESOLVED
        return WRONG if keeps < UNRELATED and known < UNRELATED else RESOLVED
    if points_back(case.question) or is_fragment(case.question):
        return UNCHANGED if case.rewrite else MISSING
    return STANDALONE


def _bare(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())
