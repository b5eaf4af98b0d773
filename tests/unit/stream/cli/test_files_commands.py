"""`ragpulse score | convert`, as a shell sees them: output, exit codes, pipes, interruptions."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest

from schemas.taxonomy import FAILURES, HEALTHY
from stream.demo.traffic import Traffic

COMMAND = [sys.executable, "-m", "stream.cli"]
FIELDS = {
    "trace_id", "failure", "failure_confidence", "first_failed_stage", "faithfulness", "hallucination",
    "answer_relevance", "context_relevance", "context_sufficiency", "citation_precision", "refusal",
    "parametric_leak", "coverage", "evidence", "scorer_version",
}  # fmt: skip


def run(
    *arguments: str | Path, stdin: bytes = b"", env: dict[str, str] | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[bytes]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAGPULSE_")}
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**clean, **(env or {})},
        timeout=timeout,
        check=False,
    )


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"".join(message.value + b"\n" for message in Traffic(1).traces(40)))
    return path


def spoil(path: Path) -> None:
    """Put a malformed line second."""
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(first + b"\n{oops\n" + rest)


def test_score_prints_a_line_a_trace_in_order_with_the_fields_of_the_contract(traces: Path) -> None:
    done = run("score", traces)
    assert done.returncode == 0, done.stderr
    lines = [orjson.loads(line) for line in done.stdout.splitlines()]
    given = [orjson.loads(line)["trace_id"] for line in traces.read_bytes().splitlines()]
    assert [line["trace_id"] for line in lines] == given
    assert all(line.keys() >= FIELDS for line in lines)
    assert b"40 traces scored" in done.stderr


def test_score_reads_standard_input_and_gzip_and_gives_the_same(traces: Path, tmp_path: Path) -> None:
    zipped = tmp_path / "traces.gz"
    zipped.write_bytes(gzip.compress(traces.read_bytes()))
    expected = run("score", traces).stdout
    assert run("score", zipped).stdout == expected
    assert run("score", "-", stdin=traces.read_bytes()).stdout == expected
    assert run("score", "-", stdin=zipped.read_bytes()).stdout == expected


def test_score_reports_a_malformed_line_and_exits_0_or_1_with_strict(traces: Path) -> None:
    spoil(traces)
    for strict, code in ((), 0), (("--strict",), 1):
        done = run("score", traces, *strict)
        assert done.returncode == code
        assert len(done.stdout.splitlines()) == 40
        assert b"line 2: not_json: " in done.stderr
        assert b"warning: 1 lines could not be read" in done.stderr


def test_the_summary_of_score_counts_each_class_as_json_too(traces: Path, tmp_path: Path) -> None:
    spoil(traces)
    done = run("score", traces, "--out", tmp_path / "o", "--json")
    assert done.stdout == b""
    summary = orjson.loads(done.stderr.splitlines()[-1])
    assert summary["scored"] == sum(summary["by_class"].values()) == 40
    assert set(summary["by_class"]) == {HEALTHY, *FAILURES}
    assert summary["unreadable_by_reason"] == {"not_json": 1}


def test_score_out_writes_what_it_would_print(traces: Path, tmp_path: Path) -> None:
    out = tmp_path / "scored.jsonl"
    done = run("score", traces, "--out", out)
    assert done.returncode == 0
    assert done.stdout == b""
    assert out.read_bytes() == run("score", traces).stdout


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_score_leaves_nothing_half_written(tmp_path: Path, sign: signal.Signals) -> None:
    out = tmp_path / "folder" / "scored.jsonl"
    out.parent.mkdir()
    child = subprocess.Popen(
        [*COMMAND, "score", "-", "--out", str(out)], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdin is not None
    child.stdin.write(b"".join(message.value + b"\n" for message in Traffic(1).traces(300)))
    child.stdin.flush()
    until = time.monotonic() + 30
    while not list(out.parent.iterdir()) and time.monotonic() < until:
        time.sleep(0.05)
    assert list(out.parent.iterdir()), "it never began to write"
    child.send_signal(sign)
    child.communicate(timeout=30)
    assert child.returncode == 128 + sign
    assert list(out.parent.iterdir()) == []


def test_a_reader_that_has_had_enough_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(b"".join(message.value + b"\n" for message in Traffic(1).traces(2000)))
    command = f"'{sys.executable}' -m stream.cli score '{path}' | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=120, check=False)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


def test_a_file_that_breaks_off_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    lines = b"".join(message.value + b"\n" for message in Traffic(1).traces(200))
    path.write_bytes(gzip.compress(lines)[:-500])
    done = run("score", path)
    assert done.returncode == 1
    assert b"the file breaks off" in done.stderr
    assert done.stdout.splitlines()


def test_convert_prints_every_field_and_keeps_unknown_keys_under_extra() -> None:
    line = (
        b'{"trace_id":"t","question":"q","answer":null,"timestamp":"2026-12-01T09:00:00+01:00","mood":"good"}'
    )
    done = run("convert", "-", stdin=line)
    assert done.returncode == 0
    body = orjson.loads(done.stdout)
    assert body["extra"] == {"mood": "good"}
    assert "mood" not in body
    assert body["timestamp"] == "2026-12-01T08:00:00Z"
    assert body["retrieval"] is None
    assert body["history"] == []
    assert set(body) >= {"schema_version", "app", "tenant", "release", "generation", "feedback", "gold"}


def test_converting_twice_changes_nothing(traces: Path) -> None:
    once = run("convert", traces).stdout
    assert once.count(b"\n") == 40
    assert run("convert", "-", stdin=once).stdout == once


@pytest.mark.parametrize(
    "arguments",
    [
        ("score",),
        ("score", "nowhere.jsonl"),
        ("score", "-", "--format", "carrier-pigeon"),
        ("score", "-", "--out", "nowhere/at/all"),
        ("convert", "nowhere.jsonl"),
        ("publish", "nowhere.jsonl"),
        ("publish", "-", "--rate", "0"),
        ("nonsense",),
    ],
)
def test_wrong_usage_exits_2_with_a_sentence(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert b"Traceback" not in done.stderr


def test_a_table_of_nothing_is_not_printed(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    done = run("score", empty)
    assert done.returncode == 0
    assert done.stderr.decode().startswith("0 traces scored")
    assert b"healthy" not in done.stderr


def test_healthy_traces_that_nobody_could_look_at_are_told(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    seen = {"trace_id": "a", "question": "How long?", "answer": "Four weeks.",
            "retrieval": {"chunks": [{"text": "The notice period is four weeks."}]}}  # fmt: skip
    unseen = {
        "trace_id": "b",
        "question": "How long?",
        "answer": "Four weeks.",
        "retrieval": {"chunks": None},
    }
    path.write_bytes(orjson.dumps(seen) + b"\n" + orjson.dumps(unseen) + b"\n")
    said = run("score", path).stderr.decode()
    assert "Of the healthy, 1 were not measured: not_recorded 1" in said
    summary = orjson.loads(run("score", path, "--json").stderr)
    assert summary["by_class"]["healthy"] == 2
    assert summary["healthy_unseen_by_coverage"] == {"not_recorded": 1}


@pytest.mark.parametrize("topic", ["", " ", "a b", "..", "主题", "x" * 250])
def test_what_is_no_name_of_a_topic_is_refused(traces: Path, topic: str) -> None:
    done = run("publish", traces, "--topic", topic, env={"RAGPULSE_KAFKA__BROKERS": "127.0.0.1:9"})
    assert done.returncode == 2
    assert b"no name of a topic" in done.stderr
