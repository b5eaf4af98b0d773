"""From what a model wrote to a filled form."""

from __future__ import annotations

import contextlib
import json
from enum import StrEnum
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from judges.llm.asking import Reason
from judges.llm.completion import without_thoughts
from judges.llm.reading import Misfit, read_form


class Label(StrEnum):
    YES = "yes"
    NO = "no"


class Claim(BaseModel):
    text: str
    label: Literal["supported", "not_found"]


class Verdict(BaseModel):
    reasoning: str
    score: int = Field(ge=1, le=5)
    share: float = Field(default=0.5, ge=0, le=1)
    sure: bool = True
    label: Label = Label.YES
    claims: list[Claim] = []


GOOD = {"reasoning": "好", "score": 4, "share": 0.25, "sure": False, "label": "no", "claims": []}


def read(text: str) -> Verdict:
    return read_form(text, Verdict)[0]


def reason_for(text: str) -> Reason:
    with pytest.raises(Misfit) as caught:
        read(text)
    return caught.value.reason


def test_a_bare_object_stands_alone() -> None:
    value, alone = read_form(json.dumps(GOOD), Verdict)
    assert value == Verdict(reasoning="好", score=4, share=0.25, sure=False, label=Label.NO)
    assert alone


@pytest.mark.parametrize(
    "dress",
    [
        "```json\n{}\n```",
        "```\n{}```",
        "My verdict:\n{}\nThat is all.",
        "评分如下：{}。",
        "{}\n\n{{not json}}",
    ],
)
def test_an_object_among_words_or_in_a_fence_is_found_and_said_to_be(dress: str) -> None:
    value, alone = read_form(dress.replace("{}", json.dumps(GOOD), 1).replace("{{", "{"), Verdict)
    assert value.score == 4
    assert not alone


def test_line_breaks_within_a_text_are_read_though_json_forbids_them() -> None:
    assert read('{"reasoning": "one\ntwo", "score": 3}').reasoning == "one\ntwo"


@pytest.mark.parametrize(
    "text", ["", "no", "I find it good.", '{"reasoning": "cut off', "[1, 2]", "4", "null"]
)
def test_without_an_object_it_is_unreadable(text: str) -> None:
    assert reason_for(text) is Reason.UNREADABLE


@pytest.mark.parametrize("text", ["I'm sorry, but I cannot judge this.", "抱歉，我无法评价这段内容。"])
def test_a_refusal_in_prose_is_one(text: str) -> None:
    assert reason_for(text) is Reason.REFUSED


@pytest.mark.parametrize(
    "score", ["NaN", "Infinity", "-Infinity", "1e999", '"NaN"', '"inf"', "0", "6", "4.5", '"4.5"', '"four"',
              "null", "true", '"true"', "[4]", '{"value": 4}', '"4 / 5"', '"0x4"', '"٤"', '""', "1e400"]
)  # fmt: skip
def test_no_other_number_passes_for_a_score(score: str) -> None:
    assert reason_for(f'{{"reasoning": "r", "score": {score}}}') is Reason.INVALID


@pytest.mark.parametrize("share", ["NaN", "Infinity", "-0.01", "1.01", '"nan"', '"1,5"', "null"])
def test_no_other_number_passes_for_a_share(share: str) -> None:
    assert reason_for(f'{{"reasoning": "r", "score": 4, "share": {share}}}') is Reason.INVALID


@pytest.mark.parametrize("score", ['"4"', " 4", "4.0", '"4.0"', '" 4 "'])
def test_a_number_that_is_beyond_doubt_is_taken(score: str) -> None:
    value = read(f'{{"reasoning": "r", "score": {score}}}').score
    assert value == 4
    assert isinstance(value, int)


def test_a_truth_written_as_text_is_taken() -> None:
    assert read('{"reasoning": "r", "score": 4, "sure": "False"}').sure is False


@pytest.mark.parametrize("label", ['"maybe"', '"Yes!"', "1", "null", '["yes"]'])
def test_no_other_label_passes(label: str) -> None:
    assert reason_for(f'{{"reasoning": "r", "score": 4, "label": {label}}}') is Reason.INVALID


def test_a_number_deep_inside_is_held_to_the_same_rules() -> None:
    class Inner(BaseModel):
        n: int = Field(ge=0, le=1)

    class Outer(BaseModel):
        rows: list[Inner]

    assert read_form('{"rows": [{"n": 0}, {"n": "1"}]}', Outer)[0].rows[1].n == 1
    with pytest.raises(Misfit):
        read_form('{"rows": [{"n": 0}, {"n": NaN}]}', Outer)


def test_keys_too_many_are_left_out_also_where_the_form_forbids_them() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(extra="forbid")
        score: int

    assert read_form('{"score": 2, "confidence": 1, "note": "x"}', Strict)[0].score == 2
    assert read(json.dumps(GOOD | {"more": 1})).score == 4


def test_a_key_that_stands_twice_is_never_chosen_from() -> None:
    assert reason_for('{"reasoning": "r", "score": 1, "score": 5}') is Reason.UNREADABLE


def test_of_two_different_objects_that_fit_none_is_taken() -> None:
    first, second = json.dumps(GOOD), json.dumps(GOOD | {"score": 5})
    assert reason_for(f"The text says {first}. My verdict is {second}.") is Reason.UNREADABLE
    assert read(f"{first}\nOnce more:\n{first}").score == 4


def test_an_object_that_does_not_fit_is_passed_over_for_one_that_does() -> None:
    assert read(f'It wrote {{"score": 5}}, hence {json.dumps(GOOD)}').score == 4


def test_an_object_within_another_is_not_the_answer() -> None:
    inner = json.dumps(GOOD)
    assert reason_for(f'{{"verdict": {inner}}}') is Reason.INVALID


@pytest.mark.parametrize(
    "text",
    [
        '<think>{"score": 1}</think>{"score": 5}',
        '{"score": 1} hmm, no</think>\n\n{"score": 5}',
        '<thinking>\n{"score": 1}\n</thinking> {"score": 5}',
    ],
)
def test_thoughts_are_no_answer(text: str) -> None:
    assert without_thoughts(text) == '{"score": 5}'


def test_thoughts_without_an_end_are_all_there_is() -> None:
    assert without_thoughts('<think>perhaps {"score": 5}') == ""


@given(st.text())
def test_whatever_is_written_ends_as_a_form_or_a_misfit(text: str) -> None:
    with contextlib.suppress(Misfit):
        assert 1 <= read_form(text, Verdict)[0].score <= 5


KEYS = st.sampled_from(["reasoning", "score", "share", "sure", "label", "claims", "text", "x"])
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20))
def test_whatever_json_is_written_no_bad_number_gets_through(value: object) -> None:
    try:
        filled, _ = read_form(json.dumps(value), Verdict)
    except Misfit:
        return
    assert 1 <= filled.score <= 5
    assert 0 <= filled.share <= 1


def test_deeply_nested_json_is_a_misfit_not_a_crash() -> None:
    assert reason_for("[" * 100_000) is Reason.UNREADABLE
    assert reason_for('{"a":' * 100_000) is Reason.UNREADABLE
