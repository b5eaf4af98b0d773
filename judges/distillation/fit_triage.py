"""Fit the heads that judge a trace as a whole: do its chunks hold an answer, which stage failed first?

The failure traces are made from the rows (see `faults`). What the class forests look at comes from other
heads, so it is measured out of fold: by weights that never saw the source that a trace was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from judges.distillation.examine import Result
from judges.distillation.examine import judge as judge_chances
from judges.distillation.faults import Fault, make_faults
from judges.distillation.fit_sufficiency import (
    FOLDS,
    NATURAL,
    UNKNOWN,
    Fitted,
    Questions,
    fit_linear,
    fit_sufficiency,
    fold_of,
    measure_questions,
)
from judges.distillation.material import Row, read_answerability, read_faithfulness, read_rewrites
from judges.distillation.trees import Boost, fit_boost
from judges.distilled.assemble import Judgement, assemble_scores
from judges.distilled.heads.apply import is_classified, judge_context
from judges.distilled.heads.calibration import Calibration
from judges.distilled.heads.class_vectors import class_vectors
from judges.distilled.heads.classes import CLASSES
from judges.distilled.heads.classes import forest_name as class_forest
from judges.distilled.heads.forest import Forest, Rows, logistic
from judges.distilled.heads.sufficiency import forest_name as chunk_forest
from judges.distilled.measuring.batch import read_case, split_cases
from judges.distilled.measuring.features import Features, measure
from judges.distilled.measuring.tokens import Ints
from judges.distilled.measuring.units import Floats
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Chunk, Retrieval, Trace

EACH: Final = 450
"""Traces of each class and language."""
TREES: Final = Boost(rounds=200, leaves=5, rate=0.05, rows_a_leaf=30, ridge=10.0)
PRIOR: Final = {HEALTHY: 2.0, Failure.POOR_RETRIEVAL.value: 1.2}
"""How common a class is held to be beside the others: more than half of real traffic is healthy."""
MISSED: Final = {"found": 0.38, "cut": 0.28, "near": 0.2, "irrelevant": 0.14}
"""How much each kind of bad retrieval counts: what a retriever really found for a question without an answer
is rarer among the rows than what was drawn, and harder."""

Judge = Callable[[Features, Sequence[str]], Judgement]
"""Judges the claims of a part of a batch by weights that never saw the given groups (one a case)."""


@dataclass(slots=True)
class Stages:
    """What to put into a scorer's weights, and what it was made of."""

    forests: dict[str, Forest] = field(default_factory=dict)
    calibration: dict[str, dict[str, Calibration]] = field(default_factory=dict)
    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    """How many questions and traces of each source taught them."""
    metrics: dict[str, Result] = field(default_factory=dict)
    """What heads reach on groups that they did not learn from: natural questions, and made traces."""


@dataclass(slots=True)
class Stock:
    """The labelled rows to learn from. Those not marked `train_ok` are passed over."""

    answerability: Sequence[Row]
    faithfulness: Sequence[Row]
    rewrites: Sequence[Row]


def fit_stages(stock: Stock, judge: Judge, seed: int, each: int = EACH) -> Stages:
    """The heads `sufficiency_*` and `class_*`."""
    sources = [
        *read_answerability(stock.answerability),
        *read_faithfulness(stock.faithfulness),
        *read_rewrites(stock.rewrites),
    ]
    faults = make_faults(sources, each, seed)
    questions = join(list_questions(stock.answerability, seed), list_made(faults))
    fitted = fit_sufficiency(questions, seed)
    stages = Stages()
    for language, head in fitted.heads.items():
        stages.forests[chunk_forest(language)] = head.forest
        stages.arrays |= head.arrays(language)
    fit_classes(faults, fitted, judge, seed, stages)
    for source in np.unique(questions.source).tolist():
        stages.rows[source] = int((questions.source == source).sum())
    stages.metrics |= _examine_questions(questions, fitted)
    return stages


