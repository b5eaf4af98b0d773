"""What a check finds in a golden file, and what a difference looks like."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judges.golden import GoldenCase, GoldenSet, Turn, dump, read
from judges.golden.compare import compare
from judges.golden.examine import examine, unsealed
from judges.golden.redacting import redact_case
from judges.golden.show import difference_facts, difference_markdown
from schemas.golden import Kind

SOUND = GoldenCase("g-1", "How long does a refund take?", Kind.SINGLE_HOP, gold_chunk_ids=("kb-1",))
ENOUGH = dict.fromkeys(Kind, 0)


def found(*cases: GoldenCase, wanted: dict[Kind, int] = ENOUGH) -> list[tuple[int, bool, str]]:
    golden = GoldenSet("helpdesk", cases, wanted=wanted)
    return [(one.line, one.is_error, one.what) for one in examine(read(dump(golden)))]


def test_a_sound_file_gives_no_cause_for_complaint() -> None:
    assert found(SOUND) == []


@pytest.mark.parametrize(
    ("change", "is_error", "what"),
    [
        ({"question": "My phone is 13812345678?"}, True, "tells who somebody is: 1 × phone"),
        ({"history": (Turn("user", "mail li@example.com"),)}, True, "1 × email"),
        ({"must_contain": ("Yes",), "must_not_contain": ("yes",)}, True, "must and must not contain 'Yes'"),
        ({"should_refuse": True, "reference_answer": "14 days"}, True, "should be declined, and yet says"),
        ({"kind": Kind.UNANSWERABLE}, True, "unanswerable, and yet should not be declined"),
        ({"minima": {"recal": 0.5}}, True, "there is no metric 'recal'; there are: "),
        ({"gold_chunk_ids": ()}, False, "nothing that an answer could be held against"),
        ({"kind": Kind.MULTI_HOP}, False, "multi_hop with a single gold chunk"),
    ],
)
def test_a_case_that_is_not_sound_is_told_with_its_line(
    change: dict[str, Any], is_error: bool, what: str
) -> None:
    told = found(replace(SOUND, case_id="g-0", question="Another one?"), replace(SOUND, **change))
    assert [(line, error) for line, error, _ in told] == [(3, is_error)]
    assert what in told[0][2]


def test_a_question_that_is_asked_twice_and_a_kind_that_is_short_are_notes() -> None:
    told = found(SOUND, replace(SOUND, case_id="g-2"), wanted={Kind.MULTI_HOP: 3})
    assert told == [
        (0, False, "multi_hop: 0 of 3 cases, 3 missing"),
        (3, False, "asks what g-1 asks already"),
    ]


def test_an_edited_file_is_unsealed_and_one_that_is_none_is_not_called_so() -> None:
    data = dump(GoldenSet("helpdesk", (SOUND,)))
    assert unsealed(read(data)) == []
    assert "seal them" in unsealed(read(data.replace(b"How long", b"How soon")))[0].what
    assert unsealed(read(b"no golden file")) == []


def test_what_an_answer_must_contain_goes_where_it_tells_who_somebody_is() -> None:
    case = replace(
        SOUND,
        question="Call 13812345678?",
        must_contain=("13812345678", "14 days"),
        must_not_contain=("li@example.com",),
        reference_answer="Yes, 13812345678.",
    )
    clean, taken = redact_case(case)
    assert (clean.must_contain, clean.must_not_contain) == (("14 days",), ())
    assert clean.reference_answer == "Yes, [phone]."
    assert taken["phone"] >= 2
    assert redact_case(clean)[0] == clean


def test_a_difference_is_markdown_that_no_text_of_others_can_break() -> None:
    old = GoldenSet("helpdesk", (SOUND,))
    nasty = replace(SOUND, question="a | b\n# <script>alert(1)</script> [x](http://y)")
    page = difference_markdown(compare(old, replace(old, cases=(nasty,), who="li", why="`why`")))
    assert "<script>" not in page
    assert "| question | How long does a refund take? | a \\| b \\# &lt;script&gt;" in page
    assert "\\[x\\](http://y)" in page
    assert "By li: \\`why\\`" in page
    assert len(page.splitlines()[-1].replace("\\|", "").split("|")) == 5


def test_a_difference_says_what_came_and_went() -> None:
    old = GoldenSet("helpdesk", (SOUND,))
    other = replace(SOUND, case_id="g-2", should_refuse=True, kind=Kind.UNANSWERABLE, gold_chunk_ids=())
    found = compare(old, replace(old, cases=(other,)))
    page = difference_markdown(found)
    assert "1 added, 1 removed, 0 changed; 1 → 1 cases." in page
    assert "| g-2 | unanswerable |  | How long does a refund take? | decline |" in page
    facts = difference_facts(found)
    assert (facts["differs"], facts["added"][0]["case_id"], facts["removed"][0]["case_id"]) == (
        True, "g-2", "g-1",
    )  # fmt: skip
    assert "The same 1 cases." in difference_markdown(compare(old, old))
