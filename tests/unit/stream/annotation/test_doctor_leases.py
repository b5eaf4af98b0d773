"""What the doctor says of the file of leases. It never makes one."""

from __future__ import annotations

from pathlib import Path

from stream.doctor import Check, State, _check_leases
from stream.settings import Settings


def check(file: Path) -> Check:
    return _check_leases(Settings.model_validate({"annotation": {"lease_file": str(file)}}))


def test_a_file_that_will_be_made_is_fine_and_is_not_made_by_looking(tmp_path: Path) -> None:
    file = tmp_path / "not" / "yet" / "leases.sqlite"
    found = check(file)
    assert found.state is State.OK
    assert "made at the first claim" in found.detail
    assert not file.parent.exists()


def test_a_folder_in_its_place_is_told_with_its_setting(tmp_path: Path) -> None:
    found = check(tmp_path)
    assert found.state is State.PROBLEM
    assert "RAGPULSE_ANNOTATION__LEASE_FILE" in found.detail
