"""Whatever a judge fills in and whatever a trace holds, an opinion is in range or fails as JudgeFailed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges.llm.asking import JudgeFailed, Opinion
from judges.llm.consensus import MEASURES, SAYINGS
from judges.llm.material import PromptLimits
from judges.llm.rubrics.forms import ClaimEntry, ScoresForm
from judges.llm.triaging import find_shown
from schemas.blank import is_blank
from schemas.trace import Trace
from tests.support.filled_forms import claim, opine_on, scores
from tests.support.judged_traces import GOOD, trace_of

QUIET = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def check(opinion: Opinion) -> None:
    """Each measure is in range, or null with a reason."""
    for name in MEASURES:
        value = getattr(opinion, name)
        assert (value is None) == (name in opinion.not_measured), name
        assert value is None or (math.isfinite(value) and 0 <= value <= 1), name
    for name in SAYINGS:
        assert (getattr(opinion, name) is None) == (name in opinion.not_measured), name
    for name in ("accuracy", "faithfulness", "safety"):
        assert (name in opinion.ratings) != (f"rating_{name}" in opinion.not_measured), name
    assert all(mark in range(1, 6) for mark in opinion.ratings.values())
    for one in opinion.claims:
        assert (one.label is None) == bool(one.void)
        assert one.verified == (one.chunk is not None)


@QUIET
@given(st.lists(st.builds(ClaimEntry), max_size=30), st.builds(ScoresForm), st.sampled_from(["en", "zh"]))
def test_any_form_makes_an_opinion(claims: list[ClaimEntry], form: ScoresForm, language: str) -> None:
    trace = trace_of(language, "healthy", gold={"answer": "6 TOPS"})
    check(opine_on(trace, [c.model_dump() for c in claims], form.model_dump()))


TEXT = st.one_of(st.none(), st.text(max_size=40), st.sampled_from(["", " ", "\u200b", "\ud800", "x" * 5_000]))
CHUNK = st.fixed_dictionaries({}, optional={"id": TEXT, "doc_id": TEXT, "text": TEXT, "score": st.floats()})
TRACE = st.fixed_dictionaries(
    {"trace_id": st.just("en-1"), "question": TEXT, "answer": st.one_of(TEXT, st.text(min_size=1))},
    optional={
        "rewritten_query": TEXT,
        "history": st.lists(st.fixed_dictionaries({"role": st.text(), "content": TEXT}), max_size=3),
        "gold": st.fixed_dictionaries({}, optional={"answer": TEXT, "should_refuse": st.booleans()}),
        "generation": st.fixed_dictionaries(
            {}, optional={"error": TEXT, "finish_reason": st.text(max_size=9)}
        ),
        "retrieval": st.one_of(
            st.none(),
            st.fixed_dictionaries(
                {},
                optional={
                    "chunks": st.one_of(st.none(), st.lists(CHUNK, max_size=4)),
                    "prompt_context": TEXT,
                    "error": TEXT,
                    "min_score": st.floats(),
                },
            ),
        ),
    },
)


@QUIET
@given(TRACE, st.sampled_from([PromptLimits(), PromptLimits(documents=30, answer=20, question=5)]))
def test_any_trace_makes_an_opinion_or_is_not_judgeable(raw: dict[str, Any], limits: PromptLimits) -> None:
    trace = Trace.model_validate(raw)
    said = scores(sufficiency="partly")
    if is_blank(trace.answer) and not find_shown(trace):
        with pytest.raises(JudgeFailed, match="not_judgeable"):
            opine_on(trace, [], said, limits=limits)
    else:
        check(opine_on(trace, [claim("odd", "not_found")], said, limits=limits))


def test_a_judge_that_writes_without_end_is_cut_short() -> None:
    long = "word " * 20_000
    claims = [claim(f"{i} {long}", quote=GOOD["en"] + long) for i in range(3)]
    opinion = opine_on(trace_of("en", "healthy"), claims, scores(root_cause=long, situation=long))
    assert max(map(len, (opinion.rationale, opinion.root_cause, *(c.text for c in opinion.claims)))) <= 2_000
    assert [c.void for c in opinion.claims] == ["invented_quote"] * 3


@pytest.mark.parametrize("number", [-5, 0, 99, 10**12])
def test_numbers_of_no_document_are_none(number: int) -> None:
    said = claim("good", quote=GOOD["en"], document=number, cited=[number], cited_holding=[number])
    opinion = opine_on(trace_of("en", "healthy"), [said], scores(useful_documents=[number, 1]))
    assert opinion.faithfulness == 1.0
    assert opinion.context_relevance == 0.5
