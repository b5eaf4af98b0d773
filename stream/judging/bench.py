"""The judges, ready to be asked."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime

from judges.llm.asking import Judge
from judges.llm.cache import Answers
from judges.llm.ledger import Ledger
from stream.judging.judge import Opine, TraceJudge
from stream.judging.patience import Absence, Patience
from stream.judging.rows import Identity


@dataclass(slots=True, frozen=True)
class Bench:
    """The judges of one process, and what they share."""

    opine: Opine
    identity: Identity
    """Whose verdict it is where there is one."""
    concurrency: int
    """Traces that are judged at once."""
    absence: Absence
    patience: Patience
    ledger: Ledger | None = None
    """What was spent; null where nobody keeps it."""
    answers: Answers | None = None
    """What was answered before; null where nobody keeps it."""
    judges: tuple[Judge, ...] = ()
    """Each judge by itself, for whoever watches them."""

    def trace_judge(self) -> TraceJudge:
        """What judges single traces."""
        return TraceJudge(
            self.opine,
            self.identity,
            self.patience,
            self.absence,
            now=lambda: datetime.now(UTC),
            chance=random.random,
        )


__all__ = ["Bench"]
