"""`ragpulse gate` as it is run: answers from files and endpoints, baselines, reports, judges."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as Xml

import orjson
import pytest
import yaml
from typer.main import get_command

from benchmarks._golden_desk import Change, answer, lose_second_hop, make_golden
from judges.golden import GoldenCase, GoldenSet, Kind, load, save
from stream.cli import app
from tests.contracts.test_judge_commands import Done, run
from tests.support.filled_forms import scores
from tests.support.stand_in_llm import StandIn
from tests.support.stand_in_rag import StandInRag, stand_in_rag

GOLDEN = make_golden(single=30, multi=16, unanswerable=10)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite and its golden set."""
    save(GOLDEN, tmp_path / "golden.jsonl")
    write_suite(tmp_path)
    return tmp_path


def write_suite(folder: Path, more: str = "", main: str = "") -> Path:
    path = folder / "suite.toml"
    path.write_text(f'[suite]\ngolden = "golden.jsonl"\n{main}\n{more}\n')
    return path


def write_answers(
    folder: Path, name: str = "answers.jsonl", change: Change | None = None, golden: GoldenSet = GOLDEN
) -> Path:
    path = folder / name
    lines = [orjson.dumps(answer(case, change)) for case in golden.cases]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def gate(folder: Path, *arguments: str | Path, env: dict[str, str] | None = None) -> Done:
    return run("gate", folder / "suite.toml", *arguments, env=env)


def report(done: Done) -> dict[str, Any]:
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = orjson.loads(done.stdout)
    assert found["blocked"] is (done.returncode == 1)
    return found


def save_baseline(folder: Path, *arguments: str | Path, env: dict[str, str] | None = None) -> Path:
    path = folder / "baseline.jsonl"
    done = gate(
        folder, "--answers", write_answers(folder, "good.jsonl"), "--save-baseline", path, *arguments, env=env
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return path


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
    "text", ["[suite", "[suite]\n", '[suite]\ngolden = "none.jsonl"', "[floors]\nmrr = 2"]
)
def test_what_is_no_suite_is_usage(folder: Path, text: str) -> None:
    (folder / "suite.toml").write_text(text)
    assert gate(folder, "--answers", write_answers(folder)).returncode == 2


# --- an endpoint ---


@pytest.fixture
def rag() -> Iterator[StandInRag]:
    with stand_in_rag(GOLDEN) as system:
        yield system


def endpoint_suite(folder: Path, more: str = "", probes: str = "", main: str = "") -> None:
    write_suite(folder, f'[endpoint]\nurl = "http://127.0.0.1:1"\nretries = 1\n{more}\n{probes}', main)


def test_an_endpoint_is_asked_each_case_once_and_never_more_at_once_than_it_may(
    folder: Path, rag: StandInRag
) -> None:
    endpoint_suite(folder, 'concurrency = 3\nheaders = { Authorization = "Bearer $RAG_TOKEN" }')
    rag.after_s = 0.01
    done = gate(folder, "--endpoint", f"{rag.url}?v=2", env={"RAG_TOKEN": "secret-7"})
    assert done.returncode == 0, done.stdout
    assert rag.asked == dict.fromkeys(rag.cases, 1)
    assert 1 < rag.most_in_flight <= 3
    assert set(rag.paths) == {"/ask?v=2"}
    assert {one["Authorization"] for one in rag.headers} == {"Bearer secret-7"}
    assert b"secret-7" not in done.stdout + done.stderr
    assert {"case_id", "question", "history", "language", "tenant", "permissions"} == rag.bodies[0].keys()


def test_a_header_without_its_variable_is_usage(folder: Path, rag: StandInRag) -> None:
    endpoint_suite(folder, 'headers = { Authorization = "$RAG_TOKEN" }')
    done = gate(folder, "--endpoint", rag.url)
    assert (done.returncode, rag.asked.total()) == (2, 0)
    assert b"RAG_TOKEN" in done.stderr


