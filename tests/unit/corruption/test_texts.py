"""Every corruption on sentences written by hand: it changes one thing, minimally, and can be undone."""

from __future__ import annotations

import re
from random import Random

import pytest

from judges.corruption import CORRUPTIONS, Kind, corrupt, corrupt_each
from tests.unit.corruption import cases_en, cases_zh

SEEDS = range(6)
CASES = [
    pytest.param(kind, sentence, pattern, module.CONTEXTS, id=f"{kind.value}-{sentence}")
    for module in (cases_en, cases_zh)
    for kind, cases in module.CASES.items()
    for sentence, pattern in cases
]
UNTOUCHED = [
    pytest.param(kind, sentence, id=f"{kind.value}-{sentence}")
    for module in (cases_en, cases_zh)
    for kind, sentences in module.UNTOUCHED.items()
    for sentence in sentences
]


@pytest.mark.parametrize("module", [cases_en, cases_zh], ids=["en", "zh"])
def test_every_kind_has_at_least_ten_sentences_in_each_language(module: object) -> None:
    cases = module.CASES  # type: ignore[attr-defined]
    assert set(cases) == set(Kind) - {Kind.MIXING}
    assert {kind: len(found) for kind, found in cases.items() if len(found) < 10} == {}


@pytest.mark.parametrize(("kind", "sentence", "pattern", "contexts"), CASES)
def test_a_sentence_becomes_one_that_says_something_else(
    kind: Kind, sentence: str, pattern: str, contexts: tuple[str, ...]
) -> None:
    for seed in SEEDS:
        change = CORRUPTIONS[kind](sentence, Random(seed), contexts)
        assert change is not None
        assert re.fullmatch(pattern, change.text), change.text
        assert change.kind is kind
        assert change.text[change.start : change.end] == change.after != change.before
        assert change.undo() == sentence


@pytest.mark.parametrize(("kind", "sentence"), UNTOUCHED)
def test_a_sentence_without_anything_to_change_is_left_alone(kind: Kind, sentence: str) -> None:
    assert {CORRUPTIONS[kind](sentence, Random(seed), ()) for seed in SEEDS} == {None}


def test_a_number_may_be_borrowed_from_another_sentence_in_the_same_unit() -> None:
    contexts = ["The small room holds 12 people.", "The large room holds 85 people."]
    changes = [
        CORRUPTIONS[Kind.NUMBER]("The small room holds 12 people.", Random(s), contexts) for s in range(12)
    ]
    borrowed = [c for c in changes if c is not None and c.manner == "borrowed"]
    assert {c.after for c in borrowed} == {"85"}
    assert len(borrowed) > 2


def test_a_sentence_that_a_context_says_anyway_is_no_corruption() -> None:
    contexts = ["该设备支持蓝牙。", "该设备不支持蓝牙。"]
    assert CORRUPTIONS[Kind.NEGATION]("该设备支持蓝牙。", Random(1), contexts) is None


@pytest.mark.parametrize(
    ("name", "contexts"),
    [
        ("Windows", ["It supports Windows, Linux and macOS, Android and iOS."]),
        ("Obama", ["Barack Obama spoke. Obama left."]),
        ("北京", ["分公司设在北京、上海和深圳。"]),
    ],
)
def test_a_name_is_not_swapped_for_one_that_stands_in_a_list_with_it(name: str, contexts: list[str]) -> None:
    sentence = f"The branch uses {name} there."
    listed = {"Linux", "macOS", "Barack Obama", "上海", "深圳"}
    for seed in SEEDS:
        change = CORRUPTIONS[Kind.ENTITY](sentence, Random(seed), contexts)
        assert change is None or change.after not in listed


@pytest.mark.parametrize(
    ("text", "contexts", "outcomes"),
    [
        (
            "The blue cup holds 300 ml.",
            ("The blue cup holds 300 ml.", "The red cup is made of glass. The red cup costs 9 dollars."),
            {
                "The red cup holds 300 ml.",
                "The blue cup holds 300 ml. The blue cup is made of glass.",
                "The blue cup holds 300 ml. The blue cup costs 9 dollars.",
            },
        ),
        (
            "年票的有效期为一年。",
            ("年票的有效期为一年。年票不可转让。", "季票可以退。季票需要照片。"),
            {
                "季票的有效期为一年。",
                "年票的有效期为一年。年票可以退。",
                "年票的有效期为一年。年票需要照片。",
            },
        ),
    ],
    ids=["en", "zh"],
)
def test_a_fact_of_one_chunk_is_said_of_the_subject_of_another(
    text: str, contexts: tuple[str, ...], outcomes: set[str]
) -> None:
    changes = [CORRUPTIONS[Kind.MIXING](text, Random(seed), contexts) for seed in range(24)]
    assert {change.text for change in changes if change is not None} == outcomes


@pytest.mark.parametrize(
    "text", ["See [3] and 【2】.", "1. Open it.\n2. Close it.", "Mail to a1@b2.example."]
)
def test_marks_and_addresses_are_never_touched(text: str) -> None:
    for kind in set(Kind) - {Kind.INVENTION}:
        for seed in SEEDS:
            change = CORRUPTIONS[kind](text, Random(seed), ())
            assert change is None or re.findall(r"\d\S*", change.text) == re.findall(r"\d\S*", text)


def test_any_kind_may_be_asked_for_or_left_to_chance() -> None:
    text = "The device supports 3 users for 30 days."
    only = corrupt(text, Random(1), kinds=[Kind.UNIT])
    assert only is not None
    assert only.kind is Kind.UNIT
    kinds = {change.kind for seed in range(40) if (change := corrupt(text, Random(seed)))}
    assert kinds >= {Kind.NUMBER, Kind.UNIT, Kind.NEGATION, Kind.INVENTION}
    assert corrupt("", Random(1)) is None


def test_each_applicable_kind_is_made_once() -> None:
    found = corrupt_each("该设备支持蓝牙，有效期30天。", Random(1))
    assert [change.kind for change in found] == [Kind.NUMBER, Kind.UNIT, Kind.NEGATION, Kind.INVENTION]
