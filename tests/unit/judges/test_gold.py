"""Ranking metrics against the truth: hand-counted examples."""

from __future__ import annotations

from math import log2

import pytest

from judges.distilled.gold import measure_gold
from schemas.trace import Chunk, Gold, Retrieval, Trace


def trace(returned: list[str | None] | None, wanted: list[str] | None) -> Trace:
    chunks = None if returned is None else [Chunk(id=i, text="x") for i in returned]
    return Trace(
        trace_id="t",
        question="q",
        answer="a",
        retrieval=Retrieval(chunks=chunks),
        gold=Gold(chunk_ids=wanted),
    )


@pytest.mark.parametrize(
    ("returned", "wanted", "hit", "rank", "recall", "ndcg"),
    [
        (["a", "b", "c"], ["a"], 1, 1, 1, 1),
        (["x", "a", "y"], ["a"], 1, 1 / 2, 1, 1 / log2(3)),
        (["x", "y", "z"], ["a"], 0, 0, 0, 0),
        (["a", "x", "b"], ["a", "b"], 1, 1, 1, (1 + 1 / 2) / (1 + 1 / log2(3))),
        (["a", "x"], ["a", "b", "c"], 1, 1, 1 / 3, 1 / (1 + 1 / log2(3))),
        (["a", "a", "a"], ["a"], 1, 1, 1, 1),
        (["x", "a", "a"], ["a", "b"], 1, 1 / 2, 1 / 2, (1 / log2(3)) / (1 + 1 / log2(3))),
        ([None, "a"], ["a"], 1, 1 / 2, 1, 1 / log2(3)),
        ([], ["a"], 0, 0, 0, 0),
    ],
)
def test_metrics_are_what_a_hand_count_gives(
    returned: list[str | None], wanted: list[str], hit: float, rank: float, recall: float, ndcg: float
) -> None:
    found = measure_gold(trace(returned, wanted))
    assert found == pytest.approx({"hit_at_k": hit, "mrr": rank, "recall_at_k": recall, "ndcg": ndcg})


@pytest.mark.parametrize(
    "without",
    [
        trace(None, ["a"]),
        trace(["a"], None),
        trace(["a"], []),
        Trace(trace_id="t", question="q", answer="a", gold=Gold(chunk_ids=["a"])),
        Trace(trace_id="t", question="q", answer="a", retrieval=Retrieval(chunks=[Chunk(id="a")])),
    ],
)
def test_where_there_is_nothing_to_compare_nothing_is_measured(without: Trace) -> None:
    assert measure_gold(without) == {}
