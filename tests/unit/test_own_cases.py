"""Hundreds of small traces, some thirty kinds of trouble, in Chinese and English: what scoring says.

Those that scoring is known to get wrong stand in `tests/data/known_failures.txt` with the reason. They
are run all the same: one that comes out right fails the test until its line is taken away.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judges.distilled import load_scorer
from judges.triage import triage
from schemas.scored import Judged
from tests.support.cases import Case, misses, read_cases

DATA = Path(__file__).resolve().parents[1] / "data"
CASES = read_cases(DATA / "cases.jsonl")
FEWEST_OF_A_KIND = 8


def read_known_failures() -> dict[str, str]:
    """Name → reason, from lines `name: reason`; blank lines and those that begin with # are skipped."""
    lines = (DATA / "known_failures.txt").read_text(encoding="utf-8").splitlines()
    entries = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    assert len(entries) == len({name for name, _, _ in entries}), "a name stands in the list twice"
    return {name: reason.strip() for name, _, reason in entries}


KNOWN_FAILURES = read_known_failures()


def as_parameter(case: Case) -> Any:
    reason = KNOWN_FAILURES.get(case.name)
    marks = [] if reason is None else [pytest.mark.xfail(strict=True, reason=reason)]
    return pytest.param(case, id=case.name, marks=marks)


@pytest.fixture(scope="module")
def lines() -> dict[str, dict[str, Any]]:
    """Score line by name; the whole file goes through the scorer as one batch."""
    traces = [case.trace for case in CASES]
    scores = load_scorer().score(traces)
    judged = [Judged(trace, s, triage(trace, s)) for trace, s in zip(traces, scores, strict=True)]
    return {each.trace.trace_id: each.line() for each in judged}


@pytest.mark.parametrize("case", [as_parameter(case) for case in CASES])
def test_scoring_says_what_a_reader_would_say(case: Case, lines: dict[str, dict[str, Any]]) -> None:
    line = lines[case.name]
    found = misses(line, case.expect)
    assert not found, f"{case.kind}: {case.why}\n  " + "\n  ".join([*found, f"rule: {line['rule']}"])


def test_names_are_unique_and_are_the_ids_of_the_traces() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(case.trace.trace_id == case.name for case in CASES)


def test_every_kind_has_enough_variants_and_both_languages_their_half() -> None:
    kinds = Counter(case.kind for case in CASES)
    assert min(kinds.values()) >= FEWEST_OF_A_KIND
    chinese = sum(case.name.endswith("-zh") for case in CASES)
    english = sum(case.name.endswith("-en") for case in CASES)
    assert chinese + english == len(CASES)
    assert abs(chinese - english) <= len(CASES) // 10


def test_known_failures_name_cases_and_say_why() -> None:
    assert KNOWN_FAILURES.keys() <= {case.name for case in CASES}
    assert all(KNOWN_FAILURES.values())


def test_a_comparison_sees_each_kind_of_miss() -> None:
    claims = [{"text": "It is blue.", "support": 0.1}, {"text": "It is old.", "support": 0.9}]
    line = {"failure": None, "faithfulness": 0.4, "citation_precision": None, "evidence": claims}
    right = {"failure": None, "faithfulness": {"min": 0.4, "max": 0.4}, "evidence_contains": "blue"}
    assert misses(line, right) == []
    for wrong in (
        {"failure": "hallucination"},
        {"faithfulness": None},
        {"faithfulness": {"min": 0.5}},
        {"faithfulness": {"max": 0.3}},
        {"citation_precision": {"max": 0.5}},
        {"evidence_contains": "old"},
    ):
        assert len(misses(line, wrong)) == 1
