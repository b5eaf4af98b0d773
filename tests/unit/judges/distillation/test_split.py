"""The latest examine, nobody is examined on what they were taught, and the same seed divides alike."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.distillation.examples import Example
from judges.distillation.split import fold_of, group_keys, split_examples
from schemas.trace import Trace
from tests.unit.judges.distillation.made import START, example, label


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 9), st.one_of(st.none(), st.integers(0, 500))),
        min_size=1,
        max_size=80,
    ),
    st.integers(0, 3),
)
def test_no_group_is_ever_on_both_sides(rows: list[tuple[int, int, int | None]], seed: int) -> None:
    examples = [
        example(
            number,
            conversation_id=f"c{conversation}" if conversation else None,
            question=f"question {question}?",
            timestamp=None if minute is None else START + timedelta(minutes=minute),
        )
        for number, (conversation, question, minute) in enumerate(rows)
    ]
    split = split_examples(examples, seed)
    assert not (split.teaches & split.examines).any()
    taught = {key for e, t in zip(examples, split.teaches, strict=True) if t for key in group_keys(e)}
    asked = {key for e, t in zip(examples, split.examines, strict=True) if t for key in group_keys(e)}
    assert not taught & asked
    for e, teaches, examines in zip(examples, split.teaches, split.examines, strict=True):
        if split.cut and e.at:
            assert not (teaches and e.at >= split.cut)
            assert not (examines and e.at < split.cut)


def test_the_latest_third_examines() -> None:
    split = split_examples([example(n) for n in range(100)], 0)
    assert split.teaches[:70].all()
    assert split.examines[70:].all()
    assert split.cut == START + timedelta(minutes=70)


def test_questions_asked_again_and_again_are_left_out_on_one_side() -> None:
    examples = [example(n, question=f"question {n % 20}?") for n in range(200)]
    split = split_examples(examples, 0)
    assert split.teaches.sum() > 50
    assert split.examines.sum() > 10
    assert (split.teaches | split.examines).sum() < 200


def test_a_question_is_the_same_however_it_is_spelt_and_another_after_another_turn() -> None:
    def keys(question: str, *asked: str) -> tuple[str, ...]:
        history = [{"role": "user", "content": text} for text in asked]
        return group_keys(example(1, question=question, history=history))

    assert keys("它支持INT4吗？") == keys("它支持 int4 吗?")
    assert keys("And in blue?", "How long is the red one?") != keys("And in blue?", "Who made it?")


def test_without_a_question_the_document_is_the_group() -> None:
    def trace(number: int, text: str) -> Trace:
        return Trace.model_validate(
            {
                "trace_id": f"t{number}",
                "question": None,
                "answer": "x",
                "retrieval": {"chunks": [{"text": text}]},
            }
        )

    a, b, c = (
        Example(trace(n, text), label()) for n, text in enumerate(("One text.", "One text.", "Another."))
    )
    assert group_keys(a) == group_keys(b) != group_keys(c)


def test_what_a_file_calls_a_group_is_one_whatever_the_questions() -> None:
    a, b = (Example(example(n).trace, label(), group="page 7") for n in (1, 2))
    assert group_keys(a) == group_keys(b) == ("group page 7",)


def test_without_times_a_hash_divides_and_the_seed_decides_how() -> None:
    examples = [example(n, timestamp=None) for n in range(400)]
    split, same, other = (split_examples(examples, seed) for seed in (1, 1, 2))
    assert split.cut is None
    assert 0.2 < split.examines.mean() < 0.4
    assert (split.teaches | split.examines).all()
    assert (split.examines == same.examines).all()
    assert (split.examines != other.examines).any()


def test_folds_keep_groups_together_and_are_about_equal() -> None:
    clusters = np.arange(1000) // 2
    folds = fold_of(clusters, 5, seed=3)
    assert (folds[::2] == folds[1::2]).all()
    assert np.bincount(folds).tolist() == [200] * 5
