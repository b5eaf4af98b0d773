"""Standard output that is full, closed or narrow-minded: one sentence, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRACE = (
    '{"trace_id":"t","question":"多少天？","retrieval":{"chunks":[{"text":"十四天"}]},"answer":"十四天。"}\n'
)
COMMANDS = ["--help", "score FILE", "convert FILE", "doctor"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "traces.jsonl"
    path.write_text(TRACE)
    return path


def shell(command: str, file: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAGPULSE_")}
    line = command.replace("ragpulse", f"'{sys.executable}' -m stream.cli").replace("FILE", f"'{file}'")
    return subprocess.run(
        ["bash", "-c", line], env=clean | env, capture_output=True, text=True, timeout=60, check=False
    )


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """What it ended with; a busy machine may have been told before that the scorer is being loaded."""
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("where", "why"), [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
def test_an_output_that_takes_nothing_is_said_in_one_sentence(
    command: str, where: str, why: str, file: Path
) -> None:
    done = shell(f"ragpulse {command} {where}", file)
    assert done.returncode == 1
    assert last_line(done) == f"ragpulse: Standard output cannot be written: {why}."


def test_a_file_on_a_full_disk_is_named(file: Path) -> None:
    done = shell("ragpulse score FILE --out /dev/full", file)
    assert done.returncode == 2
    assert last_line(done) == "ragpulse: /dev/full cannot be written: No space left on device."


def test_an_input_that_is_closed_is_named(file: Path) -> None:
    done = shell("ragpulse score - <&-", file)
    assert done.returncode == 2
    assert last_line(done) == "ragpulse: standard input cannot be read: Bad file descriptor."


def test_messages_that_nobody_can_hear_stop_no_work(file: Path) -> None:
    done = shell("ragpulse score FILE 2> /dev/full", file)
    assert done.returncode == 0
    assert done.stdout.startswith('{"trace_id":"t"')


def test_an_encoding_without_a_letter_shows_a_question_mark(file: Path) -> None:
    done = shell("ragpulse doctor", file, PYTHONIOENCODING="ascii", RAGPULSE_KAFKA__BROKERS="127.0.0.1:9")
    assert "Traceback" not in done.stderr
    assert "? start it" in done.stdout
