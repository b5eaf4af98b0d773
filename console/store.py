"""ClickHouse as pages ask it: few questions at once, and no waiting for one that is known to be away.

A page that waits for a dead server holds a thread, and with enough of them nobody gets any page at all.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.tls import Tls
from sinks.errors import SinkError, SinkOverloaded, SinkUnreachable

AT_ONCE: Final = 8
"""Questions at once; the next waits for its turn, not for long."""
TURN_S: Final = 3.0
AWAY_S: Final = 3.0
"""So long nobody tries again after it did not answer."""


class PatientStore(ClickHouse):
    """A client for many people at once. Each method raises as those of ClickHouse do, only sooner."""

    def __init__(
        self,
        dsn: str,
        timeout_s: float,
        clock: Callable[[], float] = time.monotonic,
        tls: Tls = Tls(),
    ) -> None:
        super().__init__(dsn, timeout_s, tls)
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._first = threading.BoundedSemaphore(1)
        self._answered = False
        self._now = clock
        self._away: tuple[float, str] | None = None

    def query(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """As ClickHouse does."""
        with self._in_turn():
            return super().query(sql, parameters)

    def columns(self, sql: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Sequence[Any]]:
        """As ClickHouse does."""
        with self._in_turn():
            return super().columns(sql, parameters)

    def insert_raw(self, table: str, lines: bytes | Iterable[bytes], token: str = "") -> int:
        """As ClickHouse does."""
        with self._in_turn():
            return super().insert_raw(table, lines, token)

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Not while it is away; alone as long as it has not answered yet, later with a few others."""
        self._fail_if_away()
        turns = self._turns if self._answered else self._first
        if not turns.acquire(timeout=TURN_S):
            raise SinkOverloaded(f"ClickHouse at {self.address} is busy with other questions.")
        try:
            self._fail_if_away()
            yield
        except SinkUnreachable as error:
            self._answered, self._away = False, (self._now(), str(error))
            raise
        except SinkError:
            self._answered = True
            raise
        else:
            self._answered, self._away = True, None
        finally:
            turns.release()

    def _fail_if_away(self) -> None:
        away = self._away
        if away and self._now() - away[0] < AWAY_S:
            raise SinkUnreachable(away[1])


__all__ = ["AT_ONCE", "AWAY_S", "PatientStore"]
