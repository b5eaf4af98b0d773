"""Which traces: those of a period, of one app or of all; in queries and elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final


@dataclass(slots=True, frozen=True)
class Period:
    """Traces of `since` and later, before `until`, of one app or (null) of all."""

    since: datetime
    until: datetime
    app: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """For queries that hold `CONDITION`, or ask for `app` themselves, which is empty for all."""
        return {"since": stamp(self.since), "until": stamp(self.until), "any": self.app is None,
                "app": self.app or ""}  # fmt: skip

    def holds(self, moment: datetime, app: str | None) -> bool:
        """Whether a trace of this time and app belongs to it."""
        return self.since <= moment < self.until and (self.app is None or (app or "") == self.app)


CONDITION: Final = (
    "timestamp >= {since:DateTime64(3, 'UTC')} AND timestamp < {until:DateTime64(3, 'UTC')} "
    "AND ({any:Bool} OR app = {app:String})"
)
"""Of a period, on any table or view that has `timestamp` and `app`."""


def stamp(moment: datetime) -> str:
    """A time as ClickHouse reads it: in UTC, with milliseconds."""
    return moment.astimezone(UTC).isoformat(" ", "milliseconds")[:23]


__all__ = ["CONDITION", "Period", "stamp"]
