"""What tells which stage of a trace failed first: one vector a trace, the same in training and serving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from judges.distilled.heads.forest import Rows
from judges.distilled.measuring.features import Features
from judges.distilled.measuring.part import GROUPS_PER_CASE, HISTORY, QUESTION, REWRITE
from judges.distilled.measuring.units import Floats
from judges.distilled.reading.answerable import NUMBER, PERSON, PLACE, TIME, kind_of_answer
from judges.distilled.reading.followup import is_fragment, points_back
from judges.distilled.rewriting import MISSING, RESOLVED, UNCHANGED, WRONG
from schemas.scored import Scores

UNMEASURED: Final = -1.0
"""Stands for what a trace does not have: shares and probabilities are never below 0."""
NO_CHUNKS: Final = -20.0
"""Stands for the logit of a trace without chunks."""
_COVERED: Final = ("any", "chunk", "pair", "window")
_SHARES: Final = (
    "question_in_answer", "rewrite_in_answer", "question_in_support", "rewrite_in_support",
    "question_in_history", "rewrite_new_in_history", "rewrite_keeps",
)  # fmt: skip
_STATES: Final = (MISSING, UNCHANGED, WRONG, RESOLVED)
CLASS_FEATURES: tuple[str, ...] = (
    "covered", "sufficiency", "best_chunk", "mean_chunk", "as_rewritten", "source_chunk", "source_below_best",
    "hallucination", "support_least", "support_mean", "claims",
    "context_relevance", "answer_relevance", "refuses", "refuses_in_part", "refuses_for_safety", "follows",
    "rewritten", "chinese", "chunks", "answer_tokens", "question_weight", "history_weight", "points_back",
    "fragment", "answer_fits", "asks_fact", "rewrite_new", "rewrite_new_names",
    *(f"rewrite_{state}" for state in _STATES),
    *(f"question_{size}" for size in _COVERED),
    *(f"intent_{size}" for size in _COVERED),
    *(f"history_{size}" for size in _COVERED),
    *_SHARES,
)  # fmt: skip
"""Columns of `class_vectors`."""


@dataclass(slots=True, frozen=True)
class Context:
    """What the head of `sufficiency` says of a part of a batch: logits."""

    traces: Floats
    """One entry a case: do the chunks answer what was asked? Minus infinity without chunks."""
    chunks: Floats
    """One entry a chunk, the chunks of all cases in order."""
    as_rewritten: Floats
    """As `traces`, of the rewritten query wherever there is one."""


def class_vectors(features: Features, scores: Sequence[Scores], support: Floats, context: Context) -> Rows:
    """One row a case: shape (cases, len(CLASS_FEATURES)), no NaN. `support`: one entry a claim (0..1).

    `scores` have the sufficiency that coverage alone gives.
    """
    part, cover, measures = features.part, features.cover, features.traces
    n = len(part.cases)
    groups = part.claims + GROUPS_PER_CASE * np.arange(n)
    state = [str(s.signals.get("rewrite_state")) for s in scores]
    intent = groups + np.array([REWRITE if s == RESOLVED else QUESTION for s in state], dtype=np.int64)
    least, mean = _weigh_support(features, support)
    best, average, source = _place_answer(features, context.chunks)
    columns: dict[str, Floats | Sequence[float | bool | None]] = {
        "covered": [s.context_sufficiency for s in scores],
        "sufficiency": np.maximum(context.traces, NO_CHUNKS),
        "as_rewritten": np.maximum(context.as_rewritten, NO_CHUNKS),
        "best_chunk": best,
        "mean_chunk": average,
        "source_chunk": source,
        "source_below_best": best - source,
        "hallucination": [s.hallucination for s in scores],
        "support_least": least,
        "support_mean": mean,
        "claims": np.diff(part.claim_first),
        "context_relevance": [s.context_relevance for s in scores],
        "answer_relevance": [s.answer_relevance for s in scores],
        "refuses": [s.refusal for s in scores],
        "refuses_in_part": [s.refusal_kind == "partial" for s in scores],
        "refuses_for_safety": [s.signals.get("refusal_style") == "safety" for s in scores],
        "answer_fits": [bool(s.signals.get("answer_fits")) for s in scores],
        "chinese": [s.language == "zh" for s in scores],
        "question_weight": cover.total[groups + QUESTION],
        "history_weight": cover.total[groups + HISTORY],
        "rewrite_new": measures["rewrite_new"],
        "rewrite_new_names": measures["rewrite_new_names"],
    }
    columns |= _read_questions(features)
    columns |= {f"rewrite_{name}": [s == name for s in state] for name in _STATES}
    for size in _COVERED:
        share = getattr(cover, size)
        columns[f"question_{size}"] = share[groups + QUESTION]
        columns[f"intent_{size}"] = share[intent]
        columns[f"history_{size}"] = share[groups + HISTORY]
    columns |= {name: measures[name] for name in _SHARES}
    return _stack(columns, n)


def _weigh_support(features: Features, support: Floats) -> tuple[Floats, Floats]:
    """The least and the mean support of each case's claims; 1 for a case that claims nothing."""
    part = features.part
    n = len(part.cases)
    least = np.ones(n)
    np.minimum.at(least, part.claim_case, support)
    count = np.diff(part.claim_first)
    total = np.bincount(part.claim_case, support, minlength=n)
    return least, np.where(count > 0, total / np.maximum(count, 1), 1.0)


