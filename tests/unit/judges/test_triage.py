"""From scores to one failure: the order of blame, the reasons given, leaks and quadrants."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.triage import RULES, WITHOUT_CONTEXT, leaks, quadrant, triage
from schemas.scored import Scores
from schemas.taxonomy import FAILURES, Coverage, Failure, Quadrant, Stage
from schemas.trace import Trace
from tests.unit.judges.traces import make_trace

HIGH, LOW = 0.98, 0.02


def scores(**fields: Any) -> Scores:
    """Of a healthy trace, unless `fields` say otherwise."""
    healthy: dict[str, Any] = {
        "scorer_version": "test",
        "language": "en",
        "coverage": Coverage.FULL,
        "faithfulness": 1.0,
        "hallucination": LOW,
        "answer_relevance": HIGH,
        "context_relevance": HIGH,
        "context_sufficiency": HIGH,
        "signals": {"rewrite_state": "standalone", "question_in_support": HIGH},
    }
    return Scores(**{**healthy, **fields})


DECLINED = {"refusal": True, "refusal_kind": "full", "faithfulness": None, "hallucination": None}
FAULTS: dict[Failure, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    # What each failure changes in a healthy trace, in its scores, and in its signals.
    Failure.SYSTEM_ERROR: ({"generation": {"error": "out of memory"}}, {}, {}),
    Failure.REWRITE_FAILURE: ({}, {}, {"rewrite_state": "wrong", "history_cover": LOW}),
    Failure.EMPTY_RECALL: ({"retrieval": {"chunks": []}}, {"context_sufficiency": None}, {}),
    Failure.POOR_RETRIEVAL: (
        {},
        {"context_sufficiency": LOW, "context_relevance": LOW},
        {"question_in_support": LOW},
    ),
    Failure.OVER_REFUSAL: ({}, DECLINED, {}),
    Failure.HALLUCINATION: ({}, {"hallucination": HIGH, "faithfulness": 0.0}, {}),
}
EXCLUSIVE = [
    {Failure.REWRITE_FAILURE, Failure.EMPTY_RECALL},
    {Failure.EMPTY_RECALL, Failure.POOR_RETRIEVAL},
    {Failure.EMPTY_RECALL, Failure.OVER_REFUSAL},
    {Failure.POOR_RETRIEVAL, Failure.OVER_REFUSAL},
    {Failure.OVER_REFUSAL, Failure.HALLUCINATION},
]
"""Pairs that one trace cannot have: nothing was retrieved to be poor, nothing declined to be invented."""


def with_faults(*failures: Failure) -> tuple[Trace, Scores]:
    fields: dict[str, Any] = {}
    changed: dict[str, Any] = {}
    signals: dict[str, Any] = {"rewrite_state": "standalone", "question_in_support": HIGH}
    for failure in failures:
        of_trace, of_scores, of_signals = FAULTS[failure]
        fields |= of_trace
        changed |= of_scores
        signals |= of_signals
    return make_trace(**fields), scores(**changed, signals=signals)


@pytest.mark.parametrize("failure", FAILURES)
def test_each_failure_alone_is_named(failure: Failure) -> None:
    verdict = triage(*with_faults(failure))
    assert verdict.failure is failure
    assert verdict.stage is not None
    assert 0.5 <= verdict.confidence <= 1.0


@pytest.mark.parametrize(
    ("upstream", "downstream"), [p for p in combinations(FAILURES, 2) if set(p) not in EXCLUSIVE]
)
def test_of_two_failures_the_one_upstream_is_named(upstream: Failure, downstream: Failure) -> None:
    assert triage(*with_faults(upstream, downstream)).failure is upstream


def test_the_rules_run_in_the_order_of_blame() -> None:
    assert [rule.__name__.removeprefix("find_") for rule in RULES] == [f.value for f in FAILURES]


def test_a_healthy_trace_has_no_failure_and_says_why() -> None:
    verdict = triage(make_trace(), scores())
    assert (verdict.failure, verdict.stage, verdict.rule) == (None, None, "healthy")
    assert verdict.because == {"hallucination": LOW, "coverage": "full"}
    assert verdict.confidence >= 0.9
    assert not verdict.parametric_leak
    assert verdict.quadrant is Quadrant.GOOD


@pytest.mark.parametrize(
    ("fields", "signals", "stage", "rule", "because"),
    [
        ({"generation": {"error": "boom"}}, {}, Stage.GENERATION, "generation_error", {"error": "boom"}),
        ({"retrieval": {"error": "down"}}, {}, Stage.RETRIEVAL, "retrieval_error", {"error": "down"}),
        ({"answer": None}, {}, Stage.GENERATION, "empty_answer", {}),
        ({"answer": " \n"}, {}, Stage.GENERATION, "empty_answer", {}),
        (
            {"generation": {"finish_reason": "LENGTH"}},
            {},
            Stage.GENERATION,
            "cut_off",
            {"finish_reason": "length"},
        ),
        ({}, {"broken_answer": "loop"}, Stage.GENERATION, "broken_answer", {"kind": "loop"}),
        (
            {},
            {"broken_chunks": 0.6, "broken_chunk": "mojibake"},
            Stage.INGESTION,
            "broken_chunks",
            {"share": 0.6, "kind": "mojibake"},
        ),
    ],
)
def test_a_system_error_says_what_broke_and_where(
    fields: dict[str, Any], signals: dict[str, Any], stage: Stage, rule: str, because: dict[str, Any]
) -> None:
    verdict = triage(make_trace(**fields), scores(signals=signals))
    assert verdict.failure is Failure.SYSTEM_ERROR
    assert (verdict.stage, verdict.rule, verdict.because) == (stage, rule, because)


def test_one_broken_chunk_of_many_is_no_system_error() -> None:
    verdict = triage(make_trace(), scores(signals={"broken_chunks": 0.1, "broken_chunk": "columns"}))
    assert verdict.failure is None


@pytest.mark.parametrize("reason", ["stop", "STOP", "end_turn", "tool_calls", None, "", "eos"])
def test_an_ordinary_end_is_no_error(reason: str | None) -> None:
    assert triage(make_trace(generation={"finish_reason": reason}), scores()).failure is None


@pytest.mark.parametrize(
    ("retrieval", "rule"),
    [
        ({"chunks": []}, "no_chunks"),
        ({"chunks": [{"text": ""}, {"text": " \n"}]}, "blank_chunks"),
        (
            {"min_score": 0.5, "chunks": [{"text": "x", "score": 0.3}, {"text": "y", "score": 0.1}]},
            "below_min_score",
        ),
    ],
)
def test_an_empty_recall_says_how_it_was_empty(retrieval: dict[str, Any], rule: str) -> None:
    verdict = triage(make_trace(retrieval=retrieval), scores(context_sufficiency=None))
    assert (verdict.failure, verdict.stage, verdict.rule) == (Failure.EMPTY_RECALL, Stage.RETRIEVAL, rule)


@pytest.mark.parametrize(
    "retrieval",
    [
        None,
        {"chunks": None},
        {"chunks": [{"text": None}]},
        {"min_score": 0.5, "chunks": [{"text": "x", "score": 0.5}]},
        {"min_score": 0.5, "chunks": [{"text": "x", "score": 0.3}, {"text": "y", "score": None}]},
        {"min_score": None, "chunks": [{"text": "x", "score": 0.0}]},
    ],
)
def test_what_was_not_seen_or_not_recorded_is_no_empty_recall(retrieval: dict[str, Any] | None) -> None:
    verdict = triage(make_trace(retrieval=retrieval), scores(context_sufficiency=None))
    assert verdict.failure is not Failure.EMPTY_RECALL


@pytest.mark.parametrize("state", ["missing", "unchanged", "wrong"])
def test_a_follow_up_that_was_not_resolved_is_a_rewrite_failure(state: str) -> None:
    verdict = triage(make_trace(), scores(signals={"rewrite_state": state, "history_cover": LOW}))
    assert (verdict.failure, verdict.stage) == (Failure.REWRITE_FAILURE, Stage.QUERY)
    assert verdict.because == {"rewrite_state": state, "history_cover": LOW}
    found = triage(make_trace(), scores(signals={"rewrite_state": state, "history_cover": HIGH}))
    assert found.failure is None  # the retriever found the topic all the same


@pytest.mark.parametrize("state", ["standalone", "resolved", None])
def test_a_question_that_stands_alone_or_was_resolved_is_none(state: str | None) -> None:
    assert (
        triage(make_trace(), scores(signals={"rewrite_state": state, "history_cover": LOW})).failure is None
    )


def test_a_refusal_without_context_is_right_and_the_retrieval_failed() -> None:
    verdict = triage(make_trace(), scores(**DECLINED, context_sufficiency=LOW, answer_relevance=None))
    assert (verdict.failure, verdict.stage) == (Failure.POOR_RETRIEVAL, Stage.RETRIEVAL)
    assert verdict.rule == "refused_without_context"
    assert not verdict.parametric_leak
    assert verdict.quadrant is Quadrant.HONEST


def test_a_refusal_with_context_is_one_too_many() -> None:
    verdict = triage(make_trace(), scores(**DECLINED, answer_relevance=None))
    assert (verdict.failure, verdict.stage) == (Failure.OVER_REFUSAL, Stage.GENERATION)
    assert verdict.because == {"context_sufficiency": HIGH}
    assert verdict.quadrant is Quadrant.OVER_REFUSED


def test_a_refusal_with_nothing_retrieved_is_no_over_refusal() -> None:
    trace = make_trace(retrieval={"chunks": []})
    verdict = triage(trace, scores(**DECLINED, context_sufficiency=None, answer_relevance=None))
    assert verdict.failure is Failure.EMPTY_RECALL
    assert not verdict.parametric_leak
    assert verdict.quadrant is Quadrant.HONEST


def test_an_answer_with_nothing_retrieved_leaks() -> None:
    trace = make_trace(retrieval={"chunks": []})
    verdict = triage(trace, scores(faithfulness=None, hallucination=None, context_sufficiency=None))
    assert verdict.failure is Failure.EMPTY_RECALL
    assert verdict.parametric_leak
    assert verdict.quadrant is Quadrant.LUCKY


def test_an_invented_answer_over_chunks_that_do_not_hold_it_leaks() -> None:
    beside = scores(context_sufficiency=LOW, hallucination=HIGH, signals={"question_in_support": LOW})
    assert leaks(make_trace(), beside)
    assert triage(make_trace(), beside).quadrant is Quadrant.LUCKY


@pytest.mark.parametrize(
    ("trace", "changed"),
    [
        (make_trace(), {}),
        (make_trace(retrieval=None), {"context_sufficiency": None}),
        (make_trace(retrieval={"error": "down"}), {"context_sufficiency": None}),
        (make_trace(answer=""), {"context_sufficiency": LOW, "hallucination": None}),
        (make_trace(generation={"error": "x"}), {"context_sufficiency": LOW, "hallucination": HIGH}),
        (make_trace(), {**DECLINED, "context_sufficiency": LOW}),
    ],
)
def test_without_an_answer_or_a_retrieval_nothing_leaks(trace: Trace, changed: dict[str, Any]) -> None:
    assert not leaks(trace, scores(**changed))


@pytest.mark.parametrize(
    ("failure", "refusal", "expected"),
    [
        (None, False, Quadrant.GOOD),
        (Failure.HALLUCINATION, False, Quadrant.UNFAITHFUL),
        (Failure.OVER_REFUSAL, True, Quadrant.OVER_REFUSED),
        (Failure.SYSTEM_ERROR, False, None),
        *((f, False, Quadrant.LUCKY) for f in WITHOUT_CONTEXT),
        *((f, True, Quadrant.HONEST) for f in WITHOUT_CONTEXT),
    ],
)
def test_the_quadrant_follows_the_verdict(
    failure: Failure | None, refusal: bool, expected: Quadrant | None
) -> None:
    assert quadrant(scores(refusal=refusal), failure) is expected


@pytest.mark.parametrize("missing", ["context_sufficiency", "hallucination"])
def test_a_healthy_trace_that_was_not_measured_has_no_quadrant(missing: str) -> None:
    assert quadrant(scores(**{missing: None}), None) is None


@pytest.mark.parametrize(
    "found",
    [
        scores(context_sufficiency=0.2, signals={"question_in_support": 0.5}),
        scores(context_sufficiency=0.2, hallucination=HIGH, signals={"question_in_support": 0.5}),
        scores(context_sufficiency=HIGH, signals={"question_in_support": LOW}, answer_relevance=LOW),
        scores(context_sufficiency=LOW),
    ],
)
def test_verdict_and_quadrant_never_contradict_each_other(found: Scores) -> None:
    below = make_trace(retrieval={"min_score": 0.5, "chunks": [{"text": "x", "score": 0.3}]})
    assert triage(below, found).quadrant is Quadrant.LUCKY
    verdict = triage(make_trace(), found)
    healthy, lucky = verdict.failure is None, verdict.failure is Failure.POOR_RETRIEVAL
    assert (verdict.quadrant is Quadrant.GOOD) == healthy
    assert (verdict.quadrant is Quadrant.LUCKY) == lucky


@pytest.mark.parametrize(("faithfulness", "rule"), [(0.5, "unsupported_claims"), (1.0, "doubted_as_a_whole")])
def test_an_answer_without_an_unsupported_claim_is_not_blamed_on_one(faithfulness: float, rule: str) -> None:
    verdict = triage(make_trace(), scores(hallucination=0.8, faithfulness=faithfulness))
    assert (verdict.failure, verdict.rule) == (Failure.HALLUCINATION, rule)


def test_what_was_not_measured_blames_nobody() -> None:
    nothing = scores(
        coverage=Coverage.NOT_RECORDED,
        faithfulness=None,
        hallucination=None,
        answer_relevance=None,
        context_relevance=None,
        context_sufficiency=None,
        signals={},
    )
    verdict = triage(make_trace(chunks=None), nothing)
    assert verdict.failure is None
    assert verdict.confidence == 0.5
    assert verdict.quadrant is None


PROBABILITY = st.one_of(st.none(), st.floats(0, 1))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.sampled_from(
        [make_trace(), make_trace(answer=None), make_trace(chunks=[]), make_trace(retrieval=None)]
    ),
    st.builds(
        scores,
        faithfulness=PROBABILITY,
        hallucination=PROBABILITY,
        answer_relevance=PROBABILITY,
        context_relevance=PROBABILITY,
        context_sufficiency=PROBABILITY,
        refusal=st.booleans(),
        signals=st.dictionaries(
            st.sampled_from(
                ["rewrite_state", "history_cover", "broken_chunks", "broken_answer", "question_in_support"]
            ),
            st.one_of(
                st.none(), st.booleans(), st.floats(0, 1), st.sampled_from(["missing", "wrong", "loop", "x"])
            ),
        ),
    ),
)
def test_any_scores_give_one_verdict(trace: Trace, found: Scores) -> None:
    verdict = triage(trace, found)
    assert (verdict.failure is None) == (verdict.stage is None) == (verdict.rule == "healthy")
    assert 0.0 <= verdict.confidence <= 1.0
    assert triage(trace, found) == verdict


def learned(**chances: float) -> dict[str, float]:
    """Probabilities of all classes: those not named share what is left."""
    names = ["rewrite_failure", "poor_retrieval", "over_refusal", "hallucination", "healthy"]
    left = (1.0 - sum(chances.values())) / (len(names) - len(chances))
    return {name: chances.get(name, left) for name in names}


@pytest.mark.parametrize(
    ("name", "changed", "rule"),
    [
        ("rewrite_failure", {"signals": {"rewrite_state": "wrong"}}, "follow_up_wrong"),
        ("rewrite_failure", {"signals": {"rewrite_state": "resolved"}}, "follow_up_astray"),
        ("poor_retrieval", {"signals": {"question_in_support": HIGH}}, "context_off_topic"),
        ("poor_retrieval", {"signals": {}, "answer_relevance": LOW}, "answered_beside_the_question"),
        ("poor_retrieval", DECLINED, "refused_without_context"),
        ("over_refusal", DECLINED, "refused_with_context"),
        ("hallucination", {"faithfulness": 0.5}, "unsupported_claims"),
        ("hallucination", {"faithfulness": 1.0}, "doubted_as_a_whole"),
    ],
)
def test_the_likeliest_class_is_the_verdict_and_says_why(
    name: str, changed: dict[str, Any], rule: str
) -> None:
    verdict = triage(make_trace(), scores(**changed, classes=learned(**{name: 0.7})))
    assert verdict.failure is Failure(name)
    assert (verdict.rule, verdict.confidence, verdict.because["probability"]) == (rule, 0.7, 0.7)


def test_a_likely_healthy_trace_is_healthy_whatever_the_rules_would_say() -> None:
    low = scores(context_sufficiency=LOW, classes=learned(healthy=0.8))
    verdict = triage(make_trace(), low)
    assert (verdict.failure, verdict.confidence, verdict.quadrant) == (None, 0.8, Quadrant.GOOD)
    assert triage(make_trace(), scores(context_sufficiency=LOW)).failure is Failure.POOR_RETRIEVAL


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"generation": {"error": "boom"}}, Failure.SYSTEM_ERROR),
        ({"retrieval": {"chunks": []}}, Failure.EMPTY_RECALL),
        ({"retrieval": {"min_score": 0.5, "chunks": [{"text": "x", "score": 0.3}]}}, Failure.EMPTY_RECALL),
    ],
)
def test_what_the_trace_shows_comes_before_what_was_learned(
    fields: dict[str, Any], expected: Failure
) -> None:
    found = scores(classes=learned(rewrite_failure=0.9))
    assert triage(make_trace(**fields), found).failure is expected
