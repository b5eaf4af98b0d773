"""A sheet out and back: blinded, harmless in a spreadsheet, and every broken row named by its line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import orjson
import pytest

from schemas.trace import Trace
from stream.calibrate.items import ASKED, SHOWN, SheetItem
from stream.calibrate.read_sheet import read_sheet
from stream.calibrate.sheet_files import BOM, CELL_CHARS, as_csv, safe_cell, write_sheet
from stream.files.lines import FileProblem

TRACE = Trace.model_validate(
    {
        "trace_id": "secret-id",
        "question": '=HYPERLINK("http://evil","点这里")',
        "answer": '+1 保修两年。\nSecond line, with "quotes".',
        "history": [{"role": "user", "content": "你好"}, {"role": "assistant", "content": "您好！"}],
        "retrieval": {"chunks": [{"text": "保修期为两年。"}, {"text": None}], "error": "slow"},
        "generation": {"finish_reason": "length"},
    }
)
ITEM = SheetItem("cal0a1b2c3d-001", "zh", TRACE)
HEADER = ",".join((*SHOWN, *ASKED))


def cells(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def filled(tmp_path: Path, text: str, encoding: str = "utf-8-sig") -> Path:
    path = tmp_path / "back.csv"
    path.write_bytes(text.encode(encoding))
    return path


def row(item: str, **said: str) -> str:
    named = {"item": item, **said}
    return ",".join(f'"{named.get(name, "")}"' for name in (*SHOWN, *ASKED))


def test_a_sheet_opens_in_a_spreadsheet_and_reads_back_as_it_was_written(tmp_path: Path) -> None:
    table, lines = write_sheet([ITEM], tmp_path / "december")
    raw = table.read_bytes()
    assert raw.startswith(BOM.encode())
    assert b"\r\n" in raw
    (shown,) = cells(raw.decode("utf-8-sig"))
    assert shown["documents"] == "[1] 保修期为两年。"
    assert shown["history"] == "user: 你好\nassistant: 您好！"
    assert shown["errors"] == "retrieval: slow; finish_reason: length"
    (line,) = [orjson.loads(one) for one in lines.read_bytes().splitlines()]
    assert line["answer"] == TRACE.answer
    assert line["failure"] is None


def test_nothing_on_a_sheet_says_which_trace_it_is_or_what_anybody_thought_of_it(tmp_path: Path) -> None:
    for file in write_sheet([ITEM], tmp_path / "x"):
        text = file.read_text()
        assert "secret-id" not in text
        assert not any(word in text for word in ("probability", "verdict", "score", "judge", "stratum"))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "\n@x"])
def test_a_formula_is_written_as_text(text: str) -> None:
    assert safe_cell(text).startswith("'")


def test_what_no_cell_can_hold_is_replaced_or_cut_and_said(tmp_path: Path) -> None:
    assert safe_cell("a\x00b\x1bc\ud800") == "a�b�c�"
    cut = safe_cell("长" * (CELL_CHARS + 5))
    assert len(cut) < 32_767
    assert "5 more characters" in cut
    hostile = SheetItem(
        "i", "en", TRACE.model_copy(update={"answer": "half \ud83d", "question": "x" * 40_000})
    )
    _, lines = write_sheet([hostile], tmp_path / "h")
    assert len(orjson.loads(lines.read_bytes())["question"]) == 40_000


def test_a_sheet_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    write_sheet([ITEM], tmp_path / "x")
    with pytest.raises(FileProblem, match="work may be in it"):
        write_sheet([ITEM], tmp_path / "x")
    with pytest.raises(FileProblem, match="is no folder"):
        write_sheet([ITEM], tmp_path / "nowhere" / "x")


def test_words_of_both_languages_are_understood(tmp_path: Path) -> None:
    text = "\r\n".join(
        [
            HEADER,
            row("a", failure="Over refusal", refusal="partly", note="=why not"),
            row("b", failure="幻觉", hallucination="是", context_sufficient="否", rating_accuracy="２"),
            row("c", hallucination="No", refusal="部分"),
            row("d"),
            row("e", failure="不确定"),
        ]
    )
    back = read_sheet(filled(tmp_path, text))
    assert back.broken == []
    assert back.blank == 2
    one, two, three = back.rows
    assert (one.failure, one.refusal, one.note) == ("over_refusal", "partial", "=why not")
    assert (two.failure, two.hallucination, two.context_sufficient) == ("hallucination", True, False)
    assert two.ratings == {"accuracy": 2}
    assert (three.hallucination, three.refusal) == (False, "partial")


def test_every_broken_row_is_named_by_the_line_it_begins_on(tmp_path: Path) -> None:
    text = "\r\n".join(
        [
            HEADER,
            row("a", answer="two\nlines", failure="healthy"),  # lines 2 and 3
            row("b", failure="weird"),  # 4
            row("", failure="healthy"),  # 5
            row("c", failure="healthy", hallucination="yes"),  # 6
            row("a", failure="healthy"),  # 7
            row("d", rating_safety="6"),  # 8
            row("e", failure="healthy") + ",more",  # 9
            "",
            row("f", hallucination="no"),  # 11
        ]
    )
    back = read_sheet(filled(tmp_path, text))
    assert [one.item for one in back.rows] == ["a", "f"]
    assert [one.line for one in back.broken] == [4, 5, 6, 7, 8, 9]
    whys = [one.why for one in back.broken]
    assert whys[0].startswith("failure 'weird' is none of system_error, rewrite_failure")
    assert whys[1] == "no item"
    assert "contradict each other" in whys[2]
    assert "stands on line 2 already" in whys[3]
    assert whys[4] == "rating_safety '6' is none of 1, 2, 3, 4, 5"
    assert whys[5] == "more cells than columns"


@pytest.mark.parametrize(("encoding", "separator"), [("utf-8", ","), ("utf-16", "\t"), ("gb18030", ";")])
def test_a_sheet_may_be_saved_as_spreadsheets_save(tmp_path: Path, encoding: str, separator: str) -> None:
    text = (
        separator.join(("item", "failure", "hallucination", "note"))
        + "\r\n"
        + separator.join(("a", "正常", "否", "没问题"))
    )
    back = read_sheet(filled(tmp_path, text, encoding))
    assert (back.rows[0].failure, back.rows[0].note) == ("healthy", "没问题")


def test_json_lines_come_back_as_well(tmp_path: Path) -> None:
    path = tmp_path / "back.jsonl"
    said = [
        {"item": "a", "failure": "healthy", "hallucination": False, "rating_accuracy": 4},
        {"item": "b", "failure": ["x"]},
        [],
    ]
    path.write_bytes(b"\n".join(map(orjson.dumps, said)) + b"\n{oops")
    back = read_sheet(path)
    assert back.rows[0].ratings == {"accuracy": 4}
    assert [(one.line, one.why) for one in back.broken] == [
        (2, "\"['x']\" is no answer"),
        (3, "no JSON object"),
        (4, "no JSON object"),
    ]


@pytest.mark.parametrize("data", [b"", b"a,b\r\n1,2", b"\xff\xfea", b"PK\x03\x04\x00\x81\x00\xff"])
def test_a_file_that_is_no_sheet_is_refused_whole(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(data)
    with pytest.raises(FileProblem, match="--import"):
        read_sheet(path)
    with pytest.raises(FileProblem, match="cannot be read"):
        read_sheet(tmp_path / "missing.csv")


def test_a_quote_that_never_ends_spoils_the_rest_and_says_where(tmp_path: Path) -> None:
    text = f'{HEADER}\r\n{row("a", failure="healthy")}\r\n"b,never\r\nends'
    back = read_sheet(filled(tmp_path, text))
    assert [one.item for one in back.rows] == ["a"]
    assert back.broken[0].line == 3


def test_a_sheet_without_documents_says_which_kind_of_nothing_it_is() -> None:
    nothing = SheetItem("i", "en", TRACE.model_copy(update={"retrieval": None}))
    empty = SheetItem(
        "i",
        "en",
        Trace.model_validate({"trace_id": "t", "question": "q", "answer": None, "retrieval": {"chunks": []}}),
    )
    assert cells(as_csv([nothing]))[0]["documents"] == "(retrieval was not recorded)"
    assert cells(as_csv([empty]))[0]["documents"] == "(nothing was found)"
    assert cells(as_csv([empty]))[0]["answer"] == "(no answer)"
