"""Whether the cited chunks say what the text that cites them says."""

from __future__ import annotations

import pytest

from judges.distilled.measuring.batch import read_case
from judges.distilled.measuring.cited import citation_precision
from judges.distilled.measuring.part import read_part
from schemas.trace import Chunk, Retrieval, Trace

CHUNKS = [
    "The Fjell tent weighs 2.1 kg and costs 349 euros.",
    "Shipping to Norway takes eight working days.",
    "酱牛肉小火炖两小时，在汤中浸泡一夜。",
    "切片时应垂直于肌肉纹理，厚约三毫米。",
]


def precision(answer: str, chunks: list[str | None] | None = None) -> float:
    texts = CHUNKS if chunks is None else chunks
    retrieval = Retrieval(chunks=[Chunk(id=str(i), text=t) for i, t in enumerate(texts)])
    other = read_case(Trace(trace_id="o", question="q", answer="Another [1].", retrieval=retrieval))
    case = read_case(Trace(trace_id="t", question="q", answer=answer, retrieval=retrieval))
    return citation_precision(read_part([other, case]), 1)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The Fjell tent weighs 2.1 kg [1].", 1),
        ("The Fjell tent weighs 2.1 kg [2].", 0),
        ("The Fjell tent weighs 2.1 kg [9].", 0),
        ("The Fjell tent weighs 2.1 kg [0].", 0),
        ("The Fjell tent weighs 2.1 kg [999999999999].", 0),
        ("The Fjell tent weighs 2.1 kg [1, 999999999999].", 0.5),
        ("The Fjell tent weighs 2.1 kg [1]. Shipping to Norway takes eight working days [2].", 1),
        ("The Fjell tent weighs 2.1 kg [2]. Shipping to Norway takes eight working days [1].", 0),
        ("The Fjell tent weighs 2.1 kg [1][2].", 0.5),
        ("The tent weighs 2.1 kg [1], and shipping to Norway takes eight working days [2].", 1),
        ("酱牛肉小火炖两小时【3】，切片时垂直于肌肉纹理【4】。", 1),
        ("酱牛肉小火炖两小时【4】，切片时垂直于肌肉纹理【3】。", 0),
        ("[1] The Fjell tent weighs 2.1 kg.", 1),
    ],
)
def test_each_mark_is_held_to_what_it_closes(answer: str, expected: float) -> None:
    assert precision(answer) == expected


def test_chunks_cited_together_may_each_hold_a_part() -> None:
    answer = "The Fjell tent weighs 2.1 kg and ships to Norway within eight working days [1, 2]."
    assert precision(answer) == 1
    assert precision(answer.replace("[1, 2]", "[1, 4]")) < 1


def test_a_mark_keeps_its_number_where_chunks_have_no_text() -> None:
    assert precision("The Fjell tent weighs 2.1 kg [2].", [None, CHUNKS[0]]) == 1
    assert precision("The Fjell tent weighs 2.1 kg [1].", [None, CHUNKS[0]]) == 0


def test_a_mark_without_a_sentence_before_it_is_wrong_and_harmless() -> None:
    assert precision("Hello! [1]") == 0
