"""Cases and labels as Label Studio documents its format, and back.

https://labelstud.io/guide/task_format and https://labelstud.io/tags say what is held here. Where the package
label-studio-sdk is installed, its own validation is asked too.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import orjson
import pytest

from judges.annotation.votes import Vote
from schemas.annotation import Annotation, AnnotationItem, ClaimLabel, ItemRole
from schemas.golden import Kind
from stream.annotation.label_studio import (
    Unreadable,
    labelling_config,
    read_result,
    result_of,
    task_of,
    who_of,
)
from stream.annotation.label_studio.config import ASKED, Language

DATA = Path(__file__).resolve().parents[3] / "data"
NOW = datetime(2026, 12, 1, tzinfo=UTC)
ANSWER = "😀 退款需要3天。\nA refund takes 3 days 😀 really."
TRACE = {
    "trace_id": "t-1",
    "question": "退款要多久？",
    "history": [{"role": "user", "content": "你好"}],
    "answer": ANSWER,
    "retrieval": {"chunks": [{"id": "kb-1", "text": "14 天"}, {"id": None, "text": "other"}]},
}
ITEM = AnnotationItem("i-1", "t-1", NOW, language="zh", payload={"trace": TRACE, "scores": {"failure": "x"}})


def claim(text: str, supported: bool | None) -> ClaimLabel:
    start = ANSWER.index(text)
    return ClaimLabel(text=text, start=start, end=start + len(text), supported=supported)


EVERYTHING = Annotation(
    failure="hallucination",
    hallucination=True,
    context_sufficient=False,
    refusal="partial",
    claims=(claim("退款需要3天", False), claim("A refund takes 3 days", True), claim("really", None)),
    gold_chunk_ids=("kb-1", "2"),
    should_refuse=False,
    reference_answer="十四天。\nFourteen days.",
    kind=Kind.MULTI_HOP,
    note="<b>&",
)


@pytest.mark.parametrize(
    "said",
    [
        EVERYTHING,
        Annotation(failure="healthy"),
        Annotation(hallucination=False),
        Annotation(should_refuse=False),
        Annotation(reference_answer="是"),
        Annotation(claims=(claim("really", None),)),
        Annotation(gold_chunk_ids=("kb-1",)),
    ],
)
def test_a_label_survives_the_way_there_and_back(said: Annotation) -> None:
    assert read_result(result_of(said), ANSWER) == said


def test_a_task_has_the_data_that_the_configuration_shows() -> None:
    data = task_of(ITEM)["data"]
    for language in ("en", "zh"):
        view = Xml.fromstring(labelling_config(language))
        shown = {tag.attrib["value"] for tag in view.iter() if tag.attrib.get("value", "").startswith("$")}
        assert {name.removeprefix("$") for name in shown} <= data.keys()
    assert data["chunk_choices"] == [{"value": "kb-1"}, {"value": "2"}]
    assert data["history"] == "user: 你好"
    assert "failure" not in str(data), "an annotator is shown no scores"


def test_a_region_names_its_control_its_object_and_its_type() -> None:
    view = Xml.fromstring(labelling_config("zh"))
    controls = {tag.attrib["name"]: tag for tag in view.iter() if "toName" in tag.attrib}
    objects = {tag.attrib["name"] for tag in view.iter() if tag.tag in ("Text", "Paragraphs")}
    regions = result_of(EVERYTHING)
    assert {region["from_name"] for region in regions} == controls.keys()
    for region in regions:
        control = controls[region["from_name"]]
        assert region["type"] == control.tag.lower()
        assert region["to_name"] == control.attrib["toName"]
        assert region["to_name"] in objects
        if control.tag in ("Choices", "Labels") and "value" not in control.attrib:
            aliases = {choice.attrib["alias"] for choice in control}
            assert set(region["value"][control.tag.lower()]) <= aliases
    assert len({region["id"] for region in regions}) == len(regions)


def test_both_languages_ask_the_same() -> None:
    def structure(language: Language) -> list[tuple[str, str | None, str | None]]:
        view = Xml.fromstring(labelling_config(language))
        return [(tag.tag, tag.attrib.get("name"), tag.attrib.get("alias")) for tag in view.iter()]

    assert structure("en") == structure("zh")
    headers = [tag.attrib["value"] for tag in Xml.fromstring(labelling_config("zh")).iter("Header")]
    assert all(any("\u4e00" <= letter <= "\u9fff" for letter in header) for header in headers)
    for tag in Xml.fromstring(labelling_config("zh")).iter("Choice"):
        assert tag.attrib["value"] != tag.attrib["alias"], "every choice has a Chinese word"


def test_a_project_without_aliases_says_the_same_in_chinese() -> None:
    regions = [
        {"from_name": "failure", "to_name": "answer", "type": "choices", "value": {"choices": ["幻觉"]}},
        {"from_name": "should_refuse", "to_name": "answer", "type": "choices", "value": {"choices": ["否"]}},
    ]
    assert read_result(regions, ANSWER) == Annotation(failure="hallucination", should_refuse=False)


def mark(start: Any, end: Any, text: str | None = None, label: str = "unsupported") -> list[dict[str, Any]]:
    value = {"start": start, "end": end, "labels": [label]} | ({} if text is None else {"text": text})
    return [{"from_name": "claims", "to_name": "answer", "type": "labels", "value": value}]


def place(regions: list[dict[str, Any]]) -> tuple[int, int]:
    said = read_result(regions, ANSWER)
    assert said is not None
    assert said.claims[0].text == ANSWER[said.claims[0].start : said.claims[0].end]
    return said.claims[0].start, said.claims[0].end


def test_offsets_are_held_to_the_text_however_emoji_were_counted() -> None:
    start = ANSWER.index("3 days")
    right = (start, start + 6)
    assert place(mark(start, start + 6, "3 days")) == right
    assert place(mark(start + 1, start + 7, "3 days")) == right, "an emoji before it counted as two"
    assert place(mark(0, 3, "3 days")) == right, "offsets of something else: the text decides"
    assert place(mark(str(start), str(start + 6))) == right, "no text: the offsets decide"
    assert place(mark(2, len(ANSWER), "退款需要3天。\\nA refund takes 3 days 😀 really.")) == (2, len(ANSWER))


@pytest.mark.parametrize(
    ("regions", "why"),
    [
        ("nothing", "result is no list"),
        ([{"from_name": "failure"}], "a region has no value"),
        (mark(0, 5, "not there"), "'not there' (0 to 5) is not in the answer"),
        (mark(900, 910), "is not in the answer"),
        (mark(None, 3), "no start and end"),
        (mark(0, 3, label="Person"), "'Person' is none of supported, unsupported, unclear"),
        ([{"from_name": "failure", "value": {"choices": ["slow"]}}], "failure: 'slow' is none of"),
        ([{"from_name": "failure", "value": {"choices": ["healthy", "over_refusal"]}}], "is none of"),
        ([{"from_name": "note", "value": {"text": 3}}], "note: its value holds no text"),
        (
            [
                {"from_name": "failure", "value": {"choices": ["healthy"]}},
                {"from_name": "hallucination", "value": {"choices": ["yes"]}},
            ],
            "the class is healthy",
        ),
    ],
)
def test_a_result_that_is_no_label_says_why(regions: Any, why: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_result(regions, ANSWER)
    assert why in str(caught.value)


def test_what_other_questions_of_a_project_say_is_passed_over() -> None:
    other = [{"from_name": "sentiment", "value": {"choices": ["sad"]}}]
    assert read_result(other, ANSWER) is None
    assert read_result([], ANSWER) is None
    assert read_result([*other, *result_of(EVERYTHING)], ANSWER) == EVERYTHING


@pytest.mark.parametrize(
    ("annotation", "who"),
    [
        ({"completed_by": 10}, "label-studio-10"),
        ({"completed_by": {"id": 3, "email": "li@example.com"}}, "li"),
        ({"completed_by": {"id": 3}}, "label-studio-3"),
        ({"completed_by": "wang@example.com"}, "wang"),
        ({"annotator": "zhao", "completed_by": 1}, "zhao"),
        ({}, ""),
    ],
)
def test_whoever_completed_an_annotation_is_named(annotation: dict[str, Any], who: str) -> None:
    assert who_of(annotation) == who


def test_a_skip_is_a_cancelled_annotation_and_nobody_is_shown_an_empty_case() -> None:
    task = task_of(ITEM, [Vote("li", None, ItemRole.SKIP, NOW)])
    assert (task["annotations"][0]["was_cancelled"], task["annotations"][0]["result"]) == (True, [])
    empty = task_of(AnnotationItem("i-2", "t-2", NOW, payload={"trace": {"trace_id": "t-2"}}))["data"]
    assert empty["answer"]
    assert empty["chunks"]
    assert empty["chunk_choices"] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_label_studio_itself_takes_configuration_task_and_annotations(language: Language) -> None:
    sdk = pytest.importorskip("label_studio_sdk.label_interface", reason="label-studio-sdk is not installed")
    interface = sdk.LabelInterface(labelling_config(language))
    interface.validate()
    task = task_of(ITEM, [Vote("li", EVERYTHING, at=NOW), Vote("wang", None, ItemRole.SKIP, NOW)])
    assert interface.validate_task({"data": task["data"]})
    assert all(interface.validate_annotation(annotation) for annotation in task["annotations"])


def test_an_export_of_label_studio_is_read_as_its_annotators_meant_it() -> None:
    """Made with Label Studio 1.23.2: one label over its API, one skip, one by clicks on the Chinese page."""
    first, skipped, clicked = orjson.loads((DATA / "label_studio_export.json").read_bytes())
    answer = first["data"]["answer"]
    said = read_result(first["annotations"][0]["result"], answer)
    assert said is not None
    assert (said.failure, said.should_refuse, said.gold_chunk_ids) == ("hallucination", False, ("zh-sdk#0",))
    assert said.claims == (ClaimLabel(text=answer[:8], start=0, end=8, supported=False),)
    assert who_of(first["annotations"][0]) == "label-studio-1"
    assert skipped["annotations"][0]["was_cancelled"] is True
    assert read_result(clicked["annotations"][0]["result"], clicked["data"]["answer"]) == Annotation(
        failure="hallucination", kind=Kind.MULTI_HOP, gold_chunk_ids=("zh-fee#0",), reference_answer="三十天"
    )


def test_every_question_of_a_label_is_asked() -> None:
    asked = {*ASKED, "claims", "gold_chunk_ids", "reference_answer", "note"}
    assert asked == set(Annotation.model_fields)
