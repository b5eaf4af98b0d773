"""Nothing beside the texts may give a class away: simple surface statistics are alike for all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from functools import cache
from itertools import combinations
from random import Random

import pytest

from judges.corruption.traces import Made, make_trace
from judges.corruption.traces.make import WRITERS
from schemas.taxonomy import Failure
from schemas.trace import Trace
from tests.unit.corruption.library import LANGUAGES, load_materials

ROUNDS = 14
MAX_DISTANCE = 0.17
"""Total variation between two classes: about four standard errors of two samples of this size."""
MAX_SKEW = 0.1
"""How far from 0.5 the chance may lie that a value of one class exceeds one of another (AUROC)."""

ALL = frozenset(WRITERS)
RETRIEVED = ALL - {Failure.EMPTY_RECALL}
"""Classes that have chunks (a retrieval error apart)."""
NOT_REWRITTEN = ALL - {Failure.REWRITE_FAILURE}


@cache
def population() -> dict[Failure | None, list[Made]]:
    """Traces of every class from all materials, kinds drawn at random.

    Without the two kinds that are about the chunks there are: none after an error, and broken-off ones.
    """
    made: dict[Failure | None, list[Made]] = {failure: [] for failure in WRITERS}
    for failure in WRITERS:
        for seed in range(ROUNDS):
            for language in LANGUAGES:
                for index, (material, pool) in enumerate(load_materials(language)):
                    one = make_trace(material, pool, failure, Random(f"{seed}/{index}/{language}/{failure}"))
                    if one is not None and one.truth.kind not in ("retrieval_error", "cut"):
                        made[failure].append(one)
    return made


def chunks_of(trace: Trace) -> list[str]:
    retrieval = trace.retrieval
    return [c.text or "" for c in (retrieval.chunks if retrieval else None) or ()]


def scale_of(trace: Trace) -> str:
    scores = [
        c.score for c in (trace.retrieval.chunks if trace.retrieval else None) or () if c.score is not None
    ]
    if not scores:
        return "none"
    return "cosine" if 0.2 < max(scores) <= 1 else "wide"


def has_history(trace: Trace) -> Hashable:
    return bool(trace.history)


def has_rewrite(trace: Trace) -> Hashable:
    return trace.rewritten_query is not None


def has_bar(trace: Trace) -> Hashable:
    return trace.retrieval is not None and trace.retrieval.min_score is not None


def is_ranked(trace: Trace) -> Hashable:
    found = trace.retrieval.chunks if trace.retrieval else None
    return bool(found and found[0].rank is not None and found[0].rerank_score is not None)


def rating(trace: Trace) -> Hashable:
    return trace.feedback.rating if trace.feedback else None


CATEGORIES: dict[str, tuple[Callable[[Trace], Hashable], frozenset[Failure | None]]] = {
    "chunk count": (lambda t: len(chunks_of(t)), RETRIEVED),
    "score scale": (scale_of, RETRIEVED),
    "ranks": (is_ranked, RETRIEVED),
    "history": (has_history, NOT_REWRITTEN),
    "rewrite": (has_rewrite, NOT_REWRITTEN),
    "least score": (has_bar, RETRIEVED),
    "feedback": (rating, ALL),
    "app": (lambda t: t.app, ALL),
    "tenant": (lambda t: t.tenant, ALL),
    "model": (lambda t: t.generation.model if t.generation else None, ALL),
    "intent": (lambda t: t.intent, ALL),
    "language field": (lambda t: t.language is None, ALL),
}
MEASURES: dict[str, tuple[Callable[[Trace], float], frozenset[Failure | None]]] = {
    "retrieval latency": (lambda t: t.retrieval.latency_ms or 0 if t.retrieval else 0, ALL),
    "generation latency": (lambda t: t.generation.latency_ms or 0 if t.generation else 0, ALL),
    "timestamp": (lambda t: t.timestamp.timestamp() if t.timestamp else 0, ALL),
    "question length": (lambda t: len(t.question or ""), NOT_REWRITTEN),
    "chunk length": (
        lambda t: sum(map(len, chunks_of(t))) / max(1, len(chunks_of(t))),
        RETRIEVED - {Failure.SYSTEM_ERROR, Failure.REWRITE_FAILURE},
    ),
}


def distance(left: Counter[Hashable], right: Counter[Hashable]) -> float:
    """Total variation between two samples."""
    total, other = left.total(), right.total()
    return sum(abs(left[k] / total - right[k] / other) for k in left | right) / 2


def skew(left: list[float], right: list[float]) -> float:
    """How far the chance that a value of `left` exceeds one of `right` lies from one half."""
    ordered = sorted([(v, 0) for v in left] + [(v, 1) for v in right])
    ranks: dict[float, list[int]] = {}
    for rank, (value, _) in enumerate(ordered):
        ranks.setdefault(value, []).append(rank)
    mean = {value: sum(found) / len(found) for value, found in ranks.items()}
    wins = sum(mean[v] for v in left) - len(left) * (len(left) - 1) / 2
    return abs(wins / (len(left) * len(right)) - 0.5)


def test_the_populations_are_large_enough_to_tell() -> None:
    assert min(len(made) for made in population().values()) >= 150


@pytest.mark.parametrize("name", CATEGORIES)
def test_a_category_is_drawn_alike_for_all_classes(name: str) -> None:
    read, classes = CATEGORIES[name]
    counts = {f: Counter(read(made.trace) for made in population()[f]) for f in WRITERS if f in classes}
    distances = {(a, b): distance(counts[a], counts[b]) for a, b in combinations(counts, 2)}
    assert max(distances.values()) < MAX_DISTANCE, distances
    assert all(len(count) > 1 for count in counts.values())


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_drawn_alike_for_all_classes(name: str) -> None:
    read, classes = MEASURES[name]
    values = {f: [float(read(made.trace)) for made in population()[f]] for f in WRITERS if f in classes}
    skews = {(a, b): skew(values[a], values[b]) for a, b in combinations(values, 2)}
    assert max(skews.values()) < MAX_SKEW, skews


def test_the_best_score_says_nothing_of_the_class() -> None:
    def best(trace: Trace) -> float:
        found = trace.retrieval.chunks if trace.retrieval else None
        return max((c.score for c in found or () if c.score is not None), default=math.nan)

    values = {f: [v for made in population()[f] if not math.isnan(v := best(made.trace))] for f in WRITERS}
    values = {f: v for f, v in values.items() if v}
    assert max(skew(a, b) for a, b in combinations(values.values(), 2)) < MAX_SKEW


def test_a_statistic_that_does_tell_classes_apart_would_be_caught() -> None:
    counts: list[Counter[Hashable]] = [
        Counter(made.truth.refusal for made in population()[failure])
        for failure in (Failure.OVER_REFUSAL, Failure.HALLUCINATION)
    ]
    assert distance(*counts) > MAX_DISTANCE
    assert skew([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]) == pytest.approx(0.5)
