"""Versions side by side: the code as it was before the newest migration beside the code as it is.

The version before is taken from git, so these tests skip where there is no history.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import load_migrations, migrate
from sinks.clickhouse.rollup import roll_up
from stream.settings import Settings
from tests.support.kafka import environment
from tests.support.rows import trace_line
from tests.support.sink import _PROGRAM as SINK
from tests.support.sink import SinkProcess, publish_rows, running_sink, sink_settings, wait_for_rows

pytestmark = [pytest.mark.engine, pytest.mark.kafka]

ROOT = Path(__file__).resolve().parents[2]
NEWEST = load_migrations()[-1]
CODE = (
    "schemas",
    "judges",
    "sinks",
    "stream",
    "console",
    "docs/SETTINGS.md",
    "tests/__init__.py",
    "tests/support",
)
_ROWS = """
import sys
from tests.support.rows import trace_line
for number in range(int(sys.argv[1])):
    line = trace_line(f"{sys.argv[2]}-{number}", timestamp="2026-11-30 12:00:00.000")
    sys.stdout.write(line.decode() + "\\n")
"""


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, timeout=60, check=True).stdout


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the code of the commit before the newest migration."""
    file = f"sinks/clickhouse/migrations/{NEWEST.version:04}_{NEWEST.name}.sql"
    try:
        (commit,) = git("log", "--diff-filter=A", "--format=%H", "--", file).decode().split()
        packed = git("archive", f"{commit}^", *CODE)
    except (OSError, ValueError, subprocess.CalledProcessError):
        pytest.skip(f"git knows nothing of the commit before {file}")
    folder = tmp_path_factory.mktemp("before")
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def variables_before(folder: Path, settings: Settings) -> dict[str, str]:
    """The settings, as far as the version before knows them: it refuses others, and says so."""
    known = set(re.findall(r"RAGPULSE_\w+", (folder / "docs" / "SETTINGS.md").read_text()))
    named = environment(settings)
    kept = {name: value for name, value in named.items() if name in known or not name.startswith("RAGPULSE_")}
    dsn = settings.clickhouse.dsn.get_secret_value()
    return kept | {"PYTHONPATH": str(folder), "RAGPULSE_CLICKHOUSE__DSN": dsn}


def run_before(folder: Path, settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python process of the version before."""
    command, variables = [sys.executable, *arguments], variables_before(folder, settings)
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, timeout=90, check=False
    )


@contextmanager
def sink_before(folder: Path, settings: Settings, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The sink of the version before, while the body runs."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", SINK],
            cwd=folder, env=variables_before(folder, settings), stdout=out, stderr=out,
        )  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def settings(apache_kafka: str, dsn: str) -> Settings:
    return sink_settings(apache_kafka, dsn)


def version(store: ClickHouse) -> int:
    (row,) = store.query("SELECT max(version) AS n FROM schema_migrations FINAL")
    return int(row["n"])


def rows(name: str, count: int) -> list[bytes]:
    return [trace_line(f"{name}-{number}", timestamp="2026-11-30 12:00:00.000") for number in range(count)]


def test_the_folder_holds_the_version_before(before: Path, settings: Settings) -> None:
    done = run_before(
        before, settings, "-c",
        "import sinks.clickhouse.migrate as m; print(m.__file__, m.load_migrations()[-1].version)",
    )  # fmt: skip
    assert done.stdout.split() == [
        str(before / "sinks/clickhouse/migrate.py"),
        str(NEWEST.version - 1),
    ], done.stderr


def test_an_upgrade_without_a_stop_and_a_rollback_lose_and_double_nothing(
    before: Path, settings: Settings, tmp_path: Path
) -> None:
    store = connect(settings.clickhouse.dsn.get_secret_value())
    migrated = run_before(before, settings, "-m", "stream.cli", "migrate")
    assert migrated.returncode == 0, migrated.stderr
    assert version(store) == NEWEST.version - 1

    with sink_before(before, settings, tmp_path / "before.log") as old_sink:
        # The version before, alone: its rows, its sink.
        old = run_before(before, settings, "-c", _ROWS, "30", "old").stdout.encode().splitlines()
        publish_rows(settings, old)
        wait_for_rows(settings, 30)
        # The schema goes first; the old sink goes on, with rows of either version.
        assert f"{NEWEST.version:04}_{NEWEST.name}" in migrate(store)
        publish_rows(settings, [*rows("new", 30), *old[:10]])
        wait_for_rows(settings, 60)
        # A new sink joins it, and stays alone.
        with running_sink(settings):
            publish_rows(settings, [*rows("both", 60), *rows("new", 10)])
            wait_for_rows(settings, 120)
            assert old_sink.poll() is None, (tmp_path / "before.log").read_text()
            old_sink.terminate()
            publish_rows(settings, rows("upgraded", 30))
            wait_for_rows(settings, 150)

    # Back again: the old sink takes rows of the new worker, and its migrate changes nothing.
    refused = run_before(before, settings, "-m", "stream.cli", "migrate")
    assert refused.returncode == 1
    assert "newer than this build knows" in refused.stderr
    with sink_before(before, settings, tmp_path / "again.log"):
        publish_rows(settings, rows("back", 30))
        counts = wait_for_rows(settings, 180)
        assert counts.final == counts.distinct == 180
        assert version(store) == NEWEST.version
        _wait_for_minutes(store, 180)
    roll_up(store)
    assert store.query("SELECT sum(traces) AS n FROM minute_rates") == [{"n": 180}]


def test_a_new_sink_before_its_schema_waits_and_says_so(
    before: Path, settings: Settings, tmp_path: Path
) -> None:
    assert run_before(before, settings, "-m", "stream.cli", "migrate").returncode == 0
    publish_rows(settings, rows("early", 5))
    sink = SinkProcess(settings, tmp_path)
    try:
        until = time.monotonic() + 30
        while not re.search(r"run `ragpulse migrate`", sink.log.read_text(errors="replace")):
            assert sink.process.poll() is None
            assert time.monotonic() < until, sink.log.read_text(errors="replace")
            time.sleep(0.1)
        migrate(connect(settings.clickhouse.dsn.get_secret_value()))
        wait_for_rows(settings, 5)
    finally:
        sink.kill()


def _wait_for_minutes(store: ClickHouse, traces: int, timeout_s: float = 30.0) -> None:
    until = time.monotonic() + timeout_s
    found: list[dict[str, Any]] = []
    while found != [{"n": traces}]:
        assert time.monotonic() < until, found
        time.sleep(0.2)
        found = store.query("SELECT sum(traces) AS n FROM minute_rates")
