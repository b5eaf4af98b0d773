"""Claims, quotes and citations, held to the documents."""

from __future__ import annotations

import pytest

from judges.llm.material import PromptLimits
from schemas.trace import Chunk, Retrieval, Trace
from tests.support.filled_forms import claim, opine_on, scores
from tests.support.judged_traces import ANSWERS, DOCUMENTS, GOOD, INVENTED, trace_of

both = pytest.mark.parametrize("language", ["en", "zh"])


# --- claims and quotes ---


@both
def test_faithfulness_is_supported_claims_of_all_claims(language: str) -> None:
    claims = [claim(f"fact {i}", quote=GOOD[language]) for i in range(3)]
    claims.append(claim("other", "not_found"))
    opinion = opine_on(trace_of(language, "healthy"), claims, scores(failure="hallucination"))
    assert opinion.faithfulness == 0.75
    assert opinion.hallucination == 1.0
    assert [(c.label, c.chunk, c.verified) for c in opinion.claims[2:]] == [
        ("supported", 0, True),
        ("not_found", None, False),
    ]


@both
def test_a_claim_that_is_made_twice_counts_once(language: str) -> None:
    claims = [claim("It is fast.", quote=GOOD[language]), claim("it is  FAST", quote=GOOD[language])]
    opinion = opine_on(trace_of(language, "healthy"), [*claims, claim("odd", "not_found")])
    assert opinion.faithfulness == 0.5


@both
@pytest.mark.parametrize("label", ["supported", "contradicted"])
def test_an_invented_quote_voids_the_verdict(language: str, label: str) -> None:
    claims = [claim(f"fact {i}", quote=GOOD[language]) for i in range(3)]
    opinion = opine_on(trace_of(language, "healthy"), [*claims, claim("odd", label, INVENTED[language])])
    void = opinion.claims[-1]
    assert (void.label, void.claimed, void.void, void.verified) == (None, label, "invented_quote", False)
    assert opinion.faithfulness == 1.0  # of the three that stand
    assert opinion.hallucination is None
    assert opinion.not_measured["hallucination"] == "invented_quote"


@both
def test_with_too_many_invented_quotes_nothing_is_measured(language: str) -> None:
    claims = [claim("fact", quote=GOOD[language]), claim("odd", quote=INVENTED[language])]
    opinion = opine_on(trace_of(language, "healthy"), claims)
    assert opinion.faithfulness is None
    assert opinion.not_measured["faithfulness"] == "invented_quote"


@both
def test_a_verdict_without_a_quote_is_void_and_says_so(language: str) -> None:
    opinion = opine_on(
        trace_of(language, "healthy"), [claim("fact", quote=" … "), claim("odd", "contradicted")]
    )
    assert [c.void for c in opinion.claims] == ["no_quote", "no_quote"]
    assert opinion.not_measured["faithfulness"] == opinion.not_measured["hallucination"] == "no_quote"


@both
def test_a_quote_about_something_else_is_void_though_it_occurs(language: str) -> None:
    said = claim("", quote=DOCUMENTS[language][1]) | {"claim": ANSWERS[language]["hallucination"]}
    opinion = opine_on(trace_of(language, "hallucination"), [said])
    assert (opinion.claims[0].label, opinion.claims[0].void) == (None, "unrelated_quote")
    assert opinion.not_measured["faithfulness"] == "unrelated_quote"


@both
def test_one_contradicted_claim_is_a_hallucination_whatever_is_void(language: str) -> None:
    claims = [claim("odd", quote=INVENTED[language]), claim("wrong", "contradicted", GOOD[language])]
    opinion = opine_on(trace_of(language, "healthy"), claims, scores(failure="hallucination"))
    assert opinion.faithfulness is None
    assert opinion.hallucination == 1.0
    assert opinion.failure == "hallucination"


@both
def test_a_quote_under_the_wrong_number_is_put_right(language: str) -> None:
    opinion = opine_on(trace_of(language, "healthy"), [claim("fact", quote=GOOD[language], document=2)])
    assert opinion.claims[0].chunk == 0
    assert opinion.faithfulness == 1.0


def test_a_quote_may_not_join_what_was_cut_between() -> None:
    filler = "Nobody wrote anything about it on that day. " * 400
    text = f"The RK3588 has an NPU. {filler}The NPU of the RK3588 makes 6 TOPS."
    trace = Trace(
        trace_id="en", question="How many TOPS has the NPU?", answer="6 TOPS.",
        retrieval=Retrieval(chunks=[Chunk(text=text)]),
    )  # fmt: skip
    joined = claim("It makes 6 TOPS.", quote="The RK3588 has an NPU. The NPU of the RK3588 makes 6 TOPS.")
    opinion = opine_on(trace, [joined], limits=PromptLimits(documents=200))
    assert opinion.claims[0].void == "invented_quote"


@both
def test_without_claims_faithfulness_is_not_measured(language: str) -> None:
    opinion = opine_on(trace_of(language, "healthy"), [])
    assert opinion.faithfulness is None
    assert opinion.not_measured["faithfulness"] == "no_claims"
    refused = opine_on(trace_of(language, "over_refusal"), [], scores(refusal=True, failure="over_refusal"))
    assert refused.not_measured["faithfulness"] == "refusal"


# --- citations ---


@both
@pytest.mark.parametrize(
    ("answer", "cited", "holding", "expected"),
    [
        ("A [1].", [1], [1], 1.0),
        ("A [1][2].", [1, 2], [1], 0.5),
        ("A [7].", [7], [7], 0.0),  # there is no document 7
        ("A [1].", [1, 2], [1, 2], 1.0),  # the answer does not cite 2, whatever the judge says
        ("A.", [1], [1], None),
    ],
)
def test_citations_are_held_to_what_the_answer_cites(
    language: str, answer: str, cited: list[int], holding: list[int], expected: float | None
) -> None:
    said = claim("A", quote=GOOD[language], cited=cited, cited_holding=holding)
    opinion = opine_on(trace_of(language, "healthy", answer=answer), [said])
    assert opinion.citation_precision == expected
    assert opinion.not_measured.get("citation_precision") == (
        None if expected is not None else "no_citations"
    )
