"""One SQLite file that says who holds which case: shared by console and command line of one machine.

WAL mode; every change is one transaction that holds the file from its beginning, so that two who claim at
once get different cases. Not for network file systems, whose locks do not hold.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from judges.sqlite_file import open_sqlite
from sinks.annotation.errors import LeaseFileError

T = TypeVar("T")

VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS leases (
    item_id TEXT PRIMARY KEY, lease_id TEXT NOT NULL UNIQUE, annotator TEXT NOT NULL,
    granted_at REAL NOT NULL, expires_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS leases_of ON leases (annotator);
CREATE TABLE IF NOT EXISTS said (
    item_id TEXT NOT NULL, annotator TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (item_id, annotator)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS said_at ON said (at);
"""


class LeaseFile:
    """The open file; any thread may use it, one at a time. `path` null: in memory, for one process."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._database = _open(path)

    def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of `work`, done in one transaction or not at all. Raises LeaseFileError."""
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                try:
                    result = work(self._database)
                except BaseException:
                    self._database.execute("ROLLBACK")
                    raise
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                raise LeaseFileError(_advice(self.path, error)) from error
            return result

    def close(self) -> None:
        """Close the file. What was committed stays."""
        with self._lock:
            self._database.close()


def _open(path: Path | None) -> sqlite3.Connection:
    try:
        return open_sqlite(path, _SCHEMA, VERSION)
    except (sqlite3.Error, OSError) as error:
        raise LeaseFileError(_advice(path, error)) from error


def _advice(path: Path | None, error: Exception) -> str:
    return (
        f"The file of leases {path} (RAGPULSE_ANNOTATION__LEASE_FILE) cannot be used: {error}. "
        "Make room on its disk and let us write to it; if it is damaged, move it, its -wal and -shm away: "
        "labels are in ClickHouse, and only who holds what is forgotten."
    )


__all__ = ["VERSION", "LeaseFile"]