def _examine_questions(questions: Questions, fitted: Fitted) -> dict[str, Result]:
    """Of the questions that people judged: by source and language, and by language."""
    judged = questions.worth > 1.0
    chances = logistic(fitted.held_out)
    results = {}
    for language in np.unique(questions.language[judged]).tolist():
        spoken = judged & (questions.language == language)
        parts = {name: spoken & (questions.source == name) for name in np.unique(questions.source[spoken])}
        for name, mine in [*parts.items(), ("all", spoken)]:
            if 0 < questions.answerable[mine].sum() < mine.sum():
                found = judge_chances(chances[mine], questions.answerable[mine])
                results[f"answerable, {name} {language}"] = found
    return results


def list_questions(rows: Iterable[Row], seed: int) -> Questions:
    """Questions that people judged, their passages shuffled: the sources list the relevant ones first."""
    rows = [r for r in rows if r["train_ok"]]
    random = Random(seed)
    traces, answers = [], []
    for row in rows:
        numbered = [(i, c) for i, c in enumerate(row["contexts"]) if c.strip()]
        random.shuffle(numbered)
        chunks = [Chunk(text=c) for _, c in numbered]
        traces.append(
            Trace(
                trace_id=row["id"], question=row["question"], answer=None, retrieval=Retrieval(chunks=chunks)
            )
        )
        relevant = UNKNOWN if row["answerable"] else 0
        answers += [1 if row["answerable"] and i == 0 else relevant for i, _ in numbered]
    return _list(
        traces,
        answers,
        [int(bool(r["answerable"])) for r in rows],
        NATURAL,
        [(r["lang"], r["source"], r["group"]) for r in rows],
    )


def list_made(faults: Sequence[Fault]) -> Questions:
    """The questions of made traces. An unresolved follow-up asks for nothing that a chunk could answer."""
    answers, answerable = [], []
    for fault in faults:
        chunks = fault.trace.retrieval.chunks if fault.trace.retrieval else None
        unclear = fault.failure == Failure.REWRITE_FAILURE
        answerable.append(UNKNOWN if unclear else int(fault.holds_answer))
        for i in range(len(chunks or ())):
            unknown = unclear or i in fault.others
            answers.append(UNKNOWN if unknown else int(i == fault.answering))
    names = [(f.language, f"made from {f.source}", f.group) for f in faults]
    return _list([f.trace for f in faults], answers, answerable, 1.0, names)


def _list(
    traces: Sequence[Trace],
    answers: Sequence[int],
    answerable: Sequence[int],
    worth: float,
    names: Sequence[tuple[str, str, str]],
) -> Questions:
    vectors, owners, covered, done = [], [], [], 0
    for cases in split_cases([read_case(t) for t in traces]):
        measured, owner, logits = measure_questions(measure(cases))
        covered.append(logits)
        vectors.append(measured)
        owners.append(owner + done)
        done += len(cases)
    language, source, group = (np.array(column) for column in zip(*names, strict=True))
    return Questions(
        np.concatenate(vectors), np.concatenate(owners), np.concatenate(covered), np.array(answers),
        np.array(answerable), np.full(done, worth), language, source, group,
    )  # fmt: skip


def join(first: Questions, second: Questions) -> Questions:
    """Two sets of questions as one."""
    shift = len(first.answerable)
    return Questions(
        np.concatenate([first.vectors, second.vectors]),
        np.concatenate([first.owner, second.owner + shift]),
        np.concatenate([first.covered, second.covered]),
        np.concatenate([first.answers, second.answers]),
        np.concatenate([first.answerable, second.answerable]),
        np.concatenate([first.worth, second.worth]),
        np.concatenate([first.language, second.language]),
        np.concatenate([first.source, second.source]),
        np.concatenate([first.group, second.group]),
    )


