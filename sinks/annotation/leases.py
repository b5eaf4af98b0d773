"""Who holds which case, until when. A case is held by one annotator at a time.

An expired lease frees its case for others; until somebody takes it, whoever held it may go on with it.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from sinks.annotation.errors import LeaseLost, NotYours, TooManyHeld
from sinks.annotation.lease_file import LeaseFile

REMEMBERED_S: Final = 86_400.0
"""So long it is known here who spoke, though the store may not show it yet, and who held what."""


@dataclass(frozen=True, slots=True)
class Lease:
    """One case in one annotator's hands."""

    lease_id: str
    item_id: str
    annotator: str
    granted_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A case that may be handed out, as the store shows it."""

    item_id: str
    voters: frozenset[str] = frozenset()
    """Whoever has had a say, skips included."""
    missing: int = 1
    """Votes that it still wants."""


class LeaseBook:
    """Leases in a file (null: in memory). `clock`: the time in UTC; nobody can guess what `new_id` makes."""

    def __init__(
        self,
        path: Path | None,
        *,
        ttl_s: float = 900.0,
        most_held: int = 50,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = lambda: secrets.token_urlsafe(16),
    ) -> None:
        self._file = LeaseFile(path)
        self._ttl_s, self._most_held = ttl_s, most_held
        self._clock, self._new_id = clock, new_id

    def grant(
        self, candidates: Iterable[Candidate], annotator: str, n: int, lasts_s: float | None = None
    ) -> list[Lease]:
        """Leases of the first `n` that nobody holds and this annotator may still vote on; maybe fewer.

        `lasts_s`: other than the usual time. What was said since the store was asked is known here, so that
        no case is handed out beyond the votes that it wants. Raises TooManyHeld where nothing more may be
        held, LeaseFileError.
        """

        def work(database: sqlite3.Connection) -> list[Lease]:
            now = self._clock().timestamp()
            self._forget(database, now)
            free = self._most_held - self._count_held(database, annotator, now)
            if free <= 0:
                raise TooManyHeld(
                    f"{annotator} holds {self._most_held} cases already: label, skip or give back some."
                )
            granted: list[Lease] = []
            for one in candidates:
                if len(granted) >= min(n, free):
                    break
                if self._may_have(database, one, annotator, now):
                    granted.append(self._write(database, one.item_id, annotator, now, lasts_s))
            return granted

        return self._file.change(work)

    def heartbeat(self, lease_id: str, annotator: str, at_least_s: float | None = None) -> Lease:
        """The lease, prolonged to its whole time from now. Raises LeaseLost, NotYours, LeaseFileError."""

        def work(database: sqlite3.Connection) -> Lease:
            lease, now = self._find(database, lease_id, annotator), self._clock()
            until = now + timedelta(seconds=self._ttl_s if at_least_s is None else at_least_s)
            until = max(until, lease.expires_at)
            database.execute(
                "UPDATE leases SET expires_at = ? WHERE lease_id = ?", (until.timestamp(), lease_id)
            )
            return Lease(lease.lease_id, lease.item_id, lease.annotator, lease.granted_at, until)

        return self._file.change(work)

    def end(self, lease_id: str, annotator: str, *, said: bool) -> Lease:
        """End it; `said`: the annotator voted or skipped, and is not to get the case again.

        Raises LeaseLost, NotYours, LeaseFileError.
        """

        def work(database: sqlite3.Connection) -> Lease:
            lease = self._find(database, lease_id, annotator)
            database.execute("DELETE FROM leases WHERE lease_id = ?", (lease_id,))
            if said:
                self._remember(database, lease.item_id, annotator)
            return lease

        return self._file.change(work)

    def said(self, item_id: str, annotator: str) -> None:
        """Somebody had a say without a lease: by arbitration or import. Raises LeaseFileError."""
        self._file.change(lambda database: self._remember(database, item_id, annotator))

    def held_by(self, annotator: str) -> list[Lease]:
        """What this annotator holds, the first granted first. Raises LeaseFileError."""
        return [lease for lease in self.held() if lease.annotator == annotator]

    def held(self) -> list[Lease]:
        """All leases that have not expired. Raises LeaseFileError."""
        now = self._clock().timestamp()
        statement = f"SELECT {_COLUMNS} FROM leases WHERE expires_at > ? ORDER BY granted_at, item_id"
        return self._file.change(lambda db: [_lease(row) for row in db.execute(statement, (now,))])

    def close(self) -> None:
        """Close the file. Leases stay in it."""
        self._file.close()

    def _may_have(self, database: sqlite3.Connection, one: Candidate, annotator: str, now: float) -> bool:
        if annotator in one.voters:
            return False
        held = database.execute("SELECT expires_at FROM leases WHERE item_id = ?", (one.item_id,)).fetchone()
        if held is not None and held[0] > now:
            return False
        rows = database.execute("SELECT annotator FROM said WHERE item_id = ?", (one.item_id,))
        unseen = {row[0] for row in rows} - one.voters
        return annotator not in unseen and len(unseen) < one.missing

    def _write(
        self, database: sqlite3.Connection, item_id: str, annotator: str, now: float, lasts_s: float | None
    ) -> Lease:
        until = now + (self._ttl_s if lasts_s is None else lasts_s)
        row = (item_id, self._new_id(), annotator, now, until)
        database.execute(
            "INSERT OR REPLACE INTO leases (item_id, lease_id, annotator, granted_at, expires_at) "
            "VALUES (?, ?, ?, ?, ?)",
            row,
        )
        return _lease(row)

    def _find(self, database: sqlite3.Connection, lease_id: str, annotator: str) -> Lease:
        row = database.execute(f"SELECT {_COLUMNS} FROM leases WHERE lease_id = ?", (lease_id,)).fetchone()
        if row is None:
            raise LeaseLost("This case is no longer yours: the lease ended, or expired and went to another.")
        lease = _lease(row)
        if lease.annotator != annotator:
            raise NotYours("This case is held by somebody else.")
        return lease

    def _count_held(self, database: sqlite3.Connection, annotator: str, now: float) -> int:
        statement = "SELECT count(*) FROM leases WHERE annotator = ? AND expires_at > ?"
        return int(database.execute(statement, (annotator, now)).fetchone()[0])

    def _remember(self, database: sqlite3.Connection, item_id: str, annotator: str) -> None:
        row = (item_id, annotator, self._clock().timestamp())
        database.execute("INSERT OR REPLACE INTO said (item_id, annotator, at) VALUES (?, ?, ?)", row)

    def _forget(self, database: sqlite3.Connection, now: float) -> None:
        database.execute("DELETE FROM leases WHERE expires_at < ?", (now - REMEMBERED_S,))
        database.execute("DELETE FROM said WHERE at < ?", (now - REMEMBERED_S,))


_COLUMNS: Final = "item_id, lease_id, annotator, granted_at, expires_at"


def _lease(row: Sequence[str | float]) -> Lease:
    item_id, lease_id, annotator, granted_at, expires_at = row
    return Lease(
        str(lease_id),
        str(item_id),
        str(annotator),
        datetime.fromtimestamp(float(granted_at), UTC),
        datetime.fromtimestamp(float(expires_at), UTC),
    )


__all__ = ["REMEMBERED_S", "Candidate", "Lease", "LeaseBook"]