def _place_answer(features: Features, logits: Floats) -> tuple[Floats, Floats, Floats]:
    """Logits of each case's best chunk, of all on average, and of where its weightiest claim is from."""
    part, cover = features.part, features.cover
    counts = np.array([len(case.chunks) for case in part.cases], dtype=np.int64)
    first = np.cumsum(counts) - counts
    owner = np.repeat(np.arange(len(counts)), counts)
    best = np.full(len(counts), NO_CHUNKS)
    np.maximum.at(best, owner, logits)
    mean = np.bincount(owner, logits, minlength=len(counts)) / np.maximum(counts, 1)
    mean[counts == 0] = NO_CHUNKS
    source = np.full(len(counts), NO_CHUNKS)
    order = np.argsort(cover.total[: part.claims], kind="stable")  # the weightiest of a case comes last
    windows = cover.best_window[order]
    order, windows = order[windows >= 0], windows[windows >= 0]
    cases = part.claim_case[order]
    texts = part.tokens.window_text[windows]
    chunk = first[cases] + texts - np.array(part.layout.chunk_first, dtype=np.int64)[cases]
    source[cases] = logits[chunk]
    return best, mean, source


def _read_questions(features: Features) -> dict[str, Sequence[float | bool]]:
    """What the texts of each case look like. Only where there is a history can a question lean on it."""
    part = features.part
    cases = part.cases
    tokens = part.tokens.text_token
    answers = np.array(part.layout.chunk_first, dtype=np.int64) - 1
    return {
        "follows": [bool(c.history) for c in cases],
        "rewritten": [bool(c.rewrite) for c in cases],
        "chunks": [float(len(c.chunks)) for c in cases],
        "answer_tokens": np.log1p(tokens[answers + 1] - tokens[answers]).tolist(),
        "points_back": [bool(c.history) and points_back(c.question) for c in cases],
        "fragment": [bool(c.history) and is_fragment(c.question) for c in cases],
        "asks_fact": [kind_of_answer(c.question) in (NUMBER, TIME, PERSON, PLACE) for c in cases],
    }


def _stack(columns: dict[str, Floats | Sequence[float | bool | None]], rows: int) -> Rows:
    """The columns side by side; what was not measured is `UNMEASURED`."""
    table = np.empty((rows, len(CLASS_FEATURES)), dtype=np.float32)
    for place, name in enumerate(CLASS_FEATURES):
        table[:, place] = np.array(columns[name], dtype=np.float32)
    table[np.isnan(table)] = UNMEASURED
    return table
