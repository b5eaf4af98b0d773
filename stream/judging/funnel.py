"""How many traces of a period came how far on their way to the judges, and where they stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from sinks.clickhouse.client import ClickHouse
from stream.rescore.items import Period

_QUERY: Final = """
SELECT stage, reason, sum(traces) AS traces, sum(expected) AS expected
FROM judge_funnel
WHERE minute >= toStartOfMinute({since:DateTime64(3, 'UTC')}) AND minute < {until:DateTime64(3, 'UTC')}
    AND ({any:Bool} OR app = {app:String})
GROUP BY stage, reason
"""


@dataclass(slots=True)
class Funnel:
    """Traces by stage. Each is part of the one before it, but for those that say where the others went."""

    seen: int = 0
    ineligible: Counter[str] = field(default_factory=Counter)
    """By reason: no_answer, excluded."""
    eligible: int = 0
    expected: float = 0.0
    """How many the recorded probabilities choose."""
    capped: int = 0
    """Kept back by a limit a minute alone."""
    selected: int = 0
    judged: int = 0
    over_budget: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    """By reason, of rows without a verdict and of dead letters."""

    @property
    def waiting(self) -> int:
        """Selected, and nothing is known of them yet."""
        return max(0, self.selected - self.judged - self.over_budget - self.failed.total())

    def facts(self) -> dict[str, Any]:
        """As one JSON object."""
        return {
            "seen": self.seen,
            "ineligible": dict(self.ineligible),
            "eligible": self.eligible,
            "expected": round(self.expected, 1),
            "capped": self.capped,
            "selected": self.selected,
            "judged": self.judged,
            "over_budget": self.over_budget,
            "failed": dict(self.failed),
            "waiting": self.waiting,
            "hints": list(self.hints()),
        }

    def hints(self) -> Iterator[str]:
        """Why so few were judged, and what to do about it; nothing where all is well."""
        if not self.seen:
            yield "No trace of this period is stored: look at `ragpulse doctor`, worker and sink first."
        elif not self.eligible:
            yield "No trace could be judged: see the reasons, and RAGPULSE_SAMPLING__RULES."
        elif not self.selected:
            yield f"None was selected; rates choose about {self.expected:.1f} (RAGPULSE_SAMPLING__BASE_RATE)."
        elif not self.judged and self.waiting == self.selected:
            yield "They wait on rag.judge: does `ragpulse judge` run, and does its endpoint answer?"
        if self.capped > self.selected:
            yield "Limits keep back more than is selected: RAGPULSE_SAMPLING__PER_MINUTE, or lower rates."
        if self.over_budget:
            yield "The budget was spent: the budgets of section `judge` raise it, lower rates spread it."
        if self.failed.total() > self.judged:
            yield "More failed than were judged: `ragpulse dead list` shows the last of them."


def read_funnel(client: ClickHouse, period: Period) -> Funnel:
    """The funnel of a period, in whole minutes. Of one app it lacks dead letters, which know none.

    Raises SinkError.
    """
    found = Funnel()
    for row in client.query(_QUERY, period.parameters):
        stage, reason, traces = str(row["stage"]), str(row["reason"]), int(row["traces"])
        if stage in ("ineligible", "failed"):
            counter: Counter[str] = getattr(found, stage)
            counter[reason] += traces
        else:
            setattr(found, stage, traces)
        found.expected += float(row["expected"])
    return found


__all__ = ["Funnel", "read_funnel"]