def test_an_endpoint_with_words_of_its_own_is_read_all_the_same(folder: Path, rag: StandInRag) -> None:
    write_suite(
        folder,
        '[endpoint]\nurl = "http://x"\n[endpoint.request]\ncase_id = "{case_id}"\n'
        'input = { text = "Q: {question}", lang = "{language}" }\n'
        '[endpoint.response]\nanswer = "choices.0.text"\nchunks = "context"\nchunk_id = "doc.key"\n',
    )

    def behave(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        said = answer(rag.cases[body["case_id"]])
        context = [{"doc": {"key": one["id"]}, "text": one["text"]} for one in said["retrieval"]["chunks"]]
        return 200, {"choices": [{"text": said["answer"]}], "context": context}

    rag.behave = behave
    assert gate(folder, "--endpoint", rag.url).returncode == 0
    case = rag.cases[rag.bodies[0]["case_id"]]
    assert rag.bodies[0]["input"] == {"text": f"Q: {case.question}", "lang": case.language}


def test_a_request_that_failed_is_sent_again_and_a_reply_that_is_none_is_a_failed_case(
    folder: Path, rag: StandInRag
) -> None:
    endpoint_suite(folder, "concurrency = 1", main="required = []")
    rag.script = [(503, b"busy"), (200, {"chunks": []}), (200, b"no json"), (400, b"what?")]
    found = report(gate(folder, "--endpoint", rag.url, "--json"))
    failed = [case for case in found["cases"] if case["values"].get("answered") == 0]
    assert len(failed) == 3
    details = " ".join(case["failed"][-1]["detail"] for case in failed)
    assert "endpoint.response.answer" in details
    assert "no JSON" in details
    assert "http_400" in details
    assert rag.asked.total() == len(GOLDEN.cases) + 1


def test_an_endpoint_that_is_not_there_is_unreachable(folder: Path) -> None:
    endpoint_suite(folder, "concurrency = 2")
    done = gate(folder, "--keep", folder / "kept.jsonl")
    assert done.returncode == 3
    assert b"endpoint.url" in done.stderr
    assert (folder / "kept.jsonl").read_bytes() == b""


def test_an_endpoint_that_lets_nobody_in_is_unreachable(folder: Path, rag: StandInRag) -> None:
    rag.behave = lambda body: (401, b"")
    done = gate(folder, "--endpoint", rag.url)
    assert done.returncode == 3
    assert b"endpoint.headers" in done.stderr


def test_a_run_that_is_broken_off_leaves_whole_lines_and_goes_on_from_them(
    folder: Path, rag: StandInRag
) -> None:
    endpoint_suite(folder, "concurrency = 2")
    rag.after_s = 0.15
    kept, page = folder / "kept.jsonl", folder / "gate.md"
    command = ["gate", folder / "suite.toml", "--endpoint", rag.url, "--keep", kept, "--markdown", page]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAGPULSE_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "stream.cli", *map(str, command)], env=environment, cwd=ROOT,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not kept.exists() or kept.read_bytes().count(b"\n") < 4:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) != 0
    lines = kept.read_bytes().splitlines()
    assert kept.read_bytes().endswith(b"\n")
    answered = {orjson.loads(line)["case_id"] for line in lines}
    assert 4 <= len(answered) == len(lines) < len(GOLDEN.cases)
    assert not page.exists()
    kept.write_bytes(kept.read_bytes() + b'{"half of a li')  # as a power cut leaves it
    rag.asked.clear()
    rag.after_s = 0.0
    done = gate(folder, "--endpoint", rag.url, "--keep", kept)
    assert done.returncode == 0
    assert rag.asked == dict.fromkeys(rag.cases.keys() - answered, 1)
    assert f"{len(answered)} answers were in" in done.stderr.decode()
    # What was kept is a file of traces like any other, and never taken for the answers of another run.
    assert gate(folder, "--answers", kept).returncode == 0
    assert gate(folder, "--endpoint", rag.url, "--keep", kept).returncode == 2


def test_answers_of_another_endpoint_are_not_gone_on_from(folder: Path, rag: StandInRag) -> None:
    kept = folder / "kept.jsonl"
    assert gate(folder, "--endpoint", rag.url, "--keep", kept).returncode == 0
    kept.write_bytes(b"\n".join(kept.read_bytes().splitlines()[:5]) + b"\n")
    done = gate(folder, "--endpoint", f"{rag.url}?other=1", "--keep", kept)
    assert done.returncode == 2
    assert b"another endpoint" in done.stderr


