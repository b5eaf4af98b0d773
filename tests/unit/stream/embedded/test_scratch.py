"""Temporary folders go with their owner, however it ends."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from stream.embedded.scratch import Scratch, sweep

HOLD = """
import sys
from stream.embedded.scratch import Scratch
scratch = Scratch("demo")
print(scratch.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_folder_is_gone_behind_its_block(tmp_path: Path) -> None:
    with Scratch("demo") as scratch:
        (scratch.path / "inner").mkdir()
        assert scratch.path.parent == tmp_path
        assert sweep() == []
        assert scratch.path.exists()
    assert list(tmp_path.iterdir()) == []
    scratch.cleanup()


def test_what_a_killed_process_left_is_swept_away_by_the_next(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env={"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(__file__).parents[4])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert owner.stdout is not None
    left = Path(owner.stdout.readline().decode().strip())
    assert sweep() == []
    assert left.exists(), "its owner lives"
    owner.kill()
    owner.communicate()
    with Scratch("demo"):
        assert not left.exists()


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ragpulse-mine").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".lock").touch()
    (tmp_path / "ragpulse-link").symlink_to(tmp_path / "elsewhere")
    assert sweep() == []
    assert len(list(tmp_path.iterdir())) == 3
