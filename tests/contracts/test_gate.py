"""`ragpulse gate` on answers in files: what blocks, baselines, reports."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as Xml

import orjson
import pytest

from benchmarks._golden_desk import answer, lose_second_hop
from judges.golden import GoldenCase, GoldenSet, Kind, load, save
from tests.support.gating import (
    GOLDEN,
    gate,
    make_folder,
    report,
    save_baseline,
    write_answers,
    write_suite,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path)


# --- answers in a file ---


def test_a_regression_in_multi_hop_questions_is_blocked_with_that_reason(folder: Path) -> None:
    baseline = save_baseline(folder)
    bad = write_answers(folder, change=lose_second_hop(0.8))
    files = {"--markdown": folder / "gate.md", "--junit": folder / "gate.xml"}
    options = [part for pair in files.items() for part in pair]
    found = report(gate(folder, "--answers", bad, "--baseline", baseline, "--json", *options))
    first = found["findings"][0]
    assert (found["blocked"], found["stopped_at"]) == (True, "retrieval")
    assert (first["metric"], first["by"], first["value"]) == ("recall_at_k", "kind", "multi_hop")
    assert {case["kind"] for case in found["broke"]} == {"multi_hop"}
    assert found["layers"][3]["state"] == "not looked at"
    page = files["--markdown"].read_text()
    assert "**Blocked** at the retrieval layer: recall_at_k of kind multi_hop" in page
    assert "were not looked at" in page
    tests = Xml.parse(files["--junit"]).getroot()
    assert [one.get("name") for one in tests] == ["index", "retrieval", "rerank", "generation", "cases"]
    failed = [test.get("name") for test in tests.iter("testcase") if test.find("failure") is not None]
    assert any("recall_at_k of kind multi_hop" in str(name) for name in failed)


def test_the_same_answers_pass(folder: Path) -> None:
    baseline = save_baseline(folder)
    junit = folder / "gate.xml"
    done = gate(folder, "--answers", write_answers(folder), "--baseline", baseline, "--junit", junit)
    assert done.returncode == 0
    assert b"passed" in done.stdout.splitlines()[0]
    assert Xml.parse(junit).getroot().find(".//failure") is None


def test_answers_are_joined_by_the_question_where_they_carry_no_case(folder: Path) -> None:
    path = folder / "asked.jsonl"
    replies = [answer(case) for case in GOLDEN.cases]
    for number, reply in enumerate(replies):
        del reply["case_id"]
        reply["trace_id"] = f"trace-{number}"
        reply["question"] = f"  {reply['question'].upper()} "
    stranger = {"trace_id": "else", "question": "Something else?", "answer": "Yes."}
    path.write_bytes(b"\n".join(map(orjson.dumps, [*replies, stranger])))
    done = gate(folder, "--answers", path, "--json")
    assert all(case["values"] for case in report(done)["cases"])
    assert b"1 traces belong to no case" in done.stderr


def test_a_case_without_an_answer_blocks(folder: Path) -> None:
    path = write_answers(folder)
    path.write_bytes(b"\n".join(path.read_bytes().splitlines()[3:]))
    found = report(gate(folder, "--answers", path, "--json"))
    assert [one["kind"] for one in found["findings"]] == ["unanswered"]
    assert len(found["findings"][0]["cases"]) == 3


def test_chunks_that_nobody_recorded_are_not_measured_and_no_pass(folder: Path) -> None:
    def forget(case: GoldenCase, reply: dict[str, Any], random: Random) -> None:
        reply["retrieval"] = None

    found = report(gate(folder, "--answers", write_answers(folder, change=forget), "--json"))
    assert found["stopped_at"] == "retrieval"
    assert {one["kind"] for one in found["findings"]} == {"not_measured"}
    assert "not_recorded" in found["findings"][0]["message"]


def test_over_refusal_is_found_in_the_generation(folder: Path) -> None:
    def refuse(case: GoldenCase, reply: dict[str, Any], random: Random) -> None:
        if case.language == "zh":
            reply["answer"] = "抱歉，资料里没有查到相关内容。"

    baseline = save_baseline(folder)
    bad = write_answers(folder, change=refuse)
    found = report(gate(folder, "--answers", bad, "--baseline", baseline, "--json"))
    assert found["stopped_at"] == "generation"
    first = found["findings"][0]
    assert (first["metric"], first["value"]) == ("refusal_correctness", "zh")


def test_an_index_that_lost_chunks_is_found_below_the_retrieval(folder: Path) -> None:
    write_suite(folder, "[floors]\nindexed = 1.0\n")
    ids = sorted({name for case in GOLDEN.cases for name in case.gold_chunk_ids})
    whole, half = folder / "whole.txt", folder / "half.jsonl"
    whole.write_text("\n".join(ids))
    half.write_bytes(b"\n".join(orjson.dumps({"id": name}) for name in ids[::2]))
    answers = write_answers(folder)
    assert gate(folder, "--answers", answers, "--index", whole).returncode == 0
    assert report(gate(folder, "--answers", answers, "--index", half, "--json"))["stopped_at"] == "index"
    assert gate(folder, "--answers", answers).returncode == 1  # it has a floor, and nobody measured it


def test_what_others_wrote_is_no_markup_in_any_report(folder: Path) -> None:
    hostile = '<script>alert(1)</script> | ![x](http://evil) \x00\x1b[31m ]]> @everyone "quoted" &amp;'
    case = GoldenCase("evil|<b>", hostile.replace("\x00", ""), Kind.SINGLE_HOP, must_contain=(hostile,))
    save(GoldenSet("desk", (case,)), folder / "golden.jsonl")
    write_suite(folder, main="required = []")
    path = folder / "answers.jsonl"
    path.write_bytes(
        orjson.dumps({"trace_id": "t", "case_id": "evil|<b>", "question": "?", "answer": hostile * 2})
    )
    files = ("--markdown", folder / "gate.md", "--junit", folder / "gate.xml")
    assert gate(folder, "--answers", path, *files).returncode in (0, 1)
    page = (folder / "gate.md").read_text()
    assert not re.search(r"<script|<b>|\]\(|\x1b|@everyone", page)
    Xml.parse(folder / "gate.xml")


# --- the baseline ---


def test_another_golden_set_demands_a_new_baseline(folder: Path) -> None:
    baseline = save_baseline(folder)
    golden = load(folder / "golden.jsonl")
    save(golden.with_cases(golden.cases[1:]), folder / "golden.jsonl")
    done = gate(folder, "--answers", write_answers(folder), "--baseline", baseline)
    assert done.returncode == 2
    assert b"the version of the golden set was" in done.stderr
    assert b"--save-baseline" in done.stderr


def test_another_scorer_demands_a_new_baseline(folder: Path) -> None:
    baseline = save_baseline(folder)
    done = gate(folder, "--answers", write_answers(folder), "--baseline", baseline, "--scorer", "rules")
    assert done.returncode == 2
    assert b"the scorer was" in done.stderr


def test_a_baseline_that_is_named_and_not_there_is_no_pass(folder: Path) -> None:
    write_suite(folder, main='baseline = "nowhere.jsonl"')
    done = gate(folder, "--answers", write_answers(folder))
    assert done.returncode == 2
    assert b"There is no baseline" in done.stderr


def test_no_baseline_is_made_of_half_the_answers(folder: Path) -> None:
    path = write_answers(folder)
    path.write_bytes(b"\n".join(path.read_bytes().splitlines()[20:]))
    done = gate(folder, "--answers", path, "--save-baseline", folder / "baseline.jsonl")
    assert done.returncode == 1
    assert b"No baseline was written" in done.stderr
    assert not (folder / "baseline.jsonl").exists()


def test_a_floor_that_noise_would_miss_is_told_when_the_baseline_is_made(folder: Path) -> None:
    write_suite(folder, "[floors]\nanswer_relevance = 0.2\nfaithfulness = 0.97\n")
    done = gate(folder, "--answers", write_answers(folder), "--save-baseline", folder / "baseline.jsonl")
    assert b"the floor of faithfulness" in done.stderr
    assert b"the floor of answer_relevance" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), b"where are the answers"),
        (("--answers", "{folder}/none.jsonl"), b"none.jsonl"),
        (("--answers", "x", "--endpoint", "http://x"), b"one at a time"),
        (("--answers", "x", "--baseline", "a", "--save-baseline", "b"), b"one at a time"),
        (("--endpoint", "ftp://x"), b"endpoint.url"),
    ],
)
def test_what_cannot_be_done_is_usage(folder: Path, arguments: tuple[str, ...], said: bytes) -> None:
    done = gate(folder, *(one.replace("{folder}", str(folder)) for one in arguments))
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[suite", "no TOML"),
        ("[suite]\n", "suite.golden"),
        ('[suite]\ngolden = "none.jsonl"', "none.jsonl"),
        ("[floors]\nmrr = 0.2", "no section [suite]"),
        ("suite = 3", "suite:"),
    ],
)
def test_what_is_no_suite_is_usage(folder: Path, text: str, said: str) -> None:
    (folder / "suite.toml").write_text(text)
    done = gate(folder, "--answers", write_answers(folder))
    assert done.returncode == 2
    assert said in done.stderr.decode()


def test_a_minimum_of_no_metric_is_usage(folder: Path) -> None:
    case = GoldenCase("c-1", "How long?", Kind.SINGLE_HOP, minima={"hit_at_kk": 1.0})
    save(GoldenSet("desk", (case,)), folder / "golden.jsonl")
    done = gate(folder, "--answers", write_answers(folder))
    assert done.returncode == 2
    assert b"hit_at_kk" in done.stderr
