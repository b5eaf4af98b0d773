"""The labelled cases beside the checkout, each by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judges.distilled import load_scorer
from judges.triage import triage
from schemas.scored import Judged
from tests.support.cases import Case, misses, read_cases

FILE = Path(__file__).resolve().parents[3] / "shared" / "cases" / "cases.jsonl"
CASES = read_cases(FILE) if FILE.exists() else []
KNOWN_MISSES: dict[str, str] = {}
"""Cases that scoring gets wrong today, and why."""
ENOUGH = 20


@pytest.fixture(scope="module")
def lines() -> dict[str, dict[str, Any]]:
    """The score line of each case, by name."""
    traces = [case.trace for case in CASES]
    scores = load_scorer().score(traces)
    return {c.name: Judged(t, s, triage(t, s)).line() for c, t, s in zip(CASES, traces, scores, strict=True)}


@pytest.mark.shared
@pytest.mark.skipif(not CASES, reason=f"no labelled cases at {FILE}")
def test_there_are_cases_and_few_are_known_to_come_out_wrong() -> None:
    assert len(CASES) - len(KNOWN_MISSES) >= ENOUGH


@pytest.mark.shared
@pytest.mark.skipif(not CASES, reason=f"no labelled cases at {FILE}")
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_case(case: Case, lines: dict[str, dict[str, Any]], request: pytest.FixtureRequest) -> None:
    if case.name in KNOWN_MISSES:
        request.applymarker(pytest.mark.xfail(strict=True, reason=KNOWN_MISSES[case.name]))
    found = misses(lines[case.name], case.expect)
    assert not found, f"{case.why}\n  " + "\n  ".join([*found, f"rule: {lines[case.name]['rule']}"])
