"""How the weights are fitted that read an embedding model's vectors: on labelled questions, by folds."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

TOOLS = str(Path(__file__).resolve().parents[3] / "tools")
if TOOLS not in sys.path:
    sys.path.append(TOOLS)

from encoder_training.answering import FOLDS, Answered, embed_rows, fit_head, fold_rows  # noqa: E402

from judges.encoder.answering import Vectors, combine  # noqa: E402

PREFIXES = ("q: ", "p: ")


def row(number: int, contexts: list[str], answerable: bool, **more: Any) -> dict[str, Any]:
    return {
        "question": f"question {number} topic{number % 7}",
        "contexts": contexts,
        "answerable": answerable,
        "group": f"g{number}",
        "source": "made",
        "lang": "en" if number % 2 else "zh",
        **more,
    }


def some_rows(count: int = 240) -> list[dict[str, Any]]:
    """Every passage is on the topic of its question; half of the questions have one that answers."""
    random, rows = Random(3), []
    for n in range(count):
        topic, answerable = f"topic{n % 7}", random.random() < 0.5
        others = [f"{topic} idle {n} {i}" for i in range(3)]
        rows.append(row(n, ([f"{topic} answer {n}"] if answerable else []) + others, answerable))
    return rows


def embed(texts: list[str]) -> Vectors:
    """Seven dimensions of topics, where all texts are loud; one that only questions and answers have, and one
    of noise: a cosine, which hears all alike, is drowned."""
    found = np.zeros((len(texts), 9), dtype=np.float32)
    for at, text in enumerate(texts):
        noise = np.random.default_rng(sum(text.encode()))
        for n in range(7):
            found[at, n] = (f"topic{n}" in text) * noise.uniform(0.5, 1.5)
        found[at, 7] = 0.5 if "question" in text or "answer" in text else 0.0
        found[at, 8] = noise.normal()
    scaled: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
    return scaled


def some_answers(count: int = 200) -> Answered:
    """Answers of which every other one answers; the cheap scorer knows nothing."""
    texts = [f"topic{n % 7} {'answer' if n % 2 else 'idle'} {n}" for n in range(count)]
    return Answered(
        questions=embed([f"question {n} topic{n % 7}" for n in range(count)]),
        answers=embed(texts),
        answerable=np.array([n % 2 for n in range(count)]),
        cheap=np.random.default_rng(7).normal(size=count),
        worth=np.ones(count),
        language=np.array(["en" if n % 4 < 2 else "zh" for n in range(count)]),
    )


def test_rows_that_share_a_passage_or_a_question_are_in_one_fold() -> None:
    rows = some_rows(60)
    rows[3]["contexts"][0] = rows[40]["contexts"][0]
    rows[40]["question"] = rows[17]["question"]
    rows[17]["group"] = rows[55]["group"]
    fold = fold_rows(rows, seed=1)
    assert len({int(fold[i]) for i in (3, 17, 40, 55)}) == 1
    assert set(fold.tolist()) == set(range(FOLDS))
    assert fold.tolist() == fold_rows(rows, seed=1).tolist() != fold_rows(rows, seed=2).tolist()


def test_the_first_passage_of_an_answerable_question_answers_and_of_the_others_nobody_said() -> None:
    rows = [row(0, ["a", "b"], True), row(1, ["c", "d"], False)]
    table = embed_rows(rows, [0.0, 0.0], embed, PREFIXES, seed=1)
    assert table.answers.tolist() == [1, -1, 0, 0]
    assert table.owner.tolist() == [0, 0, 1, 1]


def test_what_answers_is_learned_where_a_cosine_hears_only_the_topic() -> None:
    rows = some_rows()
    table = embed_rows(rows, [0.0] * len(rows), embed, PREFIXES, seed=1)
    head, said = fit_head(table, some_answers(), "test-1", PREFIXES)
    answerable = table.answerable.astype(bool)
    assert np.mean((said["best"] > 0) == answerable) > 0.9  # by heads that did not see the question
    assert said["both"][answerable].min() > said["both"][~answerable].max() - 3.0
    assert set(head.by_language) == {"any", "en", "zh"}
    assert head.of("en").weights[7] > 5 * abs(head.of("en").weights[8])
    assert head.facts["questions"] == {"made en": 120, "made zh": 120}


@pytest.mark.parametrize("language", ["en", "zh", "fr"])
def test_the_blend_leans_on_what_tells_more(language: str) -> None:
    rows = some_rows()
    random = np.random.default_rng(5)
    table = embed_rows(rows, random.normal(size=len(rows)).tolist(), embed, PREFIXES, seed=1)
    head, _ = fit_head(table, some_answers(), "test-1", PREFIXES)
    weights = head.of(language)
    for blend in (weights.blend, weights.answered):
        assert abs(blend.cheap) < 0.5 < blend.encoder
        assert combine(blend, 3.0, 0.5) > 0.8 > 0.2 > combine(blend, -3.0, 0.5)
