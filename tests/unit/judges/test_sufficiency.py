"""Whether chunks hold an answer: what is measured of each chunk, and what is made of all of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from judges.distilled.heads.chunk_vectors import CHUNK_FEATURES, chunk_vectors
from judges.distilled.heads.forest import Rows
from judges.distilled.heads.sufficiency import POOLED, SufficiencyHead, pool_chunks, to_logits
from judges.distilled.measuring.batch import read_case
from judges.distilled.measuring.part import read_part
from judges.distilled.relevance import find_asked, find_rewritten
from judges.distilled.rewriting import RESOLVED, STANDALONE
from schemas.trace import Trace
from tests.unit.judges.student import make_stump
from tests.unit.judges.traces import make_trace


def measure(*traces: Trace) -> tuple[Rows, np.ndarray]:
    part = read_part([read_case(t) for t in traces])
    return chunk_vectors(part, find_asked(part, [STANDALONE] * len(traces)))


def ask(question: str, *chunks: str) -> dict[str, np.ndarray]:
    """Every column, one entry a chunk."""
    vectors, _ = measure(make_trace(question=question, chunks=chunks))
    return {name: vectors[:, i] for i, name in enumerate(CHUNK_FEATURES)}


def test_a_chunk_that_says_the_question_is_covered_and_another_is_not() -> None:
    found = ask(
        "How tall is the Aurora lamp?", "The Aurora lamp is 30 cm tall.", "Parking is free on Sundays."
    )
    assert found["cover"].tolist() == [1.0, 0.0]
    assert found["bm25"][0] > 0 == found["bm25"][1]
    assert found["cover_below_best"].tolist() == [0.0, -1.0]
    assert found["missing"][0] == 0 < found["missing"][1]
    assert found["numbers_around"].tolist() == [1.0, 0.0]


def test_words_far_apart_are_held_but_not_near() -> None:
    far = "The Aurora lamp came out in May. " + "It rained all day in the old town. " * 12 + "It is so tall."
    found = ask("How tall is the Aurora lamp?", far)
    assert found["cover"][0] == 1.0 > found["near64"][0]
    assert found["near16"][0] <= found["near32"][0] <= found["near64"][0]


@pytest.mark.parametrize(
    ("question", "chunk"),
    [
        ("Who founded Acme?", "Acme: It was founded by Jane Roe in 1970."),
        ("星河公司的创始人是谁？", "星河公司: 由李明于1970年创立。"),
    ],
)
def test_a_title_that_the_question_names_is_seen(question: str, chunk: str) -> None:
    found = ask(question, chunk, chunk.split(": ")[1])
    assert found["title"][0] > 0 == found["title"][1]
    assert found["title_share"][0] == 1.0
    assert found["years_around"][0] == 1.0
    assert found["asks_person"].tolist() == [1.0, 1.0]


def test_the_order_of_chunks_changes_nothing() -> None:
    chunks = ["The lamp is tall.", "Lamps: tall ones cost 30 euros.", "Nothing of the kind.", "How tall!"]
    whole, _ = measure(make_trace(question="How tall is the lamp?", chunks=chunks))
    order = [2, 0, 3, 1]
    other, _ = measure(make_trace(question="How tall is the lamp?", chunks=[chunks[i] for i in order]))
    np.testing.assert_allclose(other, whole[order], rtol=1e-5)


def test_a_batch_measures_as_its_traces_do_alone() -> None:
    traces = [
        make_trace(question="How tall is the lamp?", chunks=["It is tall.", "A lamp."]),
        make_trace(question="", chunks=["Nobody asked."]),
        make_trace(question="门票多少钱？", chunks=["门票每张30元。", "周日免费停车。"]),
        make_trace(chunks=[]),
    ]
    together, owner = measure(*traces)
    assert owner.tolist() == [0, 0, 1, 2, 2]
    np.testing.assert_allclose(together, np.concatenate([measure(t)[0] for t in traces]), rtol=1e-5)


def test_hostile_texts_give_finite_numbers() -> None:
    draw = random.Random(3)
    letters = "a一b二 .:\n3？。‰\u200bẞ\ud83d"
    texts = ["".join(draw.choices(letters, k=draw.randint(0, 300))) for _ in range(60)]
    texts += ["word " * 5_000, "字" * 5_000, ": : :", "1 " * 200]
    for question in ["", "?", "word " * 200, "字二？" * 100, texts[0]]:
        vectors, owner = measure(make_trace(question=question, chunks=texts))
        assert np.isfinite(vectors).all()
        assert len(vectors) == len(owner)


def test_what_is_asked_is_the_rewrite_once_it_resolved_something() -> None:
    part = read_part([read_case(make_trace(question="那价格呢？", rewritten_query="门票价格是多少？"))] * 2)
    texts = part.layout.texts
    assert [texts[i] for i in find_asked(part, [RESOLVED, STANDALONE])] == ["门票价格是多少？", "那价格呢？"]
    assert [texts[i] for i in find_rewritten(part)] == ["门票价格是多少？"] * 2


def test_chunks_are_pooled_by_case() -> None:
    pooled = pool_chunks(np.array([1.0, 4.0, 2.0, 3.0, -1.0]), np.array([0, 0, 0, 0, 2]), 3)
    columns = dict(zip(POOLED, pooled.T.tolist(), strict=True))
    assert columns["best"] == [4.0, 0.0, -1.0]
    assert columns["best_three"] == [3.0, 0.0, -1.0]
    assert columns["mean"] == [2.5, 0.0, -1.0]


def make_head(columns: int = len(CHUNK_FEATURES)) -> SufficiencyHead:
    linear = np.zeros(columns + 1)
    linear[CHUNK_FEATURES.index("cover")] = 4.0
    return SufficiencyHead(linear, make_stump(), np.array([1.0, 0, 0, 0, -1.0]), np.array([1.0, 0.5, 0.0]))


def test_a_head_comes_back_from_its_arrays_and_no_other_does() -> None:
    head = make_head()
    again = SufficiencyHead.restore(head.arrays("en"), head.forest, "en")
    vectors = np.random.default_rng(0).random((5, len(CHUNK_FEATURES))).astype(np.float32)
    assert (again.judge_chunks(vectors) == head.judge_chunks(vectors)).all()
    with pytest.raises(KeyError):
        SufficiencyHead.restore(head.arrays("en"), head.forest, "zh")
    with pytest.raises(ValueError, match="other columns"):
        SufficiencyHead.restore(make_head(columns=90).arrays("en"), head.forest, "en")


def test_a_trace_without_chunks_is_not_judged() -> None:
    judged = make_head().judge_traces(np.array([2.0]), np.array([1]), 2)
    assert judged[0] == -np.inf
    assert np.isfinite(judged[1])


def test_coverage_alone_moves_the_blend() -> None:
    low, high = make_head().blend_traces(np.zeros(2), to_logits(np.array([0.0, 1.0])))
    assert low < 0 < high
