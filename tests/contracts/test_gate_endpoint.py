"""`ragpulse gate` asks a candidate over HTTP: concurrency, failures, going on, probes, the workflow."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from typer.main import get_command

from benchmarks._golden_desk import answer
from stream.cli import app
from tests.contracts.test_judge_commands import Done
from tests.support.gating import (
    GOLDEN,
    ROOT,
    gate,
    make_folder,
    report,
    write_answers,
    write_suite,
)
from tests.support.stand_in_rag import StandInRag, stand_in_rag


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path)


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
