"""Which apps there are, for whoever named one that no trace is of."""

from __future__ import annotations

from typing import Final

from sinks.clickhouse.client import ClickHouse
from stream.terminal import printable

MOST: Final = 20
_APPS: Final = f"""
SELECT app, max(timestamp) AS newest FROM traces WHERE app != ''
GROUP BY app ORDER BY newest DESC, app LIMIT {MOST + 1}
"""
_IS_ONE: Final = "SELECT 1 AS there FROM traces WHERE app = {app:String} LIMIT 1"


def say_apps(client: ClickHouse, unknown: str) -> str:
    """A sentence that names the apps of the store, those with the newest traces first. Raises SinkError."""
    apps = [printable(str(row["app"])) for row in client.query(_APPS)]
    if not apps:
        return "No stored trace names an app."
    more = " and others" if len(apps) > MOST else ""
    if client.query(_IS_ONE, {"app": unknown}):
        return f"App {printable(unknown)} has traces, and none in this period."
    return f"There is no app {printable(unknown)}; there are: {', '.join(apps[:MOST])}{more}."


__all__ = ["MOST", "say_apps"]
