"""Forms to labels and back."""

from __future__ import annotations

import pytest

from console.labels import LabelRefused, ShownClaim, annotation_of, said_in, said_of
from console.rendering.shown import find_claims, show_case
from tests.support.console import make_item

CLAIMS = (ShownClaim(1, "Two ports.", 0, 10), ShownClaim(2, "It is red.", 11, 21))


def test_a_form_says_class_claims_chunks_and_the_rest() -> None:
    said = said_in(
        [
            ("csrf", "x"), ("failure", "hallucination"), ("claim.0.10", "yes"), ("claim.11.21", "no"),
            ("gold", "k2"), ("gold", "k9"), ("should_refuse", "no"), ("context_sufficient", "yes"),
            ("refusal", "none"), ("kind", "multi_hop"),
            ("reference_answer", " Two.\r\nOnly two. "), ("note", ""),
        ]
    )  # fmt: skip
    label = annotation_of(said, CLAIMS, ["k1", "k2"])
    assert label.failure == "hallucination"
    assert [claim.supported for claim in label.claims] == [True, False]
    assert label.gold_chunk_ids == ("k2",)
    assert (label.should_refuse, label.context_sufficient, label.refusal) == (False, True, "none")
    assert label.reference_answer == "Two.\nOnly two."
    assert label.kind == "multi_hop"
    assert label.is_hallucination is True


def test_a_label_comes_back_into_the_form_as_it_was_said() -> None:
    fields = [
        ("failure", "poor_retrieval"), ("claim.0.10", "unknown"), ("gold", "k1"), ("should_refuse", "yes"),
        ("note", "why"),
    ]  # fmt: skip
    label = annotation_of(said_in(fields), CLAIMS, ["k1"])
    again = said_of(label)
    assert annotation_of(again, CLAIMS, ["k1"]) == label
    assert again.get("claim.0.10") == "unknown"
    assert said_of(None).get("failure") == ""


def test_all_claims_supported_says_that_nothing_is_made_up() -> None:
    both = [("failure", "healthy"), ("claim.0.10", "yes"), ("claim.11.21", "yes")]
    assert annotation_of(said_in(both), CLAIMS, []).hallucination is False
    assert annotation_of(said_in(both[:2]), CLAIMS, []).hallucination is None


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ([], "queue.refused.nothing"),
        ([("note", "only a note")], "queue.refused.nothing"),
        (
            [("failure", "hallucination"), ("claim.0.10", "yes"), ("claim.11.21", "yes")],
            "queue.refused.all_supported",
        ),
        ([("failure", "healthy"), ("claim.0.10", "no")], "queue.refused.healthy_unsupported"),
        ([("failure", "no such class")], "queue.refused.invalid"),
        ([("failure", "healthy"), ("note", "x" * 4_001)], "queue.refused.invalid"),
    ],
)
def test_a_form_that_is_no_label_is_refused_in_words(fields: list[tuple[str, str]], word: str) -> None:
    with pytest.raises(LabelRefused) as refused:
        annotation_of(said_in(fields), CLAIMS, [])
    assert refused.value.word == word
    assert "no such class" not in refused.value.cause


def test_claims_that_the_case_has_not_are_left_out() -> None:
    label = annotation_of(said_in([("failure", "healthy"), ("claim.3.900", "no")]), CLAIMS, [])
    assert label.claims == ()


def test_files_and_half_characters_are_no_answers() -> None:
    label = annotation_of(
        said_in([("failure", "healthy"), ("note", "a\ud800b"), ("note2", object())]), (), []
    )
    assert label.note == "a?b"


def test_a_case_shows_its_claims_and_their_evidence_by_the_same_number() -> None:
    case = show_case(make_item(1).payload, "en")
    assert [claim.text for claim in case.claims] == ["The X200 has two ports.", "It weighs 900 grams."]
    assert [mark.number for mark in case.answer_marks] == [1, 2]
    assert case.chunks is not None
    assert [(m.start, m.end, m.number) for m in case.chunks[0].marks] == [(0, 23, 2)]
    assert case.chunks[1].marks == ()
    assert case.history == (("user", "Tell me about the X200."),)


def test_what_was_not_there_is_not_shown_as_empty() -> None:
    unseen = show_case({"trace": {"question": "q", "answer": None, "retrieval": None}}, "en")
    assert (unseen.chunks, unseen.answer, unseen.claims) == (None, None, ())
    found_nothing = show_case({"trace": {"question": "q", "answer": "a", "retrieval": {"chunks": []}}}, "en")
    assert found_nothing.chunks == ()


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"trace": [], "scores": 3},
        {"trace": {"question": 1, "answer": {"a": 1}, "retrieval": "x", "history": {"a": 1}}},
        {"trace": {"answer": "One. Two.", "retrieval": {"chunks": [None, 3, {"text": 5, "id": None}]}},
         "scores": {"evidence": [None, {"start": "a", "end": True, "chunk": 0}, {"start": 5, "end": -3}]}},
        {"trace": {"answer": "One.", "history": ["x", {"role": 1}]}, "scores": {"evidence": "no"}},
    ],
)  # fmt: skip
def test_a_payload_of_any_shape_can_be_shown(payload: dict[str, object]) -> None:
    case = show_case(payload, "en")
    assert isinstance(case.question, str)


def test_evidence_beside_all_claims_is_a_claim_of_its_own() -> None:
    claims = find_claims("Hello!\nIt has two ports.", "en", [{"start": 0, "end": 6}])
    assert [claim.text for claim in claims] == ["Hello!", "It has two ports."]
