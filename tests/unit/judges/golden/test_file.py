"""The golden file: what is written is read, and whatever was touched is noticed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from judges.golden import (
    GoldenCase,
    GoldenFileBroken,
    GoldenSet,
    Kind,
    Turn,
    dump,
    load,
    read,
    save,
    version_of,
)

WARRANTY = GoldenCase(
    case_id="g-2",
    question="电池保修多久？",
    kind=Kind.MULTI_HOP,
    language="zh",
    intent="warranty",
    tenant="lumen",
    permissions=("staff",),
    history=(Turn("user", "你好"), Turn("assistant", "您好")),
    gold_chunk_ids=("kb-31", "kb-30"),
    gold_texts={"kb-31": "电池保修六个月。"},
    reference_answer="六个月。",
    must_contain=("六个月",),
    must_not_contain=("两年",),
    minima={"recall": 1, "faithfulness": 0.9},
    trace_id="t-2",
)
MOON = GoldenCase(
    case_id="g-1", question="Who won\nthe cup?", kind=Kind.UNANSWERABLE, language="en", should_refuse=True
)
SET = GoldenSet(
    "helpdesk",
    (WARRANTY, MOON),
    parent="0123456789abcdef",
    who="li",
    when=datetime(2026, 12, 1, 8, tzinfo=UTC),
    why="the first hundred",
    wanted={Kind.MULTI_HOP: 3},
)


def edited(**changes: Any) -> bytes:
    """The file of `SET`, with its second case changed by hand."""
    lines = [json.loads(line) for line in dump(SET).splitlines()]
    lines[2].update(changes)
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    save(SET, tmp_path / "golden.jsonl")
    loaded = load(tmp_path / "golden.jsonl")
    assert loaded.cases == (MOON, replace(WARRANTY, gold_chunk_ids=("kb-30", "kb-31")))
    assert (loaded.name, loaded.parent, loaded.who, loaded.when, loaded.why) == (
        "helpdesk", "0123456789abcdef", "li", SET.when, "the first hundred",
    )  # fmt: skip
    assert loaded.quotas[Kind.MULTI_HOP].missing == 2
    assert dump(loaded) == dump(SET)


def test_a_file_is_a_header_and_a_line_a_case_in_the_order_of_ids() -> None:
    header, first, second, end = dump(SET).decode().split("\n")
    assert json.loads(header)["quotas"]["multi_hop"] == {"have": 1, "want": 3}
    assert json.loads(header)["version"] == SET.version
    assert first.startswith('{"case_id": "g-1"')
    assert "电池保修多久" in second
    assert end == ""


def test_a_version_depends_on_what_cases_say_and_on_nothing_else() -> None:
    assert version_of([WARRANTY, MOON]) == version_of([MOON, WARRANTY])
    assert replace(SET, who="wang", why="", parent="").version == SET.version
    assert version_of([replace(WARRANTY, gold_chunk_ids=("kb-30", "kb-31")), MOON]) == SET.version
    changes: list[dict[str, Any]] = [
        {"question": "?"},
        {"kind": Kind.SINGLE_HOP},
        {"minima": {}},
        {"must_contain": ()},
    ]
    for change in changes:
        assert version_of([replace(WARRANTY, **change), MOON]) != SET.version


def test_a_file_that_another_program_wrote_anew_has_the_same_version() -> None:
    text = b"\xef\xbb\xbf" + edited().replace(b"\n", b"\r\n") + b"\n\n"
    assert read(text).is_sealed


def test_a_case_that_was_edited_by_hand_breaks_the_seal(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(edited(should_refuse=True))
    assert not read(path.read_bytes()).is_sealed
    with pytest.raises(GoldenFileBroken, match=f"no longer those of version {SET.version}"):
        load(path)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"must_contains": ["x"]}, "no field 'must_contains'"),
        ({"case_id": "g-1"}, "stands on line 2 already"),
        ({"case_id": " "}, "case_id must have"),
        ({"question": ""}, "no question"),
        ({"kind": "double_hop"}, "kind 'double_hop' is none of single_hop, multi_hop"),
        ({"should_refuse": "yes"}, "should_refuse must be true or false"),
        ({"minima": {"recall": 95}}, "recall must be a number from 0 to 1"),
        ({"minima": {"recall": True}}, "recall must be a number"),
        ({"must_contain": "14 days"}, "must_contain must be a list of texts"),
        ({"must_contain": [""]}, "none of them empty"),
        ({"history": [{"role": "user"}]}, "history must be"),
        ({"gold_texts": {"kb-77": "x"}}, "'kb-77', which is not among gold_chunk_ids"),
        ({"reference_answer": 14}, "reference_answer must be a text"),
    ],
)
def test_a_case_that_is_none_is_named_with_its_line(
    changes: dict[str, Any], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "golden.jsonl"
    path.write_bytes(edited(**changes))
    with pytest.raises(GoldenFileBroken, match="line 3") as caught:
        load(path)
    assert [problem.line for problem in caught.value.problems] == [3]
    assert why in caught.value.problems[0].why
    assert len(read(path.read_bytes()).golden.cases) == 1


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b'{"case_id": "g-1"}\n', "must be a header"),
        (b"[1]\n", "must be a header"),
        (b"\x00\xff\n", "no JSON"),
        (b'{"golden": "a", "format": 2}', "format 2 is not known"),
        (b'{"golden": "../a", "format": 1}', "is called by letters"),
        (b'{"golden": "a", "format": 1, "parent": "latest"}', "is no version"),
        (b'{"golden": "a", "format": 1, "when": "soon"}', "is no time"),
        (b'{"golden": "a", "format": 1, "author": "li"}', "no field 'author'"),
        (b'{"golden": "a", "format": 1, "quotas": {"easy": 3}}', "must be a kind"),
        (b'{"golden": "a", "format": 1, "quotas": {"multi_hop": -3}}', "cannot want -3"),
    ],
)
def test_what_is_no_golden_file_says_so(data: bytes, why: str) -> None:
    assert why in read(data).problems[0].why


def test_a_file_full_of_something_else_is_not_called_empty() -> None:
    assert ["no JSON" in problem.why for problem in read(b"\x00\xff\nnonsense\n").problems] == [True, True]


def test_all_that_is_wrong_with_a_file_is_told_at_once() -> None:
    broken = edited(kind="x") + b"{\n" + b'{"case_id": "g-3", "question": "?", "kind": "single_hop"}\n'
    reading = read(broken)
    assert [problem.line for problem in reading.problems] == [3, 4]
    assert [case.case_id for case in reading.golden.cases] == ["g-1", "g-3"]


def test_what_a_header_says_of_quotas_is_counted_and_not_believed() -> None:
    lines = dump(SET).replace(b'"have": 1, "want": 3', b'"have": 99, "want": 4')
    quota = read(lines).golden.quotas[Kind.MULTI_HOP]
    assert (quota.have, quota.want) == (1, 4)
