"""Canaries: marked copies of a healthy trace that failed in a known way."""

from __future__ import annotations

from random import Random

import pytest

from judges.corruption.traces import build_canaries, make_trace, read_marker
from judges.corruption.traces.make import WRITERS
from judges.triage import triage
from schemas.scored import Scores
from schemas.taxonomy import Failure
from schemas.trace import Trace
from tests.unit.corruption.library import LANGUAGES, load_materials


def healthy(language: str) -> Trace:
    material, pool = load_materials(language)[2]
    made = make_trace(material, pool, None, Random(3))
    assert made is not None
    return made.trace


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_canary_of_every_class_is_built(language: str) -> None:
    _, pool = load_materials(language)[2]
    canaries = build_canaries(healthy(language), pool, Random(5), marker="m-1")
    classes = {canary.truth.failure for canary in canaries}
    assert classes >= set(WRITERS) - {Failure.REWRITE_FAILURE}
    assert len({canary.trace.trace_id for canary in canaries}) == len(canaries)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_canary_keeps_all_but_what_must_differ(language: str) -> None:
    source = healthy(language)
    _, pool = load_materials(language)[2]
    for canary in build_canaries(source, pool, Random(5), marker="m-1", each=3):
        trace = canary.trace
        assert read_marker(trace) == "m-1"
        assert canary.source_id == source.trace_id != trace.trace_id
        assert (trace.app, trace.tenant, trace.release, trace.timestamp) == (
            source.app,
            source.tenant,
            source.release,
            source.timestamp,
        )
        if canary.truth.failure in (None, Failure.HALLUCINATION, Failure.OVER_REFUSAL):
            assert trace.retrieval is not None
            assert source.retrieval is not None
            assert [c.text for c in trace.retrieval.chunks or ()] == [
                c.text for c in source.retrieval.chunks or ()
            ]
            assert trace.question == source.question
    assert read_marker(source) is None


def test_canaries_differ_in_kind_and_repeat_by_seed() -> None:
    _, pool = load_materials("en")[2]
    first, second = (
        build_canaries(healthy("en"), pool, Random(9), marker="m", failures=[Failure.SYSTEM_ERROR], each=4)
        for _ in range(2)
    )
    assert first == second
    assert len({canary.truth.kind for canary in first}) == 4


def test_a_canary_below_the_bar_is_below_it() -> None:
    _, pool = load_materials("zh")[2]
    for seed in range(6):
        for canary in build_canaries(
            healthy("zh"), pool, Random(seed), marker="m", failures=[Failure.EMPTY_RECALL], each=3
        ):
            assert triage(canary.trace, Scores("none")).failure is Failure.EMPTY_RECALL


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"answer": None}, "are needed"),
        ({"retrieval": None}, "are needed"),
        ({"question": "これは何ですか", "answer": "これはランプです"}, "not in ja"),
    ],
)
def test_a_trace_that_is_not_whole_gives_no_canaries(changed: dict[str, object], message: str) -> None:
    source = healthy("en").model_copy(update=changed)
    with pytest.raises(ValueError, match=message):
        build_canaries(source, load_materials("en")[2][1], Random(1), marker="m")


def test_a_canary_needs_a_marker() -> None:
    with pytest.raises(ValueError, match="marker"):
        build_canaries(healthy("en"), load_materials("en")[2][1], Random(1), marker=" ")
