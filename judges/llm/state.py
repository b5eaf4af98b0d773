"""What judges remember beyond a process, put together: the ledger, the answers, and what was learned."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from judges.llm.bounds import Bounds
from judges.llm.budget import Budgets
from judges.llm.cache import Answers
from judges.llm.ledger import Ledger
from judges.llm.state_file import StateError, StateFile


class State:
    """The open state file, shared by all judges of a process. Close it after them."""

    def __init__(
        self,
        path: Path | None,
        budgets: Budgets = Budgets(),
        bounds: Bounds = Bounds(),
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.file = StateFile(path)
        self.ledger = Ledger(self.file, budgets, wall)
        self.answers = Answers(self.file, bounds, wall)

    def recall(self, name: str) -> float | None:
        """A number that was learned under this name; null where there is none. Blocks briefly."""
        statement = "SELECT value FROM learned WHERE name = ?"
        row = self.file.run_now(lambda database: database.execute(statement, (name,)).fetchone())
        return None if row is None else float(row[0])

    async def remember(self, name: str, value: float) -> None:
        """Keep a number under a name."""
        statement = "INSERT OR REPLACE INTO learned VALUES (?, ?)"
        await self.file.run(lambda database: database.execute(statement, (name, value)))

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_state(
    path: Path | None,
    budgets: Budgets = Budgets(),
    bounds: Bounds = Bounds(),
    wall: Callable[[], float] = time.time,
) -> State:
    """Open or create the state file; null keeps all in memory. Raises StateError, which says what to do.

    `wall` is the time in seconds since 1970: budgets go by the hours and days of UTC.
    """
    return State(path, budgets, bounds, wall)


__all__ = ["State", "StateError", "open_state"]
