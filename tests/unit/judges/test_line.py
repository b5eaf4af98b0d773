"""The score line: its names, the types of their values, and how numbers are written."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from schemas.scored import Claim, Judged, Scores, Verdict
from schemas.taxonomy import Coverage, Failure, Quadrant, Stage
from tests.unit.judges.traces import judge, make_trace

CONTRACT: dict[str, tuple[type, ...]] = {
    "trace_id": (str,),
    "failure": (str, type(None)),
    "failure_confidence": (float,),
    "first_failed_stage": (str, type(None)),
    "faithfulness": (float, type(None)),
    "hallucination": (float, type(None)),
    "answer_relevance": (float, type(None)),
    "context_relevance": (float, type(None)),
    "context_sufficiency": (float, type(None)),
    "citation_precision": (float, type(None)),
    "refusal": (bool,),
    "parametric_leak": (bool,),
    "coverage": (str,),
    "evidence": (list,),
    "scorer_version": (str,),
}
CLAIM = {"text", "start", "end", "support", "chunk"}
STAGES = {None, "ingestion", "query", "retrieval", "generation"}

TRACES = {
    "healthy": make_trace(),
    "cited": make_trace(answer="The Fjell tent weighs 2.1 kg [1]."),
    "invented": make_trace(answer="The Fjell tent weighs 9.9 kg."),
    "refused": make_trace(answer="I don't know."),
    "partly refused": make_trace(answer="It weighs 2.1 kg. I don't know the colour."),
    "no answer": make_trace(answer=None),
    "no retrieval": make_trace(retrieval=None),
    "nothing retrieved": make_trace(chunks=[]),
    "model failed": make_trace(answer=None, generation={"error": "boom"}),
}


@pytest.mark.parametrize("name", TRACES)
def test_every_line_keeps_the_contract(name: str) -> None:
    line = judge(TRACES[name]).line()
    assert CONTRACT.keys() <= line.keys()
    for field, types in CONTRACT.items():
        assert isinstance(line[field], types), field
    assert line["first_failed_stage"] in STAGES
    assert (line["failure"] is None) == (line["first_failed_stage"] is None)
    assert line["failure"] is None or line["failure"] in set(Failure)
    assert line["coverage"] in set(Coverage)
    assert 0.0 <= line["failure_confidence"] <= 1.0


@pytest.mark.parametrize("name", TRACES)
def test_every_line_is_json_and_stays_the_same(name: str) -> None:
    line = judge(TRACES[name]).line()
    assert orjson.loads(orjson.dumps(line)) == line


def test_evidence_in_a_line_has_text_offsets_support_and_chunk() -> None:
    answer = "The Fjell tent weighs 9.9 kg. It costs 349 euros."
    for claim in judge(make_trace(answer=answer)).line()["evidence"]:
        assert claim.keys() >= CLAIM
        assert answer[claim["start"] : claim["end"]] == claim["text"]
        assert 0.0 <= claim["support"] <= 1.0


def test_numbers_are_rounded_to_four_places_and_null_stays_null() -> None:
    scores = Scores("v", faithfulness=1 / 3, hallucination=None, evidence=[Claim("x", 0, 1, 2 / 3)])
    verdict = Verdict(Failure.HALLUCINATION, 0.123456, Stage.GENERATION, "r", {"a": 1}, True, Quadrant.LUCKY)
    line: dict[str, Any] = Judged(make_trace(), scores, verdict).line()
    assert line["faithfulness"] == 0.3333
    assert line["hallucination"] is None
    assert line["failure_confidence"] == 0.1235
    assert line["evidence"][0]["support"] == 0.6667
    assert (line["failure"], line["first_failed_stage"]) == ("hallucination", "generation")
    assert line["parametric_leak"] is True
