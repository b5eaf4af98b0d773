"""Answers that were paid for once: kept by what was asked, so that nothing is asked twice."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from judges.llm.asking import Ask, Filled
from judges.llm.bounds import Bounds
from judges.llm.endpoint import Endpoint
from judges.llm.state_file import StateFile

_SWEEP_EVERY: Final = 64
_KEY_VERSION: Final = 1
"""Raised where the same question would be put differently than before."""


@dataclass(slots=True, frozen=True)
class Kept:
    """An answer as it is kept: the filled form as JSON, how it was come by, and who gave it."""

    value: str
    how: str
    served_by: str


def key_of(endpoint: Endpoint, ask: Ask[Filled], schema: dict[str, Any]) -> str:
    """SHA-256 of all that may change an answer: address, model, temperature, other fields, messages, form."""
    asked = [
        _KEY_VERSION,
        endpoint.base_url,
        endpoint.model,
        endpoint.temperature,
        dict(endpoint.body),
        [[message.role, message.content] for message in ask.messages],
        schema,
    ]
    # Keys are not sorted: the order of a form's fields is part of the question. Lone surrogates are escaped.
    return hashlib.sha256(json.dumps(asked, ensure_ascii=True).encode()).hexdigest()


class Answers:
    """The answers of one state file. `wall` is the time in seconds since 1970."""

    def __init__(self, file: StateFile, bounds: Bounds, wall: Callable[[], float]) -> None:
        self.bounds = bounds
        self._file = file
        self._wall = wall
        self._puts = 0

    async def get(self, key: str) -> Kept | None:
        """The answer that is kept under `key`, unless it is too old. Raises StateError."""
        since = self._wall() - self.bounds.age_s
        statement = "SELECT value, how, served_by FROM answers WHERE key = ? AND at > ?"
        if self.bounds.age_s <= 0:
            return None
        row = await self._file.run(
            lambda database: database.execute(statement, (key, since)).fetchone(), writes=False
        )
        return None if row is None else Kept(*row)

    async def put(self, key: str, kept: Kept) -> None:
        """Keep an answer. Raises StateError."""
        size = len(kept.value.encode()) + len(key) + 64
        if self.bounds.age_s <= 0 or size > self.bounds.bytes:
            return
        now = self._wall()
        row = (key, now, kept.value, kept.how, kept.served_by, size)
        self._puts += 1
        sweep = self._puts % _SWEEP_EVERY == 0

        def store(database: sqlite3.Connection) -> None:
            database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
            if sweep:
                _sweep(database, now - self.bounds.age_s, self.bounds.bytes)

        await self._file.run(store)


def _sweep(database: sqlite3.Connection, before: float, most: int) -> None:
    """Delete what is too old, and then the oldest until the rest fits."""
    database.execute("DELETE FROM answers WHERE at <= ?", (before,))
    over = (database.execute("SELECT sum(size) FROM answers").fetchone()[0] or 0) - most
    if over <= 0:
        return
    gone, last = 0, before
    for at, size in database.execute("SELECT at, size FROM answers ORDER BY at"):
        gone, last = gone + size, at
        if gone >= over:
            break
    database.execute("DELETE FROM answers WHERE at <= ?", (last,))


__all__ = ["Answers", "Kept", "key_of"]
