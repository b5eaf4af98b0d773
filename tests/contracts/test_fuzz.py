"""A little of `make fuzz`: requests, rows, command lines and files that nobody would make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import orjson
import pytest

from benchmarks._documents import marks
from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.engine import EmbeddedEngine
from stream.watch.store import WatchStore
from tests.fuzz.by_chance import ask_console, hurt_files, hurt_inputs, read_back, run_commands
from tests.fuzz.guided import is_there, run_guided
from tests.fuzz.patterns import ROOT
from tests.fuzz.report import write_report
from tests.fuzz.rows import Columns
from tests.fuzz.targets import TARGETS

pytestmark = pytest.mark.timeout(280)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_inputs_are_read_or_refused_for_a_reason(name: str) -> None:
    assert hurt_inputs(name, 150, Random(3)).failures == ()


def test_a_target_that_fails_is_told() -> None:
    def fail(data: bytes) -> None:
        raise ValueError("no")

    assert hurt_inputs("messages", 50, Random(3), fail).failures


def test_damaged_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    tried = hurt_files(tmp_path, 80, Random(3))
    assert tried.failures == ()
    assert "items" in tried.came


def test_any_command_line_ends_with_a_code_that_is_documented(tmp_path: Path) -> None:
    assert run_commands(tmp_path, 25, Random(3)).failures == ()


def test_a_path_that_is_too_long_is_told_in_one_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "stream.cli", "scorer", "list", "--registry", "x" * 5_000],
        cwd=ROOT, env={"HOME": str(tmp_path), "PATH": ""}, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "ragpulse: A path that was given is too long to be one.\n"


@pytest.mark.engine
def test_hostile_rows_are_read_by_pages_reports_and_commands(
    embedded_engine: EmbeddedEngine, tmp_path: Path
) -> None:
    tried = read_back(embedded_engine, tmp_path, 200, 3)
    assert tried.failures == ()


@pytest.mark.engine
def test_an_incident_of_a_kind_that_we_do_not_know_hides_no_other(
    embedded_engine: EmbeddedEngine, dsn: str
) -> None:
    store = connect(dsn)
    migrate(store)
    columns = Columns(store, Random(1))
    at = "2026-11-30 12:00:00"
    row = columns.row("incidents", 1) | {
        "status": "open", "segment": "app=helpdesk", "explained_by": "", "explanation": "{}", "onset": at,
        "detected_at": at, "resolved_at": None, "updated_at": at, "notified_at": None,
    }  # fmt: skip
    known = row | {"incident_id": "known", "measure": "hallucination"}
    unknown = row | {"incident_id": "unknown", "measure": "a measure of next year"}
    store.insert_raw("incidents", orjson.dumps(known) + b"\n" + orjson.dumps(unknown))
    assert [one.incident_id for one in WatchStore(store).open_incidents()] == ["known"]


@pytest.mark.engine
def test_requests_by_the_description_and_of_any_kind_are_answered(embedded_engine: EmbeddedEngine) -> None:
    tried = ask_console(embedded_engine, 60, 3)
    assert [one.failures for one in tried] == [(), ()]
    assert sum(one.inputs for one in tried) > 40


@pytest.mark.skipif(not is_there(), reason="needs the extra: pip install 'ragpulse[fuzz]'")
def test_coverage_guides_the_fuzzer_to_more_code(tmp_path: Path) -> None:
    found = run_guided("segmentation", 3, 1, tmp_path)
    assert found.failure is None
    assert found.inputs > 20
    assert found.edges[1] >= found.edges[0] > 100


def test_a_report_replaces_what_it_wrote_before(tmp_path: Path) -> None:
    path = tmp_path / "PROOF.md"
    path.write_text("# Proof\n\nFirst.\n", encoding="utf-8")
    write_report(path, "fuzz", "one")
    write_report(path, "other", "two")
    write_report(path, "fuzz", "three")
    begin, end = marks("make fuzz", "fuzz")
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# Proof\n\nFirst.\n\n{begin}\n\nthree\n\n{end}\n")
    assert "two" in text
    assert "one" not in text
