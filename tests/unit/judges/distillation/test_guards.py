"""A promotion is refused for a reason with numbers, and only for one."""

from __future__ import annotations

import numpy as np
import pytest

from judges.distillation.evaluate import CLASS, OVERALL, Scored, Slice, compare, compare_chances, score_all
from judges.distillation.guards import (
    check_agreement,
    check_canaries,
    check_overall,
    check_slices,
    cohens_kappa,
)
from judges.distillation.metrics import Estimate, draw_weights
from judges.distillation.trusted import make_canaries
from judges.distilled.rules import RuleScorer
from tests.unit.judges.distillation.made import example, label, simulated

RANDOM = np.random.default_rng(8)


def held_out(noise: float, rows: int = 600, kind: str = OVERALL, name: str = "") -> Slice:
    """A serving scorer of middling quality against one whose noise is so many times as large."""
    bad = (np.arange(rows) % 3 == 0).astype(float)
    blur = RANDOM.normal(size=rows)

    def chances(times: float) -> np.ndarray:
        return 1 / (1 + np.exp(-(3 * (bad - 0.5) + times * 2 * blur)))

    draws = draw_weights(np.arange(rows), np.ones(rows), seed=1)
    return compare_chances(Slice(kind, name, rows, int(bad.sum())), bad, chances(1.0), chances(noise), draws)


def test_better_is_let_through_and_worse_is_not() -> None:
    assert check_overall([held_out(0.5)]) == []
    against = check_overall([held_out(2.0)])
    assert {o.numbers["measure"] for o in against} == {"auroc", "brier"}
    assert all(o.slice == "overall" and "95 % interval" in o.sentence for o in against)


def test_the_same_is_not_better() -> None:
    (objection,) = check_overall([held_out(1.0)])
    assert "not better overall" in objection.sentence


def test_without_held_out_labels_nothing_can_be_told() -> None:
    assert "Too few held-out labels" in check_overall([])[0].sentence
    assert "Too few held-out labels" in check_overall([held_out(0.5, rows=20)])[0].sentence


@pytest.mark.parametrize(("kind", "name"), [("language", "zh"), ("tenant", "acme"), ("tenant", "")])
def test_a_loss_in_one_slice_is_enough_and_the_slice_is_named(kind: str, name: str) -> None:
    fine, bad = held_out(0.5, kind="language", name="en"), held_out(2.0, kind=kind, name=name)
    against = check_slices([held_out(0.5), fine, bad])
    assert {o.slice for o in against} == {f"{kind} {name or '(none)'}"}


def test_few_rows_speak_only_where_they_speak_clearly() -> None:
    found = held_out(1.0, rows=90, kind="tenant", name="small")  # 30 bad ones
    for gain, objects in (
        ((-0.02, -0.15, 0.09), False),
        ((-0.2, -0.3, -0.1), True),
        ((0.1, -0.1, 0.3), False),
    ):
        found.gain = {"auroc": Estimate(*gain), "brier": Estimate(0.0, -0.01, 0.01)}
        assert bool(check_slices([found])) is objects, gain
    tiny = held_out(9.0, rows=30, kind="tenant", name="tiny")
    assert check_slices([tiny]) == []


def test_a_class_is_held_to_its_f1() -> None:
    found = Slice(CLASS, "over_refusal", 900, 80)
    found.serving["f1"] = found.candidate["f1"] = Estimate(0.7, 0.6, 0.8)
    for low, objects in ((-0.05, False), (-0.2, True)):
        found.gain["f1"] = Estimate(-0.04, low, 0.1)
        assert [o.slice for o in check_slices([found])] == (["class over_refusal"] if objects else [])


def test_canaries_are_held_to_their_ranking() -> None:
    assert check_canaries([held_out(0.9, kind="canaries", name="en")]) == []
    assert [o.slice for o in check_canaries([held_out(2.5, kind="canaries", name="zh")])] == ["canaries zh"]


def test_people_and_judges_must_speak_of_the_same_thing() -> None:
    people = [n % 2 == 0 for n in range(60)]
    assert check_agreement(people, [p ^ (n % 10 == 0) for n, p in enumerate(people)]) == []
    (objection,) = check_agreement(people, [n % 3 == 0 for n in range(60)])
    assert "kappa is" in objection.sentence
    assert check_agreement(people[:20], [not p for p in people[:20]]) == []  # too few to say


def test_kappa_is_agreement_beyond_chance() -> None:
    assert cohens_kappa([True, False, True, False], [True, False, True, False]) == 1.0
    assert cohens_kappa([True, True, False, False], [True, False, True, False]) == 0.0
    assert cohens_kappa([True, True], [True, True]) == 0.0


def test_every_language_tenant_and_class_is_compared_on_the_same_rows() -> None:
    examples = [
        example(n, n % 4 == 0, label=label(n % 4 == 0, failure="hallucination" if n % 4 == 0 else "healthy"))
        for n in range(80)
    ]
    truth = np.array([1.0 if e.label.hallucination else 0.0 for e in examples])
    blind = Scored(np.full(80, 0.4), ["healthy"] * 80, ["full"] * 80)
    seeing = Scored(0.1 + 0.8 * truth, [e.label.failure or "" for e in examples], ["full"] * 80)
    blind.hallucination[3] = np.nan  # not measured by one: compared by neither
    slices = {(s.kind, s.name): s for s in compare(examples, blind, seeing, np.arange(80), seed=0)}
    assert set(slices) == {
        (OVERALL, ""), ("language", "en"), ("tenant", "acme"), ("tenant", "bolt"),
        (CLASS, "hallucination"), (CLASS, "healthy"),
    }  # fmt: skip
    whole = slices[OVERALL, ""]
    assert (whole.rows, whole.positives) == (79, 20)
    assert (whole.serving["auroc"].value, whole.candidate["auroc"].value) == (0.5, 1.0)
    assert whole.gain["auroc"].value == 0.5
    assert whole.gain["brier"].value > 0  # less is better, and the gain says so
    assert slices[CLASS, "hallucination"].gain["f1"].value == 1.0


def test_canaries_come_in_pairs_from_traces_that_nobody_doubts() -> None:
    examples = simulated(400, seed=5)
    serving = score_all(RuleScorer(), [e.trace for e in examples], "scoring", lambda *_: None)
    canaries = make_canaries(examples, serving, seed=3)
    assert set(canaries.language) == {"en", "zh"}
    assert canaries.bad.mean() == 0.5
    assert len(canaries.traces) > 100
    answers = {e.trace.trace_id: e.trace.answer for e in examples}
    for changed, same, source in zip(
        canaries.traces[::2], canaries.traces[1::2], canaries.source[::2], strict=True
    ):
        assert examples[source].label.hallucination is not True
        assert serving.hallucination[source] <= 0.25
        assert same.answer == answers[same.trace_id] != changed.answer
        assert changed.question == same.question
    again = make_canaries(examples, serving, seed=3)
    assert [t.answer for t in again.traces] == [t.answer for t in canaries.traces]
