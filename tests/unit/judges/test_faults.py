"""Failure traces to learn from: what they are made of, what is known of them, and heads fitted on them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from judges.corruption.traces import Material
from judges.distillation.faults import CLASSES, Fault, make_faults
from judges.distillation.material import (
    Source,
    ask_on,
    cut_passage,
    read_answerability,
    read_faithfulness,
    read_rewrites,
)
from judges.distilled.heads.classes import CLASSES as LEARNED
from schemas.taxonomy import Failure

THINGS = "Aurora Borealis Cascade Dune Ember Fjord Glacier Harbor Iris Juniper Kestrel Lagoon".split()
THINGS_ZH = "极光 北斗 瀑布 沙丘 余烬 峡湾 冰川 港湾 鸢尾 杜松 红隼 泻湖".split()


def answerable(i: int, language: str) -> dict[str, Any]:
    name, names = (THINGS[i], THINGS) if language == "en" else (THINGS_ZH[i], THINGS_ZH)
    other = names[(i + 5) % len(names)]
    size, year = 20 + 3 * i, 1950 + i
    if language == "en":
        question = f"How tall is the {name} lamp?"
        chunk = f"{name} lamp: It was drawn in {year}. The {name} lamp is {size} cm tall. It glows softly."
        near = f"{other} shelf: The {other} shelf was built in {year + 9} by hand. It is light and wide."
        answer = f"The {name} lamp is {size} cm tall."
    else:
        question = f"{name}台灯的价格是多少？"
        chunk = f"{name}台灯: 设计于{year}年。{name}台灯的价格是{size}元。灯光柔和。"
        near = f"{other}书架: {other}书架制作于{year + 9}年，十分轻便，木料来自本地。"
        answer = f"{name}台灯的价格是{size}元。"
    return {
        "lang": language, "source": "lamps", "group": f"{language} {i}", "train_ok": True, "id": f"{i}",
        "question": question, "contexts": [chunk, near], "answerable": True, "answer": answer,
    }  # fmt: skip


def unanswerable(i: int, language: str) -> dict[str, Any]:
    row = answerable(i, language)
    rest = [answerable((i + k) % len(THINGS), language)["contexts"][0] for k in (1, 2, 3)]
    return {**row, "contexts": rest, "answerable": False, "answer": None, "source": "gaps", "id": f"u{i}"}


ROWS = [
    make(i, language) for make in (answerable, unanswerable) for i in range(12) for language in ("en", "zh")
]
FOLLOW_UP = {
    "lang": "en", "source": "talks", "group": "g", "train_ok": True, "question": "How old is it?",
    "rewrite": "How old is the Aurora lamp?",
    "history": [{"role": "user", "content": "Tell me about the Aurora lamp."}],
}  # fmt: skip


@pytest.fixture(scope="module")
def faults() -> list[Fault]:
    return make_faults([*read_answerability(ROWS), *read_rewrites([FOLLOW_UP])], each=12, seed=1)


def test_every_class_is_made_in_both_languages(faults: list[Fault]) -> None:
    made = Counter((f.language, f.failure) for f in faults)
    assert {(language, name) for language in ("en", "zh") for name in CLASSES} == set(made)
    assert set(CLASSES) == set(LEARNED)


def test_the_chunk_that_answers_is_known_wherever_one_does(faults: list[Fault]) -> None:
    lacking = {Failure.REWRITE_FAILURE, Failure.POOR_RETRIEVAL}
    for fault in faults:
        assert fault.trace.retrieval
        assert fault.trace.retrieval.chunks
        assert fault.holds_answer == (fault.failure not in lacking)
        if fault.holds_answer:
            assert fault.answering is not None
            text = fault.trace.retrieval.chunks[fault.answering].text or ""
            assert any(
                text.startswith(row["contexts"][0][:12]) for row in ROWS if row["group"] == fault.group
            )
        else:
            assert fault.answering is None


def test_what_was_found_for_a_question_without_an_answer_is_marked(faults: list[Fault]) -> None:
    found = [f for f in faults if f.found]
    assert found
    assert all(f.source == "gaps" and f.failure == Failure.POOR_RETRIEVAL for f in found)


def test_stand_ins_are_never_given_as_answers(faults: list[Fault]) -> None:
    talks = [f for f in faults if f.source == "talks"]
    assert talks
    assert not any("How old is the Aurora lamp?" in (f.trace.answer or "") for f in talks)


def test_the_same_seed_makes_the_same_traces(faults: list[Fault]) -> None:
    again = make_faults([*read_answerability(ROWS), *read_rewrites([FOLLOW_UP])], each=12, seed=1)
    assert again == faults


def test_rows_that_may_not_ship_teach_nothing() -> None:
    barred = [{**row, "train_ok": False} for row in ROWS]
    assert not list(read_answerability(barred))
    assert not list(read_rewrites([{**FOLLOW_UP, "train_ok": False}]))


def test_a_flawed_answer_only_makes_hallucinations() -> None:
    material = Material("en", "How tall is it?", ("It is 30 cm tall and red.",), "It is 90 cm tall.")
    others = list(read_answerability(ROWS))
    made = make_faults([Source(material, "flawed", "flaws", flawed=True), *others], each=40, seed=2)
    mine = [f for f in made if f.source == "flaws"]
    assert {f.failure for f in mine} == {Failure.HALLUCINATION}


def test_facts_are_asked_of_records() -> None:
    record = '{"name": "Aurora Cafe", "address": "1 Elm St", "city": "Reno", "hours": {"Monday": "9:0-17:0"}}'
    row = {
        "lang": "en", "source": "ragtruth", "task": "Data2txt", "group": "r", "train_ok": True, "label": 0,
        "question": None, "contexts": [record], "answer": "Aurora Cafe is in Reno.",
    }  # fmt: skip
    asked = [s.material for s in read_faithfulness([row])]
    assert [m.question for m in asked] == [
        "Give me an overview of Aurora Cafe from its record.",
        "When is Aurora Cafe open on Monday?",
        "Where can I find Aurora Cafe?",
    ]
    assert "9:0 to 17:0" in asked[1].answer


def test_news_can_be_asked_on_in_a_second_turn() -> None:
    material = Material("zh", "关于“极光台灯上市”，报道里是怎么说的？", ("极光台灯今天上市。",), "今天上市。")
    later = ask_on(Source(material, "g", "news"), 0)
    assert later is not None
    assert later.material.is_follow_up
    assert "极光台灯上市" in (later.material.rewrite or "")
    assert ask_on(Source(Material("en", "Who?", ("I.",), "I."), "g", "news"), 0) is None


def test_long_passages_are_cut_at_sentences_and_records_never() -> None:
    text = "这是一个句子，说的是台灯。" * 60
    pieces = cut_passage(text, "zh")
    assert len(pieces) > 1
    assert all(p.endswith("。") for p in pieces)
    assert "".join(pieces) == text
    record = '{"a": "' + "x. " * 900 + '"}'
    assert cut_passage(record, "en") == [record]


def test_heads_are_fitted_from_rows_alone() -> None:
    pytest.importorskip("lightgbm", reason="needs the extra: pip install 'ragpulse[distill]'")
    from judges.distillation.fit_triage import Stock, fit_stages
    from judges.distilled.rules import judge_claims

    stages = fit_stages(Stock(ROWS, [], [FOLLOW_UP]), lambda features, groups: judge_claims(features), 3, 12)
    assert {name.split("_")[0] for name in stages.forests} == {"sufficiency", "class"}
    assert set(stages.calibration["class_healthy"]) == {"en", "zh"}
    assert all(np.isfinite(array).all() for array in stages.arrays.values())
    assert stages.rows["gaps"] == 24
