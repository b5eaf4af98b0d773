"""Several judges: majority, mean, disagreement, and members that fail."""

from __future__ import annotations

from typing import Any

import pytest

from judges.llm.asking import JudgeFailed, Opinion, Reason, Usage
from judges.llm.consensus import agree, disagreement
from judges.llm.material import PromptLimits
from judges.llm.panel import PanelOpinion, ask_panel
from judges.llm.rubrics import load
from tests.support.filled_forms import Filled, claim, scores
from tests.support.http_judges import with_judges
from tests.support.judged_traces import GOOD, trace_of
from tests.support.stand_in_llm import FILTERED, UNAUTHORIZED, StandIn, broken

both = pytest.mark.parametrize("language", ["en", "zh"])


def opinion(judge: str = "one", **fields: Any) -> Opinion:
    return Opinion(judge, f"{judge}-model", "rag", "1", "en", **fields)


def ask(language: str, *servers: StandIn, **options: Any) -> PanelOpinion:
    return with_judges(
        lambda judges: ask_panel(trace_of(language, "healthy"), judges, load("rag", language), **options),
        *servers,
    )


# --- over HTTP ---


@both
def test_the_class_goes_to_the_majority_and_scores_to_the_mean(language: str) -> None:
    good, odd = claim("good", quote=GOOD[language]), claim("odd", "not_found")
    fine = Filled([good], scores())
    bad = Filled([good, odd], scores(failure="hallucination", accuracy=2, root_cause="it made that up"))
    with StandIn(fine) as one, StandIn(bad, model="two") as two, StandIn(bad, model="three") as three:
        said = ask(language, one, two, three)
    joint = said.consensus
    assert (joint.judge, joint.model) == ("panel", "stand-in-1+two+three")
    assert joint.failure == "hallucination"
    assert joint.failure_confidence == pytest.approx(0.95 * 2 / 3)
    assert joint.faithfulness == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert joint.ratings == {"accuracy": 3, "faithfulness": 5, "safety": 5}
    assert joint.root_cause == "it made that up"
    assert joint.usage.calls == 6
    assert said.disagreement == pytest.approx(2 / 3)  # on the class, and on hallucination
    assert [o.judge for o in said.opinions] == ["judge-1", "judge-2", "judge-3"]


@both
def test_a_member_that_fails_leaves_the_others_to_decide(language: str) -> None:
    filled = Filled([claim("good", quote=GOOD[language])])
    with StandIn(filled) as one, StandIn(filled) as two, StandIn(behave=lambda b, n: broken(500)) as three:
        said = ask(language, one, two, three)
    assert said.consensus.failure == "healthy"
    assert len(said.opinions) == 2
    assert said.failed["judge-3"].reason is Reason.SERVER_ERROR
    assert said.disagreement == 0.0


def test_below_the_quorum_the_panel_fails_with_what_may_pass_and_all_that_was_spent() -> None:
    filled = Filled([claim("good", quote=GOOD["en"])])
    refuses, away = StandIn(behave=lambda b, n: FILTERED), StandIn(behave=lambda b, n: broken(500))
    with StandIn(filled) as one, refuses, away, pytest.raises(JudgeFailed) as failed:
        ask("en", one, refuses, away)
    assert failed.value.reason is Reason.SERVER_ERROR
    assert failed.value.retryable
    assert failed.value.usage.calls == 2 + 2 + 2
    assert "judge-2" in failed.value.detail
    with StandIn(filled) as one, StandIn(behave=lambda b, n: broken(500)) as two:
        assert ask("en", one, two, quorum=1).consensus.judge == "judge-1"


def test_one_judge_is_its_own_consensus() -> None:
    with StandIn(Filled([claim("good", quote=GOOD["en"])])) as one:
        said = ask("en", one)
    assert said.consensus is said.opinions[0]
    assert said.disagreement is None
    with StandIn(behave=lambda b, n: UNAUTHORIZED) as one, pytest.raises(JudgeFailed) as failed:
        ask("en", one)
    assert failed.value.reason is Reason.UNAUTHORIZED