# --- probes ---


def probed(folder: Path, rag: StandInRag) -> Done:
    endpoint_suite(folder, 'chunks_key = "chunks"', "[probes]\ncount = 12\nleast = 5\n")
    return gate(folder, "--endpoint", rag.url, "--json")


def test_a_system_that_answers_from_its_chunks_follows_them(folder: Path, rag: StandInRag) -> None:
    def behave(body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        chunks = body.get("chunks")
        return None if chunks is None else (200, {"answer": chunks[0]["text"], "chunks": chunks})

    rag.behave = behave
    found = report(probed(folder, rag))
    assert found["override"]["outcomes"]["followed"] >= 5
    assert found["override"]["rate"] == 0.0
    probe = found["override"]["probes"][0]
    sent = next(body for body in rag.bodies if body.get("chunks") and body["case_id"] == probe["case_id"])
    assert probe["after"] in orjson.dumps(sent["chunks"]).decode()


def test_a_system_that_answers_from_memory_is_blocked(folder: Path, rag: StandInRag) -> None:
    found = report(probed(folder, rag))  # the desk says what it always says, whatever it is sent
    assert found["override"]["rate"] == 1.0
    assert [one["kind"] for one in found["findings"]] == ["override"]


def test_probes_want_an_endpoint_that_takes_chunks(folder: Path) -> None:
    write_suite(folder, "[probes]\ncount = 5\n")
    done = gate(folder, "--answers", write_answers(folder))
    assert done.returncode == 2
    assert b"endpoint.chunks_key" in done.stderr


# --- judges ---


class Moody:
    """A judge that says the contrary of what it mostly says, in a share of its answers."""

    def __init__(self, share: float, seed: int) -> None:
        self.share, self.random = share, Random(seed)

    def __call__(self, body: dict[str, Any]) -> Any:
        fields = body["response_format"]["json_schema"]["schema"]["properties"]
        if "claims" in fields:
            return {"claims": []}
        refused = any(word in body["messages"][1]["content"] for word in ("could not find", "没有查到"))
        wrong = self.random.random() < self.share
        asks = "other" if self.random.random() < self.share else "same"
        return scores(refusal=refused != wrong, reverse_questions=[{"question": "What?", "asks": asks}])


@pytest.fixture
def llm() -> Iterator[StandIn]:
    with StandIn(Moody(0.0, 1)) as server:
        yield server


def judged_environment(llm: StandIn, folder: Path) -> dict[str, str]:
    return {
        "RAGPULSE_JUDGE__BASE_URL": llm.base_url,
        "RAGPULSE_JUDGE__MODEL": llm.model,
        "RAGPULSE_JUDGE__STATE_FILE": str(folder / "judge.sqlite"),
        "RAGPULSE_JUDGE__CONCURRENCY": "16",
    }


def test_judges_in_a_bad_mood_block_nobody_and_a_changed_judge_demands_a_new_baseline(
    folder: Path, llm: StandIn
) -> None:
    write_suite(folder, main="judges = true")
    environment = judged_environment(llm, folder)
    llm.answer = Moody(0.08, 1)
    baseline = save_baseline(folder, env=environment)
    llm.answer = Moody(0.08, 2)
    (folder / "judge.sqlite").unlink()
    done = gate(folder, "--answers", write_answers(folder), "--baseline", baseline, "--json", env=environment)
    found = report(done)
    assert not found["blocked"]
    rows = {row["metric"]: row for layer in found["layers"] for row in layer["measures"] if row["by"] is None}
    assert rows["judged_refusal_correctness"]["measured"] == len(GOLDEN.cases)
    assert rows["judged_refusal_correctness"]["against_baseline"]["gained"] > 0
    environment["RAGPULSE_JUDGE__MODEL"] = "another"
    done = gate(folder, "--answers", write_answers(folder), "--baseline", baseline, env=environment)
    assert done.returncode == 2
    assert b"the judges' model was stand-in-1, and is another" in done.stderr


def test_judges_are_not_paid_where_the_retrieval_fails_without_them(folder: Path, llm: StandIn) -> None:
    write_suite(folder, main="judges = true")
    environment = judged_environment(llm, folder)
    baseline = save_baseline(folder, env=environment)
    asked = llm.calls.total()
    bad = write_answers(folder, change=lose_second_hop(1.0))
    done = gate(folder, "--answers", bad, "--baseline", baseline, env=environment)
    assert done.returncode == 1
    assert b"were not asked" in done.stderr
    assert llm.calls.total() == asked


def test_a_minimum_of_the_judges_is_missed_only_where_they_say_so_each_time(
    folder: Path, llm: StandIn
) -> None:
    cases = [
        GoldenCase(f"c-{at}", f"Question {at}?", Kind.SINGLE_HOP, minima={"judged_answer_relevance": 0.5})
        for at in range(2)
    ]
    save(GoldenSet("desk", tuple(cases)), folder / "golden.jsonl")
    write_suite(folder, main="judges = true\nrequired = []")
    answers = folder / "answers.jsonl"
    replies = [
        {"trace_id": one.case_id, "question": one.question, "answer": f"It is {one.case_id}.", "retrieval": {
            "chunks": [{"id": "a", "text": f"It is {one.case_id}."}]}}
        for one in cases
    ]  # fmt: skip
    answers.write_bytes(b"\n".join(map(orjson.dumps, replies)))
    moods = {"c-0": 0, "c-1": 0}

    def moody(body: dict[str, Any]) -> Any:
        if "claims" in body["response_format"]["json_schema"]["schema"]["properties"]:
            return {"claims": []}
        case = next(name for name in moods if f"It is {name}." in body["messages"][1]["content"])
        moods[case] += 1
        asks = "same" if case == "c-0" and moods[case] > 1 else "other"  # c-0: once in a bad mood
        return scores(reverse_questions=[{"question": "What?", "asks": asks}])

    llm.answer = moody
    found = report(gate(folder, "--answers", answers, "--json", env=judged_environment(llm, folder)))
    assert [(one["kind"], one["cases"]) for one in found["findings"]] == [("demand", ["c-1"])]
    assert moods == {"c-0": 2, "c-1": 5}


# --- the workflow ---


def test_the_workflow_is_sound_and_its_command_does_what_it_says(folder: Path, rag: StandInRag) -> None:
    workflow = yaml.safe_load((ROOT / "docs/gate/ragpulse-gate.yml").read_text())
    assert {"pull_request", "workflow_dispatch"} == workflow[True].keys()  # YAML reads `on` as true
    steps = workflow["jobs"]["gate"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps)
    line = next(step["run"] for step in steps if "ragpulse gate" in step.get("run", ""))
    words = shlex.split(line.replace("\\\n", " "))
    assert words[:2] == ["ragpulse", "gate"]
    known = {name for param in get_command(app).commands["gate"].params for name in param.opts}  # type: ignore[attr-defined]
    assert {word for word in words if word.startswith("--")} <= known
    (folder / "gate").mkdir()
    (folder / "golden.jsonl").rename(folder / "gate" / "golden.jsonl")
    (folder / "suite.toml").rename(folder / "gate" / "suite.toml")
    swapped = [rag.url if word.startswith("http") else word for word in words[2:]]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAGPULSE_")}
    ended = subprocess.run(
        [sys.executable, "-m", "stream.cli", "gate", *swapped], cwd=folder, timeout=200, check=False,
        capture_output=True, env=environment | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    kept = next(step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", ""))
    assert all((folder / name).exists() for name in kept.split())


def test_the_suite_to_copy_is_one(folder: Path) -> None:
    text = (ROOT / "docs/gate/suite.toml").read_text()
    without = text.replace('baseline = "baseline.jsonl"', "")
    (folder / "suite.toml").write_text(without)
    done = gate(folder, "--answers", write_answers(folder))
    assert done.returncode in (0, 1), done.stderr
