"""What an admin of the console starts by a click: the next version of a golden set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from console.growing import Grown
from judges.golden import GoldenSet
from sinks.clickhouse.client import ClickHouse
from sinks.golden import GoldenStore
from sinks.golden.errors import NoSuchGoldenSet
from stream.golden.build import Plan, build
from stream.period import Period


class StoreGrower:
    """Grows sets in a store, as `ragpulse golden build` does. `votes`: annotators who must say the same."""

    def __init__(self, client: ClickHouse, votes: int) -> None:
        self._client, self._votes = client, votes

    def __call__(self, name: str, *, days: float, who: str, why: str) -> Grown:
        """The next version, stored where it holds anything new. Raises SinkError."""
        now = datetime.now(UTC)
        period = Period(now - timedelta(days=days), now)
        plan = Plan(name, period, self._votes, who, now, why, wanted={})
        built = build(self._client, self._newest(name), plan)
        golden = built.growth.golden
        version = golden.version if golden.cases else ""
        return Grown(name, version, len(golden.cases), len(built.growth.added), built.is_new)

    def _newest(self, name: str) -> GoldenSet | None:
        try:
            return GoldenStore(self._client).load(name)
        except NoSuchGoldenSet:
            return None


__all__ = ["StoreGrower"]
