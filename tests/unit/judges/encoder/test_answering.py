"""What vectors say of whether a passage answers: a weighted cosine, blended with the cheap scorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judges.encoder.answering import (
    FILE,
    AnswerHead,
    AnswerWeights,
    Vectors,
    combine,
    read_head,
    reweigh,
    write_head,
)
from judges.encoder.combine import Blend, EncoderUnusable
from judges.encoder.embedder import MOST_CHUNKS, AnswerReader
from schemas.scored import Judged
from tests.unit.judges.encoder.judged import judged

BLEND = Blend(bias=0.0, cheap=1.0, encoder=1.0)
ANSWERED = Blend(bias=0.0, cheap=1.0, encoder=1.5)


BLENDS = {"blend": [0, 1, 1], "answered": [0, 1, 1]}


def vectors(*rows: list[float]) -> Vectors:
    return np.array(rows, dtype=np.float32)


def head(*weights: float, bias: float = 0.0) -> AnswerHead:
    return AnswerHead(
        "test-1", {"any": AnswerWeights(vectors([*weights])[0], bias, BLEND, ANSWERED)}, "q: ", "p: "
    )


def test_with_weights_alike_it_is_the_cosine() -> None:
    weights = head(1.0, 1.0).of("en")
    logits = weights.logits(vectors([0.6, 0.8])[0], vectors([1.0, 0.0], [0.6, 0.8]))
    assert logits.tolist() == pytest.approx([0.6, 1.0])


def test_a_dimension_of_no_weight_says_nothing() -> None:
    weights = head(10.0, 0.0, bias=-1.0).of("zh")
    logits = weights.logits(vectors([0.6, 0.8])[0], vectors([0.6, 0.8], [0.6, -0.8]))
    assert logits.tolist() == pytest.approx([2.6, 2.6])


def test_best_passage_and_cheap_scorer_speak_together() -> None:
    assert combine(BLEND, 2.0, 0.5) == pytest.approx(1 / (1 + np.exp(-2.0)))
    assert combine(ANSWERED, 2.0, 0.5) == pytest.approx(1 / (1 + np.exp(-3.0)))
    assert combine(BLEND, 2.0, 0.1) < combine(BLEND, 2.0, 0.5) < combine(BLEND, 2.0, 0.9)
    assert combine(BLEND, 2.0, None) == pytest.approx(1 / (1 + np.exp(-2.0)))
    assert 0.0 < combine(BLEND, -50.0, 0.0) < combine(BLEND, 50.0, 1.0) < 1.0


def test_odds_of_classes_move_by_as_much_as_those_of_sufficiency() -> None:
    before = {"rewrite_failure": 0.1, "poor_retrieval": 0.2, "over_refusal": 0.3, "healthy": 0.4}
    after = reweigh(before, 0.5, 0.2)  # the odds that the answer is lacking are four times what they were
    assert sum(after.values()) == pytest.approx(1.0)
    assert after["poor_retrieval"] / after["healthy"] == pytest.approx(4 * 0.2 / 0.4)
    assert after["rewrite_failure"] / after["poor_retrieval"] == pytest.approx(0.5)
    assert after["over_refusal"] / after["healthy"] == pytest.approx(0.75)
    assert reweigh(before, 0.3, 0.3) == pytest.approx(before)
    assert all(0.0 <= p <= 1.0 for p in reweigh(before, 0.0, 1.0).values())


def test_a_head_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_head(tmp_path, head(0.25, -3.0, bias=1.5))
    again = read_head(tmp_path)
    assert (again.version, again.question_prefix, again.passage_prefix) == ("test-1", "q: ", "p: ")
    assert again.of("en").weights.tolist() == [0.25, -3.0]
    assert (again.of("en").bias, again.of("en").blend, again.of("en").answered) == (1.5, BLEND, ANSWERED)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_model_with_nothing_beside_it_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EncoderUnusable, match=r"build_embedder\.py.*fit_answering\.py"):
        read_head(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        {"by_language": {}},
        {"by_language": {"en": {"weights": [1.0], "bias": 0.0, **BLENDS}}},
        {"by_language": {"any": {"weights": ["x"], "bias": 0.0, **BLENDS}}},
        {"by_language": {"any": {"weights": [float("nan")], "bias": 0.0, **BLENDS}}},
        {"by_language": {"any": {"weights": [1.0], "bias": None, **BLENDS}}},
        {"by_language": {"any": {"weights": [1.0], "bias": 0.0, **BLENDS, "answered": [0, 1]}}},
        {
            "by_language": {
                "any": {"weights": [1.0], "bias": 0.0, **BLENDS},
                "zh": {"weights": [1.0, 2.0], "bias": 0.0, **BLENDS},
            }
        },
        {"version": None, "by_language": 3},
    ],
)
def test_a_damaged_head_is_refused(tmp_path: Path, damage: dict[str, Any]) -> None:
    write_head(tmp_path, head(1.0))
    whole = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps({**whole, **damage}))
    with pytest.raises(EncoderUnusable, match="malformed"):
        read_head(tmp_path)


@pytest.mark.parametrize(("text", "match"), [("{", "malformed"), ('{"format": 9}', "format 9, not 1")])
def test_what_is_no_head_at_all_is_refused(tmp_path: Path, text: str, match: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(EncoderUnusable, match=match):
        read_head(tmp_path)


class Letters:
    """Embeds a text by how often it says `a` and `b`, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: list[str]) -> Vectors:
        self.asked += texts
        counted = vectors(*([float(t.count("a")) + 1e-3, float(t.count("b")) + 1e-3] for t in texts))
        scaled: Vectors = counted / np.linalg.norm(counted, axis=1, keepdims=True)
        return scaled


