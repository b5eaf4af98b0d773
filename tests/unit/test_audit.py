"""What `make audit` says: clean, found, or that nothing is known, which is not clean."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLEAN, FOUND, UNKNOWN = 0, 1, 3
FINE = {"name": "orjson", "version": "3.13.0", "vulns": []}
OURS = {"name": "ragpulse", "skip_reason": "Dependency not found on PyPI"}
UNSEEN = {
    "name": "numpy",
    "skip_reason": "Dependency not found on PyPI and could not be audited: numpy (2.1)",
}
HOLED = {
    "name": "jinja2",
    "version": "2.0",
    "vulns": [{"id": "PYSEC-2019-217", "fix_versions": ["2.10.1"], "aliases": []}],
}


def audit(folder: Path, output: str, error: str = "", code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run scripts/audit with a stand-in for pip-audit that says this."""
    (folder / "pip_audit.py").write_text(
        f"import sys\nprint({output!r})\nprint({error!r}, file=sys.stderr)\nsys.exit({code})\n"
    )
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "audit"), "site-packages"],
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def said(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_packages_without_a_known_vulnerability_are_clean_and_counted(tmp_path: Path) -> None:
    done = audit(tmp_path, said(FINE, OURS, UNSEEN))
    assert done.returncode == CLEAN
    assert "no known vulnerability in 1 packages; 1 it does not know: numpy" in done.stdout


def test_a_vulnerability_is_named_with_the_version_that_mends_it(tmp_path: Path) -> None:
    done = audit(tmp_path, said(FINE, HOLED), code=1)
    assert done.returncode == FOUND
    assert "jinja2 2.0: PYSEC-2019-217 (fixed in: 2.10.1)" in done.stdout


def test_a_mirror_that_knows_nothing_is_not_taken_for_clean(tmp_path: Path) -> None:
    done = audit(tmp_path, said(OURS, UNSEEN), error="No known vulnerabilities found")
    assert done.returncode == UNKNOWN
    assert "NOT AUDITED" in done.stderr


@pytest.mark.parametrize("error", ["requests.exceptions.ConnectionError: Max retries exceeded", "timed out"])
def test_a_database_that_cannot_be_reached_is_said(error: str, tmp_path: Path) -> None:
    done = audit(tmp_path, "", error=f"ERROR:pip_audit: {error}", code=1)
    assert done.returncode == UNKNOWN
    assert "NOT AUDITED" in done.stderr


def test_a_broken_tool_is_no_excuse(tmp_path: Path) -> None:
    done = audit(tmp_path, "", error="ModuleNotFoundError: No module named 'cyclonedx'", code=1)
    assert done.returncode == FOUND
    assert "pip-audit failed" in done.stderr


def test_the_integration_runs_it_and_only_a_finding_stops_it() -> None:
    steps = (ROOT / ".ci" / "run").read_text()
    assert "scripts/audit" in steps
    assert "3) echo" in steps
    assert "*) exit 1" in steps
