"""Fit the head that says whether chunks hold an answer: chunks first, then the trace, by language.

Chunks are labelled where their source says which of them answers; the rest teach only through their trace.
Everything that is fitted on what was fitted before sees it out of fold, so that a question never meets
weights that learned from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from judges.distillation.trees import Boost, fit_boost
from judges.distilled.heads.chunk_vectors import chunk_vectors
from judges.distilled.heads.forest import Forest, Rows
from judges.distilled.heads.sufficiency import (
    LANGUAGES,
    SufficiencyHead,
    judge_chunks,
    pool_chunks,
    to_logits,
)
from judges.distilled.measuring.features import Features
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats
from judges.distilled.relevance import find_asked, score_sufficiency
from judges.distilled.rewriting import judge_rewrite

FOLDS: Final = 5
TREES: Final = Boost(rounds=150, leaves=12, rate=0.06, rows_a_leaf=20, ridge=5.0)
STRENGTH: Final = 0.1
"""Inverse of the ridge on standardised columns (scikit-learn's C)."""
BLENDED: Final = 0.5
"""Power of that worth where the head is blended with coverage, which is meant for all kinds of traffic."""
_LEAST_SPREAD: Final = 1e-6
UNKNOWN: Final = -1
NATURAL: Final = 20.0
"""What a question that people judged counts for beside a made one: made ones are easier, and many."""


@dataclass(slots=True)
class Questions:
    """Questions with their chunks. Chunks lie in the order of their questions."""

    vectors: Rows
    owner: Ints
    """The question of each chunk."""
    covered: Floats
    """One entry a question: the logit of what coverage alone says (see `relevance`)."""
    answers: Ints
    """1 where the chunk answers, 0 where it does not, `UNKNOWN` where nobody said."""
    answerable: Ints
    """One entry a question: 1, 0, or `UNKNOWN` (it teaches and examines nothing)."""
    worth: Floats
    """What a question counts for beside the others of its size of source."""
    language: npt.NDArray[np.str_]
    source: npt.NDArray[np.str_]
    group: npt.NDArray[np.str_]

    def take(self, kept: Bools) -> Questions:
        """Some of the questions (one flag each), with their chunks."""
        chunks = kept[self.owner]
        number = np.cumsum(kept) - 1
        return Questions(
            self.vectors[chunks], number[self.owner[chunks]], self.covered[kept],
            self.answers[chunks], self.answerable[kept], self.worth[kept], self.language[kept],
            self.source[kept], self.group[kept],
        )  # fmt: skip


@dataclass(slots=True)
class Fitted:
    """The heads by language, and what heads fitted on other groups say of each question (logits)."""

    heads: dict[str, SufficiencyHead]
    by_fold: list[dict[str, SufficiencyHead]]
    """Heads fitted without the groups of each fold (see `fold_of`)."""
    held_out: Floats
    chunks: Floats
    """The same of each chunk."""


def measure_questions(features: Features) -> tuple[Rows, Ints, Floats]:
    """The chunk vectors of one part of a batch, as serving measures them; the case of each chunk; and for
    each case the logit of what coverage alone says."""
    part = features.part
    asked = find_asked(part, [judge_rewrite(features, i) for i in range(len(part.cases))])
    groups = [part.group_of(i, part.layout.role[text]) for i, text in enumerate(asked.tolist())]
    covered = np.array([score_sufficiency(features, i, group) for i, group in enumerate(groups)])
    vectors, owner = chunk_vectors(part, asked)
    return vectors, owner, to_logits(covered)


def fit_sufficiency(questions: Questions, seed: int) -> Fitted:
    """One head a language, fitted on the questions of that language alone."""
    fitted = Fitted(
        heads={},
        by_fold=[{} for _ in range(FOLDS)],
        held_out=np.full(len(questions.answerable), -np.inf),
        chunks=np.zeros(len(questions.owner)),
    )
    for language in LANGUAGES:
        mine = questions.language == language
        if len(set(questions.answerable[mine].tolist()) - {UNKNOWN}) > 1:
            _fit_language(questions.take(mine), language, mine, mine[questions.owner], fitted, seed)
    return fitted


def _fit_language(
    questions: Questions, language: str, mine: Bools, my_chunks: Bools, into: Fitted, seed: int
) -> None:
    """`mine` and `my_chunks` say where these questions and their chunks lie among all."""
    fold = fold_of(questions.group, FOLDS, seed)
    logits = np.zeros(len(questions.owner))
    models = []
    for held in range(FOLDS):
        out = fold[questions.owner] == held
        models.append(_fit_chunks(questions, ~out, seed))
        logits[out] = judge_chunks(*models[-1], questions.vectors[out])
    pooled = pool_chunks(logits, questions.owner, len(fold))
    held_out, pools = np.zeros(len(fold)), []
    for held in range(FOLDS):
        out = fold == held
        pools.append(_fit_pool(pooled, questions, ~out, 1.0))
        held_out[out] = pooled[out] @ pools[-1][:-1] + pools[-1][-1]
    both = np.stack([held_out, questions.covered], axis=1)
    final = np.zeros(len(fold))
    for held, (linear, forest) in enumerate(models):
        out = fold == held
        blend = _fit_pool(both, questions, ~out, BLENDED)
        into.by_fold[held][language] = SufficiencyHead(linear, forest, pools[held], blend)
        final[out] = both[out] @ blend[:-1] + blend[-1]
    everything = np.ones(len(fold), dtype=bool)
    linear, forest = _fit_chunks(questions, everything[questions.owner], seed)
    pool, blend = (
        _fit_pool(columns, questions, everything, power)
        for columns, power in ((pooled, 1.0), (both, BLENDED))
    )
    into.heads[language] = SufficiencyHead(linear, forest, pool, blend)
    into.held_out[mine], into.chunks[my_chunks] = final, logits


def _fit_chunks(questions: Questions, chosen: Bools, seed: int) -> tuple[Floats, Forest]:
    """A linear model and trees on the labelled chunks among the chosen ones."""
    rows = np.flatnonzero(chosen & (questions.answers != UNKNOWN))
    labels = questions.answers[rows]
    weights = (
        balance(questions.source[questions.owner[rows]], labels) * questions.worth[questions.owner[rows]]
    )
    vectors = questions.vectors[rows]
    linear = fit_linear(vectors, labels, weights, STRENGTH)
    forest = fit_boost(vectors, labels.astype(np.float64), weights, np.zeros(len(rows)), TREES, seed)
    return linear, forest


def _fit_pool(pooled: Floats, questions: Questions, chosen: Bools, power: float) -> Floats:
    """Weights and intercept. `power` of a question's worth is what it counts for."""
    labels = questions.answerable[chosen]
    known = labels != UNKNOWN
    worth = questions.worth[chosen][known] ** power
    weights = balance(questions.source[chosen][known], labels[known]) * worth
    return fit_linear(pooled[chosen][known], labels[known], weights, strength=1.0)


def fit_linear(rows: Rows | Floats, labels: Ints, weights: Floats, strength: float) -> Floats:
    """Logistic regression on standardised columns, given back as weights of the raw ones and intercept."""
    rows = rows.astype(np.float64)
    mean = np.average(rows, axis=0, weights=weights)
    spread = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weights))
    spread[spread < _LEAST_SPREAD] = 1.0  # a column that never changes tells nothing
    model = LogisticRegression(C=strength, max_iter=1_000)
    model.fit((rows - mean) / spread, labels, sample_weight=weights / weights.mean())
    raw = model.coef_[0] / spread
    fitted: Floats = np.append(raw, model.intercept_[0] - float(raw @ mean))
    return fitted


def balance(sources: npt.NDArray[np.str_], labels: Ints) -> Floats:
    """Weights: sources count by the root of their size, and both labels of one count the same."""
    weights = np.zeros(len(labels))
    for source in np.unique(sources):
        mine = sources == source
        for label in np.unique(labels[mine]):
            chosen = mine & (labels == label)
            weights[chosen] = np.sqrt(mine.sum()) / chosen.sum()
    balanced: Floats = weights / weights.mean()
    return balanced


def fold_of(groups: npt.NDArray[np.str_], folds: int, seed: int) -> Ints:
    """A fold for each group, the same on every machine."""
    digests = [sha256(f"{seed} {group}".encode()).digest() for group in groups.tolist()]
    return np.array([int.from_bytes(d[:4], "big") % folds for d in digests], dtype=np.int64)


__all__ = [
    "FOLDS", "NATURAL", "UNKNOWN", "Fitted", "Questions", "balance", "fit_linear",
    "fit_sufficiency", "fold_of", "measure_questions",
]  # fmt: skip
