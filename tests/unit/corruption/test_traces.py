"""Traces made to fail: the truth about each, held against the trace itself and against triage."""

from __future__ import annotations

from random import Random

import pytest

from judges.corruption.traces import Made, Material, Pool, list_kinds, make_trace
from judges.corruption.traces.draft import start_draft
from judges.corruption.traces.gather import HOLDS_ANSWER
from judges.corruption.traces.make import WRITERS
from judges.corruption.traces.overlap import coverage
from judges.corruption.traces.write_unanswerable import misresolve
from judges.distilled import load_scorer
from judges.triage import triage
from schemas.scored import Scores
from schemas.taxonomy import FAILURES, Failure
from tests.unit.corruption.library import LANGUAGES, load_materials

by_language = pytest.mark.parametrize("language", LANGUAGES)
PLAIN = {
    Failure.SYSTEM_ERROR: ("generation_error", "retrieval_error", "empty_answer", "cut_off"),
    Failure.EMPTY_RECALL: ("no_chunks", "blank_chunks", "below_min_score"),
}
"""Kinds that show without looking at a text."""


def make_all(language: str, failure: Failure | None, kind: str, seeds: range = range(2)) -> list[Made]:
    """Traces of one kind from every material that admits it."""
    found = [
        make_trace(material, pool, failure, Random(seed), kind)
        for seed in seeds
        for material, pool in load_materials(language)
    ]
    return [made for made in found if made is not None]


def texts(made: Made) -> list[str]:
    retrieval = made.trace.retrieval
    return [chunk.text or "" for chunk in (retrieval.chunks if retrieval else None) or ()]


@by_language
@pytest.mark.parametrize(
    ("failure", "kind"), [(failure, kind) for failure in WRITERS for kind in list_kinds(failure)]
)
def test_every_kind_can_be_made_and_says_so(language: str, failure: Failure | None, kind: str) -> None:
    made = make_all(language, failure, kind)
    assert made
    for one in made:
        assert one.truth.failure is failure
        assert one.truth.kind == kind
        assert one.trace.language in (language, None)
        assert not ({"truth", "failure", "kind"} & one.trace.model_dump().keys())


@by_language
@pytest.mark.parametrize(("failure", "kind"), [(f, k) for f, kinds in PLAIN.items() for k in kinds])
def test_triage_finds_what_shows_without_reading(language: str, failure: Failure, kind: str) -> None:
    verdicts = {triage(m.trace, Scores("none")).failure for m in make_all(language, failure, kind)}
    assert verdicts == {failure}


@by_language
@pytest.mark.parametrize("kind", ["leak", "dump", "html"])
def test_the_scorer_sees_most_of_what_a_broken_program_left(language: str, kind: str) -> None:
    made = make_all(language, Failure.SYSTEM_ERROR, kind)
    scores = load_scorer().score([m.trace for m in made])
    found = [triage(m.trace, s).failure for m, s in zip(made, scores, strict=True)]
    assert found.count(Failure.SYSTEM_ERROR) >= 0.8 * len(found)


@by_language
def test_the_same_seed_gives_the_same_trace(language: str) -> None:
    material, pool = load_materials(language)[0]
    for failure in WRITERS:
        first, second = (make_trace(material, pool, failure, Random(7)) for _ in range(2))
        assert first == second


@by_language
def test_a_healthy_answer_lies_in_its_chunks(language: str) -> None:
    for made in make_all(language, None, "supported"):
        assert made.truth.context_holds_answer
        assert not made.truth.refusal
        assert any(coverage(c, made.trace.answer or "") > 0.2 for c in texts(made))


@by_language
@pytest.mark.parametrize("kind", list_kinds(Failure.HALLUCINATION))
def test_a_hallucination_differs_where_its_changes_say(language: str, kind: str) -> None:
    for made in make_all(language, Failure.HALLUCINATION, kind):
        last = made.truth.changes[-1]
        assert last.text == made.trace.answer
        assert last.undo() != made.trace.answer
        for change in made.truth.changes:
            assert (made.trace.answer or "")[change.start : change.end] == change.after
        assert len(made.truth.changes) == (2 if kind == "two_changes" else 1)


