"""The gate for tests: a golden set of the simulated help desk, its suite, its answers, and a run of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from benchmarks._golden_desk import Change, answer, make_golden
from judges.golden import GoldenSet, save
from tests.contracts.test_judge_commands import Done, run

GOLDEN = make_golden(single=30, multi=16, unanswerable=10)
ROOT = Path(__file__).resolve().parents[2]


def make_folder(folder: Path) -> Path:
    """A suite and its golden set."""
    save(GOLDEN, folder / "golden.jsonl")
    write_suite(folder)
    return folder


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
