"""One file for what must outlive a process: what has been spent, and what has been answered.

SQLite in WAL mode, shared by the processes of one machine; not for network file systems, whose locks do not
hold. A transaction that was committed survives a SIGKILL of the process. A power cut may take the last
moments back, since not each is forced to the disk (`synchronous=NORMAL`): that took 5 ms in place of 0.1.

All statements run on one thread of the file's own, so that the event loop never waits for a lock.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

VERSION: Final = 1
_BUSY_S: Final = 20.0
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS spent (
    scope TEXT NOT NULL, window TEXT NOT NULL, starts INTEGER NOT NULL,
    nano INTEGER NOT NULL, tokens INTEGER NOT NULL,
    PRIMARY KEY (scope, window, starts)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, at REAL NOT NULL, value TEXT NOT NULL, how TEXT NOT NULL, served_by TEXT NOT NULL,
    size INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS answers_at ON answers (at);
CREATE TABLE IF NOT EXISTS learned (name TEXT PRIMARY KEY, value REAL NOT NULL) WITHOUT ROWID;
"""


class StateError(Exception):
    """The state file cannot be used. Nothing is asked without it, since what is spent could not be kept."""


class StateFile:
    """The open file. `path` null keeps everything in memory, for one process and its lifetime."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge-state")
        try:
            self._database = self._thread.submit(_open, path).result()
        except BaseException:
            self._thread.shutdown()
            raise

    async def run(self, work: Callable[[sqlite3.Connection], T], *, writes: bool = True) -> T:
        """The result of `work`, done in one transaction; one that writes holds the file. Raises StateError.

        Once begun it is done to its end, also if whoever waits for it is cancelled.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._do, work, writes)

    def run_now(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The same, for callers that have no event loop."""
        return self._thread.submit(self._do, work, True).result()

    def _do(self, work: Callable[[sqlite3.Connection], T], writes: bool) -> T:
        try:
            self._database.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            try:
                result = work(self._database)
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            raise StateError(_advice(self.path, error)) from error
        return result

    def close(self) -> None:
        """Close the file, after what was begun is done."""
        self._thread.submit(self._database.close)
        self._thread.shutdown()


def _open(path: Path | None) -> sqlite3.Connection:
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # answers quote what users wrote
        database = sqlite3.connect(
            ":memory:" if path is None else path,
            timeout=_BUSY_S,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _prepare(database)
        except BaseException:
            database.close()
            raise
    except (sqlite3.Error, OSError) as error:
        raise StateError(_advice(path, error)) from error
    return database


def _prepare(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise sqlite3.DatabaseError(f"it is of version {version}, and this ragpulse knows up to {VERSION}")
    database.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}PRAGMA user_version={VERSION};COMMIT;")


def _advice(path: Path | None, error: Exception) -> str:
    return (
        f"The judges' state file {path} (RAGPULSE_JUDGE__STATE_FILE) cannot be used: {error}. "
        "Make room on its disk and let us write to it; if it is damaged, move it, its -wal and -shm away, "
        "whereupon the cache starts empty, and so does what this hour and day have spent."
    )


__all__ = ["VERSION", "StateError", "StateFile"]
