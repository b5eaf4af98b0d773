"""Cases out of traces and what is true of them."""

from __future__ import annotations

from typing import Any

from judges.golden import Kind, Turn
from judges.golden.agreed import Truth
from stream.golden.from_store import case_id_of, make_case

REFUND = {"id": "policy-v2#3", "doc_id": "policy-v2", "text": "14 days"}
OLD = {"id": "policy-v1#3", "doc_id": "policy-v1", "text": "7 days"}


def truth(*gold: str, refuse: bool = False, kind: Kind | None = None) -> Truth:
    return Truth(refuse, gold, None, kind, 2)


def trace(*chunks: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {"trace_id": "t-1", "question": "How long?", "retrieval": {"chunks": list(chunks)}} | values


def test_versions_of_a_document_among_the_chunks_make_a_conflict() -> None:
    case = make_case(trace(REFUND, OLD), truth("policy-v2#3"))
    assert (case.kind, case.gold_texts) == (Kind.CONFLICTING, {"policy-v2#3": "14 days"})


def test_rights_are_read_from_the_trace_wherever_it_keeps_them() -> None:
    for values in (
        {"extra": {"permission_filtered": 2, "permissions": ["staff"]}},
        {"permission_filtered": 2, "permissions": ["staff"], "extra": None},
    ):
        case = make_case(trace(REFUND, **values), truth(refuse=True))
        assert (case.kind, case.permissions) == (Kind.PERMISSION, ("staff",))


def test_a_chunk_without_an_id_goes_by_its_place() -> None:
    case = make_case(trace({"id": None, "text": "a"}, {"id": None, "text": "b"}), truth("2"))
    assert case.gold_texts == {"2": "b"}


def test_gold_that_was_not_retrieved_has_no_text_here() -> None:
    case = make_case(trace(REFUND, retrieval=None), truth("kb-9"))
    assert (case.gold_chunk_ids, case.gold_texts) == (("kb-9",), {})


def test_a_case_keeps_what_was_said_before_and_whose_it_is() -> None:
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": None}]
    case = make_case(trace(REFUND, history=history, tenant="lumen", intent=None), truth("policy-v2#3"))
    assert case.history == (Turn("user", "Hello"), Turn("assistant", ""))
    assert (case.tenant, case.intent, case.trace_id, case.case_id) == ("lumen", "", "t-1", case_id_of("t-1"))
