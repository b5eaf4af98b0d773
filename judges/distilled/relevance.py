"""Relevance of answers and chunks to the question, and whether the chunks can answer it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judges.distilled.measuring.features import Features
from judges.distilled.measuring.part import QUESTION, REWRITE, Part
from judges.distilled.measuring.tokens import Ints
from judges.distilled.reading.answerable import NUMBER, TIME, kind_of_answer
from judges.distilled.rewriting import RESOLVED
from schemas.scored import Scores
from schemas.taxonomy import Coverage

SENTENCE_ENDS = tuple("。！？.!?”\"'）)」』…;；}]")
SUFFICIENCY = {
    "en": (1.42, 2.07, 0.53, -0.40, -0.26, -1.65, -4.06),
    "zh": (1.20, 3.06, 0.67, -0.97, 0.51, -2.5, -4.96),
}
"""Weights of: question covered anywhere, in one chunk, ln(1 + its weight), it asks for a number, a number
is near, the chunk breaks off there, 1. Fitted to permissively licensed rows that people judged answerable
or not, to the same with the answering sentence cut off, and to other questions' passages."""


_TEXTS_BEFORE_CHUNKS = 4
"""Question, rewrite, history, answer: see `batch.lay_out`."""
LEAST_WEIGHT = 30.0
"""Nats: the questions that the weights were fitted to weigh more, and a shorter one is no worse for it."""


def score_relevance(features: Features, i: int, scores: Scores, rewrite_state: str) -> None:
    """Fill in answer relevance, context relevance and sufficiency (each 0..1, or null: not measured).

    The intent is the rewritten query where that resolved a follow-up, else the question.
    """
    part, cover, measures = features.part, features.cover, features.traces
    case = part.cases[i]
    which, name = (REWRITE, "rewrite") if rewrite_state == RESOLVED else (QUESTION, "question")
    intent = part.group_of(i, which)
    if cover.total[intent] <= 0 or scores.coverage is Coverage.UNSUPPORTED_LANGUAGE:
        return
    if case.chunks:
        scores.context_relevance = min(1.0, float(0.5 * cover.chunk[intent] + 0.5 * cover.pair[intent]))
        scores.context_sufficiency = score_sufficiency(features, i, intent)
    if case.claims and not scores.refusal:
        said = float(measures[f"{name}_in_answer"][i])
        grounded = float(measures[f"{name}_in_support"][i])
        scores.answer_relevance = float(np.clip(max(said, 0.9 * grounded), 0.0, 1.0))


def find_asked(part: Part, rewrite_states: Sequence[str]) -> Ints:
    """The text that each case asks with: the rewrite where that resolved a follow-up, else the question."""
    which = [REWRITE if state == RESOLVED else QUESTION for state in rewrite_states]
    return _first_texts(part) + np.array(which, dtype=np.int64)


def find_rewritten(part: Part) -> Ints:
    """The rewrite of each case, or its question where there is none."""
    which = [REWRITE if case.rewrite else QUESTION for case in part.cases]
    return _first_texts(part) + np.array(which, dtype=np.int64)


def _first_texts(part: Part) -> Ints:
    """The first text of each case."""
    return np.array(part.layout.chunk_first, dtype=np.int64) - _TEXTS_BEFORE_CHUNKS


def score_sufficiency(features: Features, i: int, intent: int) -> float:
    """Chance that the chunks hold an answer: how much of the question one chunk says, and what it lacks."""
    cover, case = features.cover, features.part.cases[i]
    window = int(cover.best_window[intent])
    numeric = kind_of_answer(case.question) in (NUMBER, TIME)
    measures = (
        cover.any[intent],
        cover.chunk[intent],
        np.log1p(max(float(cover.total[intent]), LEAST_WEIGHT)),
        numeric,
        numeric and _has_number_near(features, window),
        _stops_short(features, i, window),
        1.0,
    )
    weights = SUFFICIENCY.get(case.language or "", SUFFICIENCY["en"])
    strain = sum(w * float(m) for w, m in zip(weights, measures, strict=True))
    return float(1.0 / (1.0 + np.exp(-strain)))


def _stops_short(features: Features, i: int, window: int) -> bool:
    """The chunk breaks off in mid-sentence just where it speaks of the question, unlike most others."""
    if window < 0:
        return False
    part = features.part
    text = int(part.tokens.window_text[window])
    if int(part.tokens.text_window[text + 1]) - 1 - window > 1:
        return False
    open_ended = [not c.rstrip().endswith(SENTENCE_ENDS) for c in part.cases[i].chunks]
    return open_ended[part.layout.place[text]] and 2 * sum(open_ended) <= len(open_ended)


def _has_number_near(features: Features, window: int) -> bool:
    if window < 0:
        return False
    tokens = features.part.tokens
    low, high = np.searchsorted(tokens.window, [window - 1, window + 2])
    return bool((tokens.number[low:high] >= 0).any())
