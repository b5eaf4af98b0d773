"""Cases, answers and results in a line each."""

from __future__ import annotations

from typing import Any

from judges.gate.baseline import Baseline, Pins, baseline_of
from judges.gate.measure import Answered, measure
from judges.gate.result import CaseResult
from judges.gate.suite import Suite, read_suite
from judges.golden import GoldenCase, Kind
from schemas.scored import Judged, Scores, Verdict
from schemas.taxonomy import Coverage
from schemas.trace import Trace

PINS = Pins("desk", "0" * 16, 5, "student-1")


def golden(case_id: str = "c-1", **fields: Any) -> GoldenCase:
    return GoldenCase(
        case_id, **{"question": "How long?", "kind": Kind.SINGLE_HOP, "language": "en"} | fields
    )


def chunk(name: str | None, text: str = "Some text.", **fields: Any) -> dict[str, Any]:
    return {"id": name, "text": text} | fields


def answered(answer: str | None, chunks: list[dict[str, Any]] | None, **scores: Any) -> Answered:
    trace = Trace.model_validate(
        {
            "trace_id": "t",
            "question": "How long?",
            "answer": answer,
            "retrieval": None if chunks is None else {"chunks": chunks},
            "generation": {"error": scores.pop("error", None)},
        }
    )
    reference = scores.pop("reference", None)
    opinion = scores.pop("opinion", None)
    usual: dict[str, Any] = {"coverage": Coverage.FULL, "faithfulness": 1.0, "hallucination": 0.1}
    said = Scores("student-1", **usual | scores)
    return Answered(Judged(trace, said, Verdict(None, 1.0, None, "", {})), reference, opinion)


def measured(case: GoldenCase, answer: Answered | None, **options: Any) -> CaseResult:
    return measure(case, answer, **{"k": 5} | options)


def result(case_id: str, kind: str = "single_hop", language: str = "en", **values: float) -> CaseResult:
    strata = {"kind": kind, "intent": "", "language": language, "tenant": ""}
    return CaseResult(case_id, "q", strata, {"answered": 1.0} | values, {})


def results(count: int, kind: str, lost: int = 0, metric: str = "hit_at_k") -> list[CaseResult]:
    """`count` cases of a kind, of which the first `lost` score 0 and the others 1."""
    return [result(f"{kind}-{at:03d}", kind, "en", **{metric: float(at >= lost)}) for at in range(count)]


def suite(**sections: Any) -> Suite:
    main = {"golden": "g.jsonl", "required": []} | sections.pop("suite", {})
    return read_suite({"suite": main} | sections)


def baseline(of: list[CaseResult]) -> Baseline:
    return baseline_of(PINS, "2026-11-30", of)