def reader(embed: Letters, remembered: int = 100) -> AnswerReader:
    return AnswerReader(embed, head(8.0, 8.0, bias=-4.0), remembered)


def declined(*chunks: str) -> Judged:
    """A trace of these chunks whose answer says nothing of them."""
    found = judged("t", None, chunks=chunks)
    found.scores.refusal = True
    return found


def look(found: AnswerReader, seen: Judged) -> float:
    """What is said of a trace whose question is about `a`."""
    sufficiency = found.sufficiency(seen, "a?", "en")
    assert sufficiency is not None
    return sufficiency


def test_the_best_chunk_speaks_for_the_trace() -> None:
    found = reader(Letters())
    assert look(found, declined("bbb", "bb")) < 0.1 < 0.9 < look(found, declined("bbb", "aaa"))


def test_an_answer_that_the_chunks_hold_speaks_for_them() -> None:
    found = reader(Letters())
    off = judged("t", 0.1, answer="bbb", chunks=["aaa", "bbb"])
    assert look(found, off) < 0.1  # what was found in the chunks does not answer
    assert look(found, judged("t", 0.1, answer="aaa", chunks=["bbb"])) > 0.9


@pytest.mark.parametrize(("hallucination", "answer"), [(0.9, "bbb"), (None, "bbb"), (0.1, " "), (0.1, None)])
def test_an_answer_that_the_chunks_do_not_hold_says_nothing_of_them(
    hallucination: float | None, answer: str | None
) -> None:
    seen = judged("t", hallucination, answer="", chunks=["aaa"])
    seen.trace.answer = answer
    assert look(reader(Letters()), seen) > 0.9


def test_texts_are_embedded_behind_the_prefixes_that_the_model_knows() -> None:
    embed = Letters()
    look(reader(embed), declined("aaa"))
    assert embed.asked == ["q: a?", "p: aaa"]


def test_a_chunk_that_was_embedded_before_is_not_embedded_again() -> None:
    embed = Letters()
    found = reader(embed)
    assert look(found, declined("aaa", "bbb", "aaa")) == look(found, declined("bbb", "aaa"))
    assert sorted(t for t in embed.asked if t.startswith("p")) == ["p: aaa", "p: bbb"]


def test_only_so_many_chunks_are_remembered() -> None:
    embed = Letters()
    found = reader(embed, remembered=2)
    for text in ("aa", "ab", "bb", "aa"):
        look(found, declined(text))
    assert embed.asked.count("p: aa") == 2
    assert look(found, declined(*("a" * n for n in range(1, 6)))) > 0.9


def test_long_and_many_chunks_are_read_up_to_a_bound() -> None:
    embed = Letters()
    look(reader(embed), declined("a" * 100_000, *(f"b{n}" for n in range(200))))
    assert len(embed.asked) == 1 + MOST_CHUNKS
    assert max(map(len, embed.asked)) < 2_000


@pytest.mark.parametrize(
    ("question", "chunks"), [("", ["a"]), ("  ", ["a"]), ("a?", []), ("a?", ["", " \n"])]
)
def test_without_question_or_text_nothing_is_measured(question: str, chunks: list[str]) -> None:
    assert reader(Letters()).sufficiency(judged("t", chunks=chunks), question, "en") is None