@by_language
@pytest.mark.parametrize("kind", list_kinds(Failure.POOR_RETRIEVAL))
def test_poorly_retrieved_chunks_do_not_hold_the_answer(language: str, kind: str) -> None:
    for material, pool in load_materials(language):
        made = make_trace(material, pool, Failure.POOR_RETRIEVAL, Random(2), kind)
        if made is not None:
            assert not made.truth.context_holds_answer
            assert max(coverage(material.answer, text) for text in texts(made)) < HOLDS_ANSWER


@by_language
@pytest.mark.parametrize("kind", list_kinds(Failure.REWRITE_FAILURE))
def test_a_rewrite_fails_as_its_kind_says(language: str, kind: str) -> None:
    for made in make_all(language, Failure.REWRITE_FAILURE, kind):
        trace = made.trace
        assert trace.history
        assert texts(made)
        rewritten = {"missing": None, "unchanged": trace.question}.get(kind, trace.rewritten_query)
        assert trace.rewritten_query == rewritten
        if kind == "wrong_entity":
            assert trace.rewritten_query not in (None, trace.question)


@by_language
def test_a_clear_question_without_a_name_cannot_be_rewritten_wrongly(language: str) -> None:
    question, answer = {"en": ("Why?", "It is late."), "zh": ("为什么？", "因为晚了。")}[language]
    material = Material(language, question, (answer,), answer)
    pool = load_materials(language)[0][1]
    assert make_trace(material, pool, Failure.REWRITE_FAILURE, Random(1)) is None


@by_language
@pytest.mark.parametrize("kind", list_kinds(Failure.OVER_REFUSAL))
def test_a_refusal_too_many_stands_over_chunks_that_answer(language: str, kind: str) -> None:
    for made in make_all(language, Failure.OVER_REFUSAL, kind):
        assert made.truth.refusal
        assert made.truth.context_holds_answer
        assert "{" not in (made.trace.answer or "{")


@by_language
@pytest.mark.parametrize(
    "kind", ["mojibake", "glyphs", "shifted_letters", "escapes", "html", "latex", "columns"]
)
def test_the_chunk_that_held_the_answer_can_no_longer_be_read(language: str, kind: str) -> None:
    for material, pool in load_materials(language):
        made = make_trace(material, pool, Failure.SYSTEM_ERROR, Random(4), kind)
        assert made is not None
        assert not made.truth.context_holds_answer
        assert not any(material.chunks[0][:40] in text for text in texts(made))


def test_an_unknown_kind_is_refused_with_the_known_ones() -> None:
    material, pool = load_materials("en")[0]
    with pytest.raises(ValueError, match="irrelevant, near, cut"):
        make_trace(material, pool, Failure.POOR_RETRIEVAL, Random(1), "invented")


@pytest.mark.parametrize(
    ("language", "question", "chunks", "answer"),
    [("fr", "q", ("c",), "a"), ("en", " ", ("c",), "a"), ("en", "q", (" ",), "a"), ("en", "q", ("c",), "")],
)
def test_material_must_be_complete(
    language: str, question: str, chunks: tuple[str, ...], answer: str
) -> None:
    with pytest.raises(ValueError, match=r"language is|are needed"):
        Material(language, question, chunks, answer)


def test_every_failure_has_writers() -> None:
    assert set(WRITERS) == {None, *FAILURES}


def test_an_empty_pool_still_gives_what_needs_no_other_passages() -> None:
    material, _ = load_materials("zh")[0]
    for failure in (None, Failure.HALLUCINATION, Failure.OVER_REFUSAL, Failure.EMPTY_RECALL):
        assert make_trace(material, Pool(), failure, Random(1)) is not None
    assert make_trace(material, Pool(), Failure.POOR_RETRIEVAL, Random(1), "irrelevant") is None


@by_language
def test_a_wrong_rewrite_names_something_else(language: str) -> None:
    material, pool = load_materials(language)[-1]
    for seed in range(8):
        wrong = misresolve(start_draft(material, (), Random(seed)), pool, Random(seed))
        assert wrong is not None
        assert wrong != material.rewrite
