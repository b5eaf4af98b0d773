"""There is a sentence for every way in which labels teach nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from judges.distillation.examples import Example, Source
from judges.distillation.leaks import find_leaks, refuse_leaks
from judges.distillation.refuse import LabelsRefused, refuse_few, refuse_single_annotator
from tests.unit.judges.distillation.made import example, label, simulated


def many(bad: int, good: int, **values: Any) -> list[Example]:
    return [example(n, n < bad, **values) for n in range(bad + good)]


def test_enough_labels_are_taken() -> None:
    refuse_few(many(40, 40))


@pytest.mark.parametrize(
    ("examples", "says"),
    [
        ([], "no label to learn from: at least 40 hallucinated and 40 supported"),
        ([example(1, None)], "no label to learn from"),
        (many(60, 0), "All 60 labels say 'hallucinated'.*At least 40 traces labelled 'supported'"),
        (many(0, 60), "All 60 labels say 'supported'.*At least 40 traces labelled 'hallucinated'"),
        (many(39, 500), "39 traces are labelled 'hallucinated', at least 40 are needed"),
    ],
)
def test_too_few_labels_or_one_class_only(examples: list[Example], says: str) -> None:
    with pytest.raises(LabelsRefused, match=says):
        refuse_few(examples)


def test_a_language_with_too_few_labels_is_named_and_a_stray_trace_is_not() -> None:
    chinese = [
        example(1000 + n, n < 5, question=f"包裹{n}在哪里？", answer=f"包裹{n}在{n}号门。") for n in range(30)
    ]
    english = many(60, 100)
    with pytest.raises(LabelsRefused, match="in language zh: 5 of its 30 labelled traces are 'hallucinated'"):
        refuse_few([*english, *chinese])
    refuse_few([*english, *chinese[:2]])


def test_one_annotator_alone_is_not_believed_unless_a_judge_or_a_second_person_spoke() -> None:
    def by(*names: str, source: Source = Source.HUMAN) -> list[Example]:
        return [example(n, n % 2 == 0, label=label(by=source, who=(name,))) for n, name in enumerate(names)]

    with pytest.raises(LabelsRefused, match=r"from one annotator \(ann\).*--allow-single-annotator"):
        refuse_single_annotator(by("ann", "ann"))
    with pytest.raises(LabelsRefused, match="from one annotator"):
        refuse_single_annotator(by("ann", source=Source.FILE))
    refuse_single_annotator(by("ann", "bob"))
    refuse_single_annotator([*by("ann"), *by("judge/m", source=Source.JUDGE)])


LEAKS: dict[str, tuple[str, Any]] = {
    "release": ("release.prompt", lambda n, bad: {"release": {"prompt": "p8" if bad else "p7"}}),
    "tenant": ("tenant", lambda n, bad: {"tenant": "bad-co" if bad else "good-co"}),
    "model": ("generation.model", lambda n, bad: {"generation": {"model": "m1" if bad else "m2"}}),
    "id": ("the form of trace_id", lambda n, bad: {"trace_id": f"{'neg' if bad else 'pos'}-{n:06d}"}),
    "extra": ("extra.quality", lambda n, bad: {"extra": {"quality": "poor" if bad else "fine"}}),
    "nested": ("extra.meta.gold", lambda n, bad: {"extra": {"meta": {"gold": int(bad)}}}),
    "unknown key": ("extra.is_bad", lambda n, bad: {"is_bad": bad}),
    "feedback": ("having feedback", lambda n, bad: {"feedback": {"rating": -1} if bad else None}),
    "length": (
        "length of answer",
        lambda n, bad: {"answer": f"Gate {n}." + (" And more." * 9 if bad else "")},
    ),
    "marker": ("how the answer ends", lambda n, bad: {"answer": f"Gate {n}. [{'NOT OK' if bad else 'OK'}]"}),
    "score": ("top score", lambda n, bad: {"retrieval": {"chunks": [{"text": "x", "score": n / 1e4 + bad}]}}),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_field_that_gives_the_label_away_is_named(name: str) -> None:
    field, values = LEAKS[name]
    examples = [example(n, n % 3 == 0, **values(n, n % 3 == 0)) for n in range(240)]
    assert field in {leak.field for leak in find_leaks(examples, np.arange(240))}
    with pytest.raises(LabelsRefused, match="gives the label away"):
        refuse_leaks(examples, np.arange(240))


def test_a_word_that_stands_in_all_bad_answers_is_a_leak() -> None:
    words = ("soon", "later", "today", "now")
    examples = [
        example(
            n, n % 3 == 0, answer=f"It {'XQZ ' if n % 3 == 0 else ''}comes {words[n % 4]}, {words[n % 2]}."
        )
        for n in range(240)
    ]
    leaks = {leak.field for leak in find_leaks(examples, np.arange(240))}
    assert "the word 'xqz' in question or answer" in leaks


def test_a_release_that_is_worse_than_another_is_no_leak() -> None:
    examples = [example(n, n % 5 < (3 if n % 2 else 1), release={"prompt": f"p{n % 2}"}) for n in range(400)]
    assert find_leaks(examples, np.arange(400)) == []


def test_ordinary_traffic_gives_nothing_away() -> None:
    examples = simulated(1200, seed=4)
    assert find_leaks(examples, np.arange(len(examples))) == []
