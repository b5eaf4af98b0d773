"""Layer by layer: what blocks, what does not, and where it stops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from judges.gate.baseline import BaselineRefused, Pins, dump, read
from judges.gate.decide import Decision, State, decide
from judges.gate.finding import Kind
from judges.gate.losses import upper_tail
from judges.gate.metrics import Layer
from judges.gate.noise import interval, least_lost, limit_of, statistic
from judges.gate.override import Outcome, Override, ProbeResult
from judges.gate.result import CaseResult, Check, Demand
from judges.gate.suite import SuiteRefused
from tests.unit.judges.gate.cases import PINS, baseline, result, results, suite


def kinds(decision: Decision) -> list[Kind]:
    return [one.kind for one in decision.findings]


# --- noise ---


def test_a_change_of_few_cases_is_no_more_than_chance() -> None:
    drops = np.zeros((40, 1))
    drops[:5] = 1.0
    limit = limit_of(drops, 0.01)
    assert interval(drops[:, 0], limit.value)[0] <= 0
    assert limit.chance(statistic(drops[:, 0])) == pytest.approx(1 / 32, abs=0.01)


def test_the_interval_excludes_what_chance_does_not_make() -> None:
    drops = np.zeros(40)
    drops[:20] = 1.0
    low, high = interval(drops, limit_of(drops[:, None], 0.001).value)
    assert 0.2 < low < 0.5 < high < 0.8


def test_nothing_is_told_of_a_handful_by_flipping_signs() -> None:
    drops = np.ones(5)
    assert interval(drops, limit_of(drops[:, None], 0.01).value) == (-1.0, 1.0)
    assert least_lost(5, 3.0, 0.03) is None
    assert least_lost(40, 3.0, 0.03) == 11


def test_more_tests_want_more_evidence() -> None:
    random = np.random.default_rng(1)
    one, many = random.normal(size=(50, 1)), random.normal(size=(50, 40))
    assert limit_of(many, 0.01).value > limit_of(one, 0.01).value + 0.5


def test_the_tail_is_binomial() -> None:
    assert upper_tail(10, 0.5, 6) == pytest.approx(0.376953, abs=1e-6)
    assert upper_tail(10, 0.5, 0) == upper_tail(3, 1.0, 3) == 1.0


# --- drops ---


def test_a_regression_in_one_stratum_blocks_with_that_reason() -> None:
    before = results(40, "single_hop") + results(20, "multi_hop")
    now = results(40, "single_hop") + results(20, "multi_hop", lost=12)
    decision = decide(suite(), now, baseline(before))
    first = decision.findings[0]
    assert (first.kind, first.metric, str(first.stratum)) == (Kind.COLLAPSE, "hit_at_k", "kind multi_hop")
    assert set(first.cases) == {f"multi_hop-{at:03d}" for at in range(12)}
    assert len(decision.findings) == 1  # all cases fell as well, and that is explained


def test_what_is_better_in_one_place_does_not_hide_what_is_worse_in_another() -> None:
    before = results(40, "single_hop", lost=15) + results(20, "multi_hop")
    now = results(40, "single_hop") + results(20, "multi_hop", lost=14)
    assert [str(one.stratum) for one in decide(suite(), now, baseline(before)).findings] == ["kind multi_hop"]


def test_the_same_again_passes() -> None:
    before = results(40, "single_hop", lost=7)
    assert not decide(suite(), before, baseline(before)).blocked


@pytest.mark.parametrize("lost", [1, 2])
def test_a_case_or_two_block_nobody(lost: int) -> None:
    before, now = results(40, "single_hop"), results(40, "single_hop", lost=lost)
    assert not decide(suite(), now, baseline(before)).blocked


def test_a_small_stratum_that_loses_everything_has_collapsed() -> None:
    before = results(40, "single_hop") + results(5, "conflicting")
    now = results(40, "single_hop") + results(5, "conflicting", lost=5)
    assert kinds(decide(suite(), now, baseline(before))) == [Kind.COLLAPSE]


def test_where_the_candidate_improves_as_often_the_loss_may_be_noise() -> None:
    before = [result(f"c-{at:02d}", hit_at_k=float(at >= 10)) for at in range(60)]
    now = [result(f"c-{at:02d}", hit_at_k=float(at < 50)) for at in range(60)]
    assert not decide(suite(), now, baseline(before)).blocked


def test_a_drop_that_is_allowed_does_not_block() -> None:
    before, now = results(40, "single_hop"), results(40, "single_hop", lost=12)
    assert decide(suite(), now, baseline(before)).blocked
    assert not decide(suite(drop={"allowed": 0.4}), now, baseline(before)).blocked
    by_metric = suite(drop={"metrics": {"hit_at_k": 0.4}})
    assert not decide(by_metric, now, baseline(before)).blocked


# --- layers ---


def both(hit: float, faithfulness: float) -> list[CaseResult]:
    return [result(f"c-{at}", hit_at_k=hit, faithfulness=faithfulness) for at in range(30)]


def test_it_stops_at_the_first_layer_that_fails() -> None:
    decision = decide(suite(), both(0.0, 0.0), baseline(both(1.0, 1.0)))
    states = {one.layer: one.state for one in decision.layers}
    assert decision.stopped_at is Layer.RETRIEVAL
    assert states[Layer.GENERATION] is State.NOT_LOOKED_AT
    assert {one.metric for one in decision.findings} == {"hit_at_k"}


def test_what_fails_above_is_told_where_what_is_below_stands() -> None:
    decision = decide(suite(), both(1.0, 0.0), baseline(both(1.0, 1.0)))
    assert decision.stopped_at is Layer.GENERATION
    assert {one.metric for one in decision.findings} == {"faithfulness"}


def test_a_layer_that_nobody_measured_says_so_and_is_no_pass() -> None:
    states = {one.layer: one.state for one in decide(suite(), both(1.0, 1.0)).layers}
    assert states[Layer.RERANK] is State.NOT_MEASURED


# --- floors, demands, and what was not measured ---


def test_a_floor_blocks_over_all_cases_and_in_a_stratum() -> None:
    now = results(30, "single_hop") + results(10, "multi_hop", lost=5)
    assert kinds(decide(suite(floors={"hit_at_k": 0.9}), now)) == [Kind.FLOOR]
    assert not decide(suite(floors={"hit_at_k": 0.8}), now).blocked
    strict = suite(stratum_floors={"kind": {"multi_hop": {"hit_at_k": 0.6}}})
    assert [str(one.stratum) for one in decide(strict, now).findings] == ["kind multi_hop"]


def gappy(measured: int, count: int = 20) -> list[CaseResult]:
    strata = {"kind": "single_hop", "intent": "", "language": "en", "tenant": ""}
    return [
        CaseResult(
            f"c-{at}",
            "q",
            strata,
            {"answered": 1.0} | ({"faithfulness": 1.0} if at < measured else {}),
            {} if at < measured else {"faithfulness": "no_context"},
        )
        for at in range(count)
    ]


def test_a_required_metric_must_be_measured_on_enough_cases() -> None:
    strict = suite(suite={"required": ["faithfulness"]})
    assert not decide(strict, gappy(19)).blocked
    decision = decide(strict, gappy(15))
    assert kinds(decision) == [Kind.NOT_MEASURED]
    assert "no_context 5" in decision.findings[0].message


def test_a_floor_that_no_case_is_measured_by_is_not_passed() -> None:
    now = results(10, "single_hop")
    assert kinds(decide(suite(floors={"rerank_mrr": 0.1}), now)) == [Kind.NOT_MEASURED]
    nobody = suite(stratum_floors={"kind": {"multi_hop": {"hit_at_k": 0.6}}})
    assert kinds(decide(nobody, now)) == [Kind.NOT_MEASURED]


def test_cases_that_nobody_answered_block_unless_they_may_be_missing() -> None:
    strata = {"kind": "single_hop", "intent": "", "language": "", "tenant": ""}
    now = [*results(9, "single_hop"), CaseResult("gone", "q", strata, {}, {"answered": "no_answer_given"})]
    assert kinds(decide(suite(), now)) == [Kind.UNANSWERED]
    assert not decide(suite(suite={"missing": 0.1}), now).blocked


def demanding(passed: bool | None) -> CaseResult:
    check = Check(Demand.MUST_CONTAIN, Layer.GENERATION, passed, "30 minutes", "the answer lacks it")
    strata = {"kind": "single_hop", "intent": "", "language": "", "tenant": ""}
    return CaseResult("c-1", "q", strata, {"answered": 1.0}, {}, (check,))


def test_what_a_case_demands_blocks_by_itself() -> None:
    decision = decide(suite(), [demanding(False)])
    assert kinds(decision) == [Kind.DEMAND]
    assert "c-1" in decision.findings[0].message
    assert "30 minutes" in decision.findings[0].message
    assert kinds(decide(suite(), [demanding(None)])) == [Kind.DEMAND]
    assert not decide(suite(), [demanding(True)]).blocked


def test_what_failed_before_may_be_accepted_and_what_is_new_may_not() -> None:
    lenient = suite(cases={"known": "accept"})
    assert not decide(lenient, [demanding(False)], baseline([demanding(False)])).blocked
    assert decide(lenient, [demanding(False)], baseline([demanding(True)])).blocked
    assert decide(suite(), [demanding(False)], baseline([demanding(False)])).blocked


def test_cases_that_turned_are_listed() -> None:
    diff = decide(suite(), [demanding(False)], baseline([demanding(True)])).diff
    assert [one.result.case_id for one in diff.broke] == ["c-1"]
    back = decide(suite(), [demanding(True)], baseline([demanding(False)])).diff
    assert [one.result.case_id for one in back.mended] == ["c-1"]


# --- probes ---


def override(followed: int, overrode: int) -> Override:
    outcomes = [Outcome.FOLLOWED] * followed + [Outcome.OVERRODE] * overrode
    probes = tuple(ProbeResult(f"c-{at}", "number", "3", "5", one) for at, one in enumerate(outcomes))
    return Override(probes, len(probes))


def test_a_system_that_overrides_its_chunks_is_blocked() -> None:
    now = results(5, "single_hop")
    assert not decide(suite(), now, override=override(20, 1)).blocked
    assert kinds(decide(suite(), now, override=override(10, 10))) == [Kind.OVERRIDE]
    assert kinds(decide(suite(), now, override=override(3, 0))) == [Kind.NOT_MEASURED]


# --- files ---


def test_a_baseline_comes_back_as_it_was() -> None:
    made = baseline([demanding(False), *results(3, "multi_hop")])
    assert read(dump(made)) == made
    assert dump(read(dump(made))) == dump(made)


@pytest.mark.parametrize("data", [b"", b"{}", b'{"format": 9}', b"[1]", b"no", b'{"format": 1, "pins": {}}'])
def test_what_is_no_baseline_is_refused(data: bytes) -> None:
    with pytest.raises(BaselineRefused):
        read(data)


def test_a_changed_judge_scorer_or_set_is_said_in_words() -> None:
    other = Pins("desk", "1" * 16, 5, "student-2", ("gpt-x",), "rag 1")
    said = " ".join(PINS.changed(other))
    assert "the scorer was student-1, and is student-2" in said
    assert "judges' model was none, and is gpt-x" in said
    assert "version of the golden set" in said
    assert PINS.changed(PINS) == []


@pytest.mark.parametrize(
    ("sections", "named"),
    [
        ({"floors": {"hit": 0.5}}, "hit"),
        ({"floors": {"judged_faithfulness": 0.5}}, "judges = true"),
        ({"floors": {"hit_at_k": 1.5}}, "floors.hit_at_k"),
        ({"flors": {}}, "flors"),
        ({"drop": {"alowed": 0.1}}, "drop.alowed"),
        ({"endpoint": {"url": "http://x", "chunks_key": "question.chunks"}}, "chunks_key"),
    ],
)
def test_a_slip_of_the_pen_in_a_suite_is_refused(sections: dict[str, Any], named: str) -> None:
    with pytest.raises(SuiteRefused, match=named):
        suite(**sections)
