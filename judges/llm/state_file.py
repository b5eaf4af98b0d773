"""One file for what must outlive a process: what has been spent, and what has been answered.

SQLite in WAL mode, shared by the processes of one machine; not for network file systems, whose locks do not
hold. A transaction that was committed survives a SIGKILL of the process. A power cut may take the last
moments back, since not each is forced to the disk (`synchronous=NORMAL`): that took 5 ms in place of 0.1.

All statements run on one thread of the file's own, so that the event loop never waits for a lock.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from judges.sqlite_file import open_sqlite

T = TypeVar("T")

VERSION: Final = 1
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
        return open_sqlite(path, _SCHEMA, VERSION, check=True)
    except (sqlite3.Error, OSError) as error:
        raise StateError(_advice(path, error)) from error


def _advice(path: Path | None, error: Exception) -> str:
    return (
        f"The judges' state file {path} (RAGPULSE_JUDGE__STATE_FILE) cannot be used: {error}. "
        "Make room on its disk and let us write to it; if it is damaged, move it, its -wal and -shm away, "
        "whereupon the cache starts empty, and so does what this hour and day have spent."
    )


__all__ = ["VERSION", "StateError", "StateFile"]
