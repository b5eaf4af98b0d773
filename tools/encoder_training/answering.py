"""From labelled questions with their passages to the weights that read an embedding model's vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from judges.encoder.answering import AnswerHead, AnswerWeights, Vectors
from judges.encoder.combine import Blend
from judges.encoder.embedder import MOST_CHARS, Embed

Row = dict[str, Any]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FOLDS: Final = 5
STRENGTH: Final = 0.3
"""Inverse of the ridge on the columns below (scikit-learn's C)."""
ALIKE: Final = 10.0
APART: Final = 20.0
"""How freely all weights move together, as a cosine has them, and each on its own."""
LANGUAGES: Final = ("any", "en", "zh")


@dataclass(frozen=True, slots=True)
class Answered:
    """Questions with answers that their passages hold: does the answer, do the passages answer?"""

    questions: Vectors
    answers: Vectors
    answerable: Ints
    cheap: Floats
    """Logit of the cheap scorer, fitted without the question's group."""
    worth: Floats
    language: npt.NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Table:
    """Questions and their passages as vectors. Passages lie in the order of their questions."""

    questions: Vectors
    passages: Vectors
    owner: Ints
    """The question of each passage."""
    answers: Ints
    """1 where a passage answers, 0 where it does not, -1 where nobody said."""
    answerable: Ints
    cheap: Floats
    """Logit of the cheap scorer, fitted without the question's group."""
    source: npt.NDArray[np.str_]
    language: npt.NDArray[np.str_]
    fold: Ints


def embed_rows(
    rows: Sequence[Row], cheap: Sequence[float], embed: Embed, prefixes: tuple[str, str], seed: int
) -> Table:
    """Sources list the relevant passage first; the others of an answerable question may answer as well."""
    owner = [i for i, row in enumerate(rows) for _ in row["contexts"]]
    answers = [
        int(j == 0) or -int(j > 0) if row["answerable"] else 0
        for row in rows
        for j, _ in enumerate(row["contexts"])
    ]
    before_question, before_passage = prefixes
    texts = [before_passage + c[:MOST_CHARS] for row in rows for c in row["contexts"]]
    return Table(
        questions=embed([before_question + row["question"] for row in rows]),
        passages=embed(texts),
        owner=np.array(owner),
        answers=np.array(answers),
        answerable=np.array([int(row["answerable"]) for row in rows]),
        cheap=np.array(cheap),
        source=np.array([f"{row['source']} {row['lang']}" for row in rows]),
        language=np.array([row["lang"] for row in rows]),
        fold=fold_rows(rows, seed),
    )


def fold_rows(rows: Sequence[Row], seed: int) -> Ints:
    """A fold for each row; rows that share a group, a question or a passage are in one."""
    root = list(range(len(rows)))

    def find(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    seen: dict[str, int] = {}
    for i, row in enumerate(rows):
        for key in (row["group"], row["question"], *row["contexts"]):
            root[find(i)] = find(seen.setdefault(key, i))
    parts = {part: n for n, part in enumerate(sorted({find(i) for i in range(len(rows))}))}
    order = np.random.default_rng(seed).permutation(len(parts))
    return np.array([order[parts[find(i)]] % FOLDS for i in range(len(rows))])


def fit_head(
    table: Table, answered: Answered, version: str, prefixes: tuple[str, str]
) -> tuple[AnswerHead, dict[str, Floats]]:
    """The head, fitted on everything, and what heads that did not see a question say of it.

    These are logits: of the best passage by itself (`best`), and with the cheap scorer (`both`).
    """
    weights: dict[str, AnswerWeights] = {}
    said = {name: np.zeros(len(table.answerable)) for name in ("best", "both")}
    for language in LANGUAGES:
        mine = (table.language == language) | (language == "any")
        best = _held_out(table, mine)
        columns = np.stack([table.cheap, best], axis=1)
        both = np.zeros(len(best))
        for held in range(FOLDS):
            out = mine & (table.fold == held)
            bias, cheap, own = _fit_blend(columns, table, mine & ~out)
            both[out] = bias + columns[out] @ np.array([cheap, own])
        blend = Blend(*_fit_blend(columns, table, mine))
        cosine = _fit_weights(table, mine)
        weights[language] = AnswerWeights(*cosine, blend, _fit_answered(answered, *cosine, language))
        if language != "any":
            said["best"][mine], said["both"][mine] = best[mine], both[mine]
    facts = {"questions": dict(Counter(table.source.tolist()))}
    return AnswerHead(version, weights, *prefixes, facts), said


def _held_out(table: Table, mine: npt.NDArray[np.bool_]) -> Floats:
    best = np.zeros(len(table.answerable))
    for held in range(FOLDS):
        out = mine & (table.fold == held)
        weights, bias = _fit_weights(table, mine & ~out)
        vectors = table.questions[table.owner] * weights
        logits = np.einsum("ij,ij->i", vectors, table.passages) + bias
        highest = np.full(len(best), -np.inf)
        np.maximum.at(highest, table.owner, logits)
        best[out] = highest[out]
    return best


def _fit_weights(table: Table, chosen: npt.NDArray[np.bool_]) -> tuple[Vectors, float]:
    rows = np.flatnonzero(chosen[table.owner] & (table.answers >= 0))
    products = table.questions[table.owner[rows]] * table.passages[rows]
    columns = np.column_stack([ALIKE * products.sum(axis=1), APART * products])
    labels = table.answers[rows]
    model = LogisticRegression(C=STRENGTH, max_iter=1_000)
    model.fit(columns, labels, sample_weight=_balance(table.source[table.owner[rows]], labels))
    together, *apart = model.coef_[0]
    weights: Vectors = (ALIKE * together + APART * np.array(apart)).astype(np.float32)
    return weights, float(model.intercept_[0])


def _fit_blend(columns: Floats, table: Table, chosen: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
    labels = table.answerable[chosen]
    model = LogisticRegression(C=1.0, max_iter=1_000)
    model.fit(columns[chosen], labels, sample_weight=_balance(table.source[chosen], labels))
    cheap, best = model.coef_[0]
    return float(model.intercept_[0]), float(cheap), float(best)


def _fit_answered(answered: Answered, weights: Vectors, bias: float, language: str) -> Blend:
    """Both labels count alike, whatever the rows of each are worth together."""
    mine = (answered.language == language) | (language == "any")
    logits = np.einsum("ij,ij->i", answered.questions * weights, answered.answers) + bias
    columns = np.stack([answered.cheap, logits], axis=1)[mine]
    labels, worth = answered.answerable[mine], answered.worth[mine].copy()
    for label in (0, 1):
        worth[labels == label] *= len(labels) / 2 / worth[labels == label].sum()
    model = LogisticRegression(C=1.0, max_iter=1_000).fit(columns, labels, sample_weight=worth)
    cheap, own = model.coef_[0]
    return Blend(float(model.intercept_[0]), float(cheap), float(own))


def _balance(source: npt.NDArray[np.str_], labels: Ints) -> Floats:
    """Both labels of every source count alike."""
    parts = [f"{s} {label}" for s, label in zip(source, labels, strict=True)]
    sizes = Counter(parts)
    worth = np.array([1.0 / sizes[part] for part in parts])
    balanced: Floats = worth / worth.mean()
    return balanced
