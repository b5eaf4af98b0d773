"""The diagnosis names the first stage that failed, and says what to fix for every rule that there is."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from console import diagnosis
from console.diagnosis import diagnose
from console.words import LANGUAGES, load_words
from judges import finding, likeliest, triage

ROW: dict[str, Any] = {
    "failure": "poor_retrieval",
    "failure_confidence": 0.8,
    "first_failed_stage": "retrieval",
    "rule": "context_off_topic",
    "coverage": "full",
    "parametric_leak": False,
}


def stages(**values: Any) -> dict[str, str]:
    return dict(diagnose(ROW | values, {}).stages)


def test_nothing_is_held_against_what_comes_before_the_failure_and_what_follows_is_not_asked() -> None:
    assert stages() == {
        "ingestion": "passed", "query": "passed", "retrieval": "failed", "generation": "after",
    }  # fmt: skip


def test_a_healthy_trace_has_passed_everywhere() -> None:
    assert set(stages(failure="healthy", first_failed_stage="").values()) == {"passed"}


def test_a_trace_that_nobody_could_look_at_is_not_known_to_be_healthy() -> None:
    row = ROW | {"failure": "healthy", "first_failed_stage": "", "coverage": "no_context"}
    assert diagnose(row, {}).unseen
    assert {state for _, state in diagnose(row, {}).stages} == {"unknown"}


def test_a_failure_without_a_stage_blames_none() -> None:
    assert set(stages(first_failed_stage="").values()) == {"unknown"}


def test_numbers_that_were_not_measured_are_left_out() -> None:
    assert diagnose(ROW, {"context_sufficiency": 0.1, "question_in_support": None}).facts == (
        ("context_sufficiency", 0.1),
    )


def test_a_rule_of_a_scorer_that_is_not_known_here_gets_advice_all_the_same() -> None:
    assert diagnose(ROW | {"rule": "asked_the_stars"}, {}).fix == "other"


def rules() -> list[str]:
    """Every rule that triage can name, from its sources."""
    text = "".join(inspect.getsource(module) for module in (triage, finding, likeliest))
    found = set(re.findall(r'"((?:[a-z]+_)+[a-z]+)"', text)) | {"follow_up_missing", "follow_up_unchanged"}
    return sorted(found & diagnosis._RULES | {"follow_up_wrong", "follow_up_astray"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_words_and_advice(language: str) -> None:
    words = load_words(language)
    assert len(rules()) >= 17
    for rule in diagnosis._RULES:
        assert words[f"rule.{rule}"]
        assert words[f"fix.{rule}"]


def test_every_rule_that_triage_names_is_known_here() -> None:
    text = inspect.getsource(triage)
    named = set(re.findall(r'_(?:system|empty|poor)\((?:[^"()]*(?:\([^()]*\))?[^"()]*)?"([a-z_]+)"', text))
    assert len(named) >= 9
    assert named <= diagnosis._RULES
