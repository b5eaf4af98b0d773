"""One SQLite file that the processes of a machine share: how it is opened, and brought to its version.

WAL mode; not for network file systems, whose locks do not hold. A transaction that was committed survives a
SIGKILL of the process; a power cut may take the last moments back (`synchronous=NORMAL`).
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

_BUSY_S: Final = 20.0


def open_sqlite(path: Path | None, schema: str, version: int, *, check: bool = False) -> sqlite3.Connection:
    """The open file, for any thread, without transactions of the library's own; null: in memory.

    Made where it is not there, for its owner alone: it tells what people wrote. `schema` is SQL that may be
    run again and again. `check`: look for damage first, which reads all of it. Raises OSError, and
    sqlite3.Error also where the file is damaged, or newer than `version`.
    """
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    name = ":memory:" if path is None else path
    database = sqlite3.connect(name, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        _prepare(database, schema, version, check)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: sqlite3.Connection, schema: str, version: int, check: bool) -> None:
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    damage = database.execute("PRAGMA quick_check(1)").fetchone()[0] if check else "ok"
    if damage != "ok":
        raise sqlite3.DatabaseError(damage)
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found > version:
        raise sqlite3.DatabaseError(f"it is of version {found}, and this ragpulse knows up to {version}")
    database.executescript(f"BEGIN IMMEDIATE;{schema}PRAGMA user_version={version};COMMIT;")


__all__ = ["open_sqlite"]
