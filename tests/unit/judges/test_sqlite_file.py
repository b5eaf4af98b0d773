"""The SQLite file that processes of a machine share: its owner's alone, kept, refused where it is no use."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from judges.sqlite_file import open_sqlite

SCHEMA = "CREATE TABLE IF NOT EXISTS said (what TEXT);"


def test_it_is_made_for_its_owner_alone_and_keeps_what_was_said(tmp_path: Path) -> None:
    path = tmp_path / "made" / "state.sqlite"
    first, second = (open_sqlite(path, SCHEMA, 1) for _ in range(2))
    first.execute("INSERT INTO said VALUES ('hello')")
    assert second.execute("SELECT what FROM said").fetchall() == [("hello",)]
    assert second.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    first.close()
    second.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_a_newer_version_wrote_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    open_sqlite(path, SCHEMA, 2).close()
    with pytest.raises(sqlite3.DatabaseError, match="of version 2, and this ragpulse knows up to 1"):
        open_sqlite(path, SCHEMA, 1)
    open_sqlite(path, SCHEMA, 2).close()


@pytest.mark.parametrize("check", [False, True])
def test_what_is_no_database_is_refused(tmp_path: Path, check: bool) -> None:
    path = tmp_path / "state.sqlite"
    path.write_bytes(b"no database" * 1_000)
    with pytest.raises(sqlite3.DatabaseError):
        open_sqlite(path, SCHEMA, 1, check=check)


def test_without_a_path_it_is_in_memory() -> None:
    database = open_sqlite(None, SCHEMA, 1, check=True)
    assert database.execute("SELECT count(*) FROM said").fetchone() == (0,)
    database.close()