def test_limits_may_be_those_of_each_judge() -> None:
    filled = Filled([claim("good", quote=GOOD["en"])])
    with StandIn(filled) as one, StandIn(filled) as two, StandIn(filled) as three:
        said = ask("en", one, two, three, limits={"judge-2": PromptLimits(context=1_000)})
    assert said.failed["judge-2"].reason is Reason.TOO_LONG


def test_an_error_of_ours_is_not_taken_for_a_failed_judge() -> None:
    class Broken:
        name, model = "broken", "none"

        async def ask(self, ask: Any) -> Any:
            raise ZeroDivisionError

    async def work(judges: list[Any]) -> PanelOpinion:
        return await ask_panel(trace_of("en", "healthy"), [Broken()], load())

    with StandIn() as llm, pytest.raises(ZeroDivisionError):
        with_judges(work, llm)


# --- the rules ---


def test_without_a_majority_there_is_no_class() -> None:
    joint = agree([opinion(failure="healthy"), opinion(failure="hallucination")])
    assert joint.failure is None
    assert joint.failure_confidence is None
    assert joint.not_measured["failure"] == "no_majority"


def test_who_says_nothing_has_no_vote() -> None:
    said = [opinion(refusal=True), opinion(refusal=True), opinion(not_measured={"refusal": "truncated"})]
    assert agree(said).refusal is True


def test_what_less_than_half_measured_is_not_measured() -> None:
    silent = opinion(not_measured={"faithfulness": "truncated"})
    joint = agree([opinion(faithfulness=1.0), silent, silent])
    assert joint.faithfulness is None
    assert joint.not_measured["faithfulness"] == "truncated"
    assert agree([opinion(faithfulness=1.0), silent]).faithfulness == 1.0


def test_the_median_is_not_led_by_one() -> None:
    said = [opinion(faithfulness=f, ratings={"accuracy": a}) for f, a in ((1.0, 5), (0.9, 4), (0.0, 1))]
    assert agree(said, "median").faithfulness == 0.9
    assert agree(said, "mean").faithfulness == pytest.approx(1.9 / 3)
    assert agree(said, "median").ratings == {"accuracy": 4}
    assert agree(said, "mean").ratings == {"accuracy": 3}


def test_words_are_those_of_a_judge_who_agrees() -> None:
    said = [
        opinion("one", failure="healthy", rationale="fine"),
        opinion("two", failure="hallucination", faithfulness=0.0, rationale="all wrong"),
        opinion("three", failure="hallucination", faithfulness=0.5, rationale="half wrong"),
    ]
    joint = agree(said)
    assert joint.rationale == "all wrong" or joint.rationale == "half wrong"
    assert joint.measured_by["rationale"] in ("two", "three")


def test_costs_add_up_and_truncated_texts_are_named_once() -> None:
    said = [opinion(usage=Usage(2, 10, 5, 0.5), truncated=["chunk 1"]) for _ in range(2)]
    joint = agree(said)
    assert (joint.usage.calls, joint.usage.cost_usd) == (4, 1.0)
    assert joint.truncated == ["chunk 1"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"failure": "healthy"}, {"failure": "healthy"}, 0.0),
        ({"failure": "healthy"}, {"failure": "hallucination"}, 1.0),
        ({"faithfulness": 0.9}, {"faithfulness": 0.5}, 0.4),
        ({"ratings": {"safety": 5}}, {"ratings": {"safety": 3}}, 0.5),
        ({"refusal": True, "faithfulness": 0.5}, {"refusal": False, "faithfulness": 0.5}, 1.0),
        ({"failure": "healthy"}, {}, 0.0),
    ],
)
def test_disagreement_is_that_on_what_they_are_farthest_apart_on(
    first: dict[str, Any], second: dict[str, Any], expected: float
) -> None:
    assert disagreement([opinion(**first), opinion(**second)]) == pytest.approx(expected)
    assert disagreement([opinion(**first)]) is None
