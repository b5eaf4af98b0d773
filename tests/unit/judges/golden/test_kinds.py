"""Kinds of golden cases, as the rules find them."""

from __future__ import annotations

import pytest

from judges.golden.kinds import Chunk, find_kind, is_restricted, permissions_of, version_of_document
from schemas.golden import Kind

REFUND = "A refund takes up to 14 days after the return has arrived."
BATTERY = "所有设备自购买之日起保修两年，电池保修六个月。"


def kind_of(*gold: str, chunks: list[Chunk], refuse: bool = False, restricted: bool = False) -> Kind:
    return find_kind(gold, chunks, should_refuse=refuse, restricted=restricted)[0]


def test_one_chunk_is_one_hop_and_two_that_differ_are_more() -> None:
    chunks = [Chunk("a", "d1", REFUND), Chunk("b", "d2", BATTERY), Chunk("c", "d3", "Unrelated.")]
    assert kind_of("a", chunks=chunks) is Kind.SINGLE_HOP
    assert kind_of("a", "b", chunks=chunks) is Kind.MULTI_HOP


def test_two_chunks_that_say_the_same_are_one_hop() -> None:
    chunks = [Chunk("a", "d1", REFUND), Chunk("b", "d2", f"{REFUND} ")]
    assert kind_of("a", "b", chunks=chunks) is Kind.SINGLE_HOP


def test_gold_that_the_retriever_missed_counts_as_a_hop() -> None:
    assert kind_of("a", "missed", chunks=[Chunk("a", "d1", REFUND)]) is Kind.MULTI_HOP


def test_chunks_without_recorded_texts_are_taken_to_differ() -> None:
    assert kind_of("a", "b", chunks=[Chunk("a"), Chunk("b")]) is Kind.MULTI_HOP


def test_what_should_be_declined_is_unanswerable_unless_rights_decide() -> None:
    assert kind_of(chunks=[], refuse=True) is Kind.UNANSWERABLE
    assert kind_of(chunks=[], refuse=True, restricted=True) is Kind.PERMISSION


@pytest.mark.parametrize("words", [REFUND, BATTERY])
def test_a_long_stretch_of_one_document_is_a_long_document(words: str) -> None:
    chunks = [Chunk(f"d1#{n}", "d1", f"{n} {words * 40}") for n in range(3)]
    assert kind_of("d1#0", "d1#1", "d1#2", chunks=chunks) is Kind.LONG_DOCUMENT
    apart = [Chunk(f"d{n}#1", f"d{n}", f"{n} {words * 40}") for n in range(3)]
    assert kind_of("d0#1", chunks=apart[:1]) is not Kind.MULTI_HOP


def test_another_version_of_the_gold_document_makes_a_conflict() -> None:
    old, new = Chunk("a", "policy-v1", "7 days"), Chunk("b", "policy-v2", "14 days")
    assert kind_of("b", chunks=[old, new]) is Kind.CONFLICTING
    other = Chunk("c", "terms-v1", "none")
    assert kind_of("b", chunks=[other, new]) is Kind.SINGLE_HOP
    assert kind_of("c", chunks=[other, old, new]) is Kind.SINGLE_HOP, "the gold has no other version"


def test_a_number_that_looks_like_a_year_is_one_only_where_the_texts_are_alike() -> None:
    assert kind_of("a", chunks=[Chunk("a", "kb-2024", REFUND), Chunk("b", "kb-2025", BATTERY)]) is (
        Kind.SINGLE_HOP
    )
    changed = REFUND.replace("14", "10")
    assert kind_of("a", chunks=[Chunk("a", "kb-2024", REFUND), Chunk("b", "kb-2025", changed)]) is (
        Kind.CONFLICTING
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("policy-v1", "policy-v2.1"),
        ("policy@2024-03", "policy@latest"),
        ("refund policy (rev 3).pdf", "refund policy.pdf"),
        ("handbook 2024-01", "handbook 2025-02-28"),
        ("产品手册第3版", "产品手册第四版"),
        ("产品手册2024年版", "产品手册2025年版"),
        ("产品手册_旧版", "产品手册"),
        ("Manual_Draft", "manual"),
    ],
)
def test_versions_of_one_document_share_a_name(one: str, other: str) -> None:
    (stem, version), (other_stem, other_version) = version_of_document(one), version_of_document(other)
    assert stem == other_stem
    assert version != other_version


@pytest.mark.parametrize(
    ("one", "other"),
    [("kb-12", "kb-31"), ("chapter3", "chapter4"), ("server2", "server7"), ("faq", "guide"), ("d1", "d2")],
)
def test_plain_numbers_are_no_versions(one: str, other: str) -> None:
    assert version_of_document(one)[0] != version_of_document(other)[0]


def test_an_annotator_goes_before_the_rules() -> None:
    kind, why = find_kind(["a"], [], should_refuse=False, restricted=True, said=Kind.CONFLICTING)
    assert (kind, why) == (Kind.CONFLICTING, "an annotator said so")


def test_traces_say_what_rights_kept_back() -> None:
    assert is_restricted({"permission_filtered": 3})
    assert is_restricted({"permission_filtered": True})
    for nothing in (None, {}, {"permission_filtered": 0}, {"permission_filtered": "yes"}):
        assert not is_restricted(nothing)
    assert permissions_of({"permissions": ["staff", "hr", "staff", 3, ""]}) == ("hr", "staff")
    assert permissions_of({"permissions": "staff"}) == ()