def fit_classes(faults: Sequence[Fault], fitted: Fitted, judge: Judge, seed: int, into: Stages) -> None:
    """One forest for each of `CLASSES`, against the others, and a line (Platt) for each language."""
    fold = fold_of(np.array([f.group for f in faults]), FOLDS, seed)
    vectors, kept = measure_faults(faults, fold, fitted, judge)
    fold, faults = fold[kept], [f for f, keep in zip(faults, kept.tolist(), strict=True) if keep]
    truth = np.array([f.failure for f in faults])
    language = np.array([f.language for f in faults])
    weights = weigh_faults(faults)
    start = np.zeros(len(truth))
    for name in CLASSES:
        labels = (truth == name).astype(np.float64)
        held_out = np.zeros(len(truth))
        for held in range(FOLDS):
            out = fold == held
            model = fit_boost(vectors[~out], labels[~out], weights[~out], start[~out], TREES, seed)
            held_out[out] = model.score(vectors[out])
        into.forests[class_forest(name)] = fit_boost(vectors, labels, weights, start, TREES, seed)
        curves = into.calibration.setdefault(class_forest(name), {})
        for spoken in np.unique(language).tolist():
            mine = language == spoken
            curves[spoken] = _fit_line(held_out[mine], labels[mine], weights[mine])
            chances = logistic(curves[spoken].apply(held_out[mine]))
            result = judge_chances(chances, labels[mine].astype(np.int64))
            into.metrics[f"made traces, {name} {spoken}"] = result


def measure_faults(
    faults: Sequence[Fault], fold: Ints, fitted: Fitted, judge: Judge
) -> tuple[Rows, npt.NDArray[np.bool_]]:
    """Class vectors of those made traces that are measured at all (flags), each out of its fold."""
    kept = np.zeros(len(faults), dtype=bool)
    vectors: list[tuple[int, Rows]] = []
    for held in range(FOLDS):
        mine = np.flatnonzero(fold == held).tolist()
        at = 0
        for cases in split_cases([read_case(faults[i].trace) for i in mine]):
            rows = mine[at : at + len(cases)]
            at += len(cases)
            features = measure(cases)
            judgement = judge(features, [faults[i].group for i in rows])
            scores = assemble_scores(features, judgement, "")
            context = judge_context(features.part, scores, fitted.by_fold[held])
            table = class_vectors(features, scores, judgement.support, context)
            for place, row in enumerate(rows):
                kept[row] = is_classified(scores[place])
                vectors.append((row, table[place]))
    ordered = [vector for row, vector in sorted(vectors, key=lambda pair: pair[0]) if kept[row]]
    return np.stack(ordered), kept


def weigh_faults(faults: Sequence[Fault]) -> Floats:
    """Weights: sources count by the root of their size, kinds of bad retrieval and classes as set above."""
    weights = np.zeros(len(faults))
    truth = np.array([f.failure for f in faults])
    language = np.array([f.language for f in faults])
    source = np.array([f.source for f in faults])
    kind = np.array([_kind_of(f) for f in faults])
    for name in CLASSES:
        for spoken in np.unique(language):
            mine = (truth == name) & (language == spoken)
            for one in np.unique(source[mine]):
                rows = mine & (source == one)
                weights[rows] = 1.0 / np.sqrt(rows.sum())
            for missed, share in MISSED.items() if name == Failure.POOR_RETRIEVAL else ():
                rows = mine & (kind == missed)
                weights[rows] *= share / max(weights[rows].sum(), 1e-9)
            weights[mine] *= PRIOR.get(name, 1.0) / max(weights[mine].sum(), 1e-9)
    scaled: Floats = weights / weights.mean()
    return scaled


def _kind_of(fault: Fault) -> str:
    """The kind of failure; `found` for what was really retrieved for a question without an answer."""
    return "found" if fault.found else fault.kind


def _fit_line(logits: Floats, labels: Floats, weights: Floats) -> Calibration:
    slope, intercept = fit_linear(logits[:, None], labels.astype(np.int64), weights, strength=1.0).tolist()
    return Calibration.line(max(slope, 1e-3), intercept)
