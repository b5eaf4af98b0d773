"""Measures as compiled, held to their slow definitions, on cases made to be awkward."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from judges.distilled.measuring import codepoints as cp
from judges.distilled.measuring import shape
from judges.distilled.measuring.batch import Case
from judges.distilled.measuring.features import Features, measure
from judges.distilled.measuring.overlap import in_trace, occurs
from judges.distilled.measuring.shape import find_suspects
from judges.distilled.measuring.tokens import tokenize
from judges.distilled.measuring.units import is_unseen
from judges.distilled.reading.claims import Span
from judges.distilled.reading.refusal import NONE
from schemas.trace import Trace
from tests.support.awkward import make_text
from tests.support.reference_measures import Reference
from tests.support.reference_tokens import read_tokens

COVERAGE = ("total", "any", "chunk", "pair", "window", "clause", "best_window", "best_clause")


def make_case(rng: random.Random) -> Case:
    chunks = [make_text(rng, 60) for _ in range(rng.randrange(4))]
    answer = make_text(rng, 20)
    for chunk in rng.sample(chunks, min(2, len(chunks))):
        at = rng.randrange(len(chunk) + 1)
        copied = chunk[at : at + rng.randrange(60)].replace("30 days", "45 days").replace("60天", "90天")
        answer += rng.choice(["", ". ", "1. "]) + copied + make_text(rng, 6)
    cuts = sorted({0, len(answer), *(rng.randrange(len(answer) + 1) for _ in range(3))})
    claims = [Span(a, b) for a, b in pairwise(cuts) if rng.random() < 0.85]
    return Case(
        trace=Trace(trace_id="t", question=None, answer=None),
        language=rng.choice(["zh", "en"]),
        question=make_text(rng, 12),
        rewrite=make_text(rng, 12),
        history=make_text(rng, 12),
        answer=answer,
        chunks=chunks,
        chunk_index=list(range(len(chunks))),
        claims=claims,
        citations=[],
        refusal=NONE,
        truncated=False,
        unread=False,
        from_prompt=False,
    )


def keys_of(features: Features) -> list[tuple[int, int]]:
    """The groups of a part in their order, as the reference names them."""
    cases = features.part.cases
    claims = [(i, k) for i, case in enumerate(cases) for k in range(len(case.claims))]
    return claims + [(i, which) for i in range(len(cases)) for which in (-3, -2, -1)]


@pytest.mark.parametrize("seed", range(40))
def test_compiled_measures_are_those_of_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    cases = [make_case(rng) for _ in range(3)]
    features, reference = measure(cases), Reference(cases)
    keys = keys_of(features)
    found = [reference.cover(key) for key in keys]
    for name in COVERAGE:
        expected = [getattr(f, name) for f in found]
        np.testing.assert_allclose(getattr(features.cover, name), expected, atol=1e-9, err_msg=name)
    claims = [reference.measure_claim(key) for key in keys if key[1] >= 0]
    for name in claims[0] if claims else ():
        expected = [c[name] for c in claims]
        np.testing.assert_allclose(features.claims[name], expected, atol=1e-9, err_msg=name)
    supporting = {f.best_window for f, key in zip(found, keys, strict=True) if key[1] >= 0} - {-1}
    traces = [reference.measure_trace(i, supporting) for i in range(len(cases))]
    for name in traces[0]:
        expected = [t[name] for t in traces]
        np.testing.assert_allclose(features.traces[name], expected, atol=1e-9, err_msg=name)


def test_a_key_occurs_only_in_its_own_trace() -> None:
    rng = random.Random(2)
    for size in (0, 1, 5, 300):
        keys = np.array([rng.randrange(40) for _ in range(size)], dtype=np.uint64)
        traces = np.array([rng.randrange(3) for _ in range(size)], dtype=np.int64)
        sought = np.array([rng.randrange(40) for _ in range(50)], dtype=np.uint64)
        owner = np.array([rng.randrange(3) for _ in range(50)], dtype=np.int64)
        there = set(zip(keys.tolist(), traces.tolist(), strict=True))
        expected = [pair in there for pair in zip(sought.tolist(), owner.tolist(), strict=True)]
        assert occurs(keys, traces, in_trace(sought, owner)).tolist() == expected


def is_suspect(text: str) -> bool:
    """Whether the characters of a text are odd enough to be looked at, counted one by one."""
    whole = text + "\0"
    kinds = Counter(int(shape._KINDS[min(ord(c), cp.SIZE - 1)]) for c in whole)
    letters = kinds[shape._WORD] + kinds[shape._ACCENTED] + kinds[shape._GBK]
    visible = len(whole) - kinds[shape._SPACE]
    tokens = read_tokens([text])
    han = [t.word for t in tokens if t.kind == cp.HAN]
    rare = is_unseen(np.array(han, dtype=np.uint64)).sum()
    inside = {i for t in tokens for i in range(t.start, t.end)}
    breaks = [i for i, c in enumerate(whole) if c == "\n" and {i - 1, i + 1} <= inside]
    long = [t for t in tokens if t.kind == cp.LETTER and t.end - t.start >= 18]
    return bool(
        kinds[shape._ODD]
        or kinds[shape._MARKUP] * 12 > visible
        or kinds[shape._ACCENTED] * 8 > visible
        or kinds[shape._GBK] * 25 > visible
        or kinds[shape._DOTS] * 8 > visible
        or letters * 2 < visible
        or kinds[shape._SIGN] * 5 > visible
        or rare * 5 > max(len(han), 8)
        or len(breaks) >= 4
        or len(long) >= 2
    )


def test_odd_texts_are_those_of_the_definition() -> None:
    rng = random.Random(9)
    letters = [
        "word ",
        "词",
        "é",
        "ÃÂ",
        "鈥",
        "|",
        "<",
        "\n",
        "a",
        ".",
        "…",
        "\x01",
        "+",
        "unusuallylongwords ",
        "□",
    ]
    texts = [
        "".join(rng.choices(letters, weights=[rng.random() ** 3 for _ in letters], k=rng.randrange(60)))
        for _ in range(600)
    ]
    found = [is_suspect(text) for text in texts]
    assert find_suspects(tokenize(texts)).tolist() == found
    assert 100 < sum(found) < 580


def test_the_awkward_cases_have_something_to_measure() -> None:
    rng = random.Random(1)
    features = measure([make_case(rng) for _ in range(60)])
    rare = ("numbers_echoed", "numbers_far", "numbers_contradicted", "opposites", "denied", "affirmed")
    for name in (*rare, "names_unknown", "slot_breaks", "clause_negations", "longest_gap"):
        assert features.claims[name].sum() > 0, name
    assert features.traces["rewrite_new_names"].sum() > 0
