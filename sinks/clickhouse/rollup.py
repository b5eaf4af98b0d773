"""Keep the minute rollups level with the traces, whatever was inserted twice, late or elsewhere.

Nothing is added up from what passes by. A run asks which minutes were touched since the watermark
(rows and late feedback inserted since then, and a while before, since an insert takes its time stamp
before it is visible) and computes those minutes anew, as a whole, from what the tables hold. A run
that dies, comes twice, or overlaps another sink's leaves nothing wrong behind: the next one computes
the same minutes again under a higher version.

One thing leaves no trace in the rows: a trace that came again with another minute, and whose old row was
merged away before a run saw both. The minute it left counts one too many. Since every arrival touches its
minute, a minute that counts more than the table holds can only have been left; now and then a run looks
for those in the hours that were written to.

Now and then hours are computed anew from their minutes, in the same manner: those of which a minute was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import GOLD_MEASURES, MEASURES, all_measured
from sinks.clickhouse.migrate import read, statements

STATE: Final = "minute_rollup"
DEPARTURES: Final = "minute_rollup_departures"
HOURS: Final = "hour_rollup"
LOOK_FOR_DEPARTURES_S: Final = 60.0
HOURS_EVERY_S: Final = 60.0
HOURS_AT_ONCE: Final = 12
_HOURS_SLACK_MS: Final = 120_000
MINUTES_AT_ONCE: Final = 720

_ONE_PART: Final = {
    "max_insert_threads": 1,
    "min_insert_block_size_rows": 10_000_000,
    "min_insert_block_size_bytes": 1_000_000_000,
    "max_partitions_per_insert_block": 0,
    "async_insert": 0,
    "distributed_foreground_insert": 1,
}
"""A minute lies in one partition and goes into one part, so that readers see all of it or none."""

_NOW = "SELECT toUnixTimestamp64Milli(now64(3)) AS now"

_WATERMARK = """
SELECT toUnixTimestamp64Milli(max(watermark)) AS at FROM rollup_state WHERE name = {name:String}
"""

_TOUCHED = """
SELECT DISTINCT toUnixTimestamp(toStartOfMinute(timestamp)) AS minute FROM traces
WHERE inserted_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
UNION DISTINCT
SELECT DISTINCT toUnixTimestamp(toStartOfMinute(timestamp)) AS minute FROM traces
WHERE trace_id IN
(
    SELECT trace_id FROM feedback WHERE inserted_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
    UNION DISTINCT
    SELECT trace_id FROM traces WHERE inserted_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
)
"""

_LEFT = """
WITH hours AS
(
    SELECT DISTINCT toStartOfHour(timestamp) AS hour FROM traces
    WHERE inserted_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
)
SELECT toUnixTimestamp(counted.minute) AS minute
FROM
(
    SELECT minute, sum(traces) AS n
    FROM
    (
        SELECT minute, marker, traces FROM minute_rollup FINAL
        WHERE toStartOfHour(minute) IN (SELECT hour FROM hours)
        QUALIFY version = max(version) OVER (PARTITION BY minute)
    )
    WHERE marker = 0
    GROUP BY minute
) AS counted
LEFT JOIN
(
    SELECT toStartOfMinute(timestamp) AS minute, count() AS n FROM traces FINAL
    WHERE toStartOfHour(timestamp) IN (SELECT hour FROM hours)
    GROUP BY minute
) AS held ON held.minute = counted.minute
WHERE counted.n > held.n
"""

_TOUCHED_HOURS: Final = """
SELECT DISTINCT toUnixTimestamp(toStartOfHour(minute)) AS hour
FROM minute_rollup
WHERE version >= {since:UInt64}
"""

_COLUMNS: Final = """
SELECT name, type = 'LowCardinality(String)' AS is_key, startsWith(type, 'Map') AS is_map
FROM system.columns
WHERE database = currentDatabase() AND table = 'hour_rollup'
    AND name NOT IN ('minute', 'marker', 'version', 'computed_at')
ORDER BY position
"""

_HOURS: Final = """
INSERT INTO hour_rollup (minute, version, {keys}, {counts})
WITH arrayMap(second -> toDateTime(second, 'UTC'), {hours:Array(UInt32)}) AS hours
SELECT toStartOfHour(minutes.minute), {version:UInt64}, {keys}, {sums}
FROM minute_rates AS minutes
WHERE toStartOfHour(minutes.minute) IN (SELECT arrayJoin(hours))
    AND minutes.minute >= arrayMin(hours) AND minutes.minute < arrayMax(hours) + 3600
GROUP BY toStartOfHour(minutes.minute), {keys}
"""

_HOURS_MARKED: Final = """
INSERT INTO hour_rollup (minute, marker, version)
SELECT toDateTime(arrayJoin({hours:Array(UInt32)}), 'UTC'), 1, {version:UInt64}
"""


@dataclass(slots=True, frozen=True)
class RollupRun:
    """What one run did. `skipped`: another sink had just done it."""

    minutes: int
    skipped: bool = False


def roll_up(
    client: ClickHouse,
    *,
    slack_s: float = 60.0,
    at_most_every_s: float = 0.0,
    departures_every_s: float = LOOK_FOR_DEPARTURES_S,
    hours_every_s: float = HOURS_EVERY_S,
) -> RollupRun:
    """Compute every touched minute anew. Raises SinkError; then the next run does all of it again.

    `slack_s` must exceed the time that an insert may take. `at_most_every_s`: where any sink finished
    a run within so many seconds, this one does nothing. `departures_every_s`: how often minutes are looked
    for that traces have left; `hours_every_s`: how often hours are computed.
    """
    now = _server_time(client)
    watermark = _watermark(client, STATE)
    if now - watermark < at_most_every_s * 1000:
        return RollupRun(0, skipped=True)
    minutes = touched_minutes(client, max(0, watermark - int(slack_s * 1000)))
    for some in _slices(minutes, MINUTES_AT_ONCE):
        compute(client, some)
    _remember(client, STATE, now)
    left = _recount_left(client, now, slack_s, departures_every_s)
    _roll_hours(client, hours_every_s)
    return RollupRun(len(minutes) + left)


def _roll_hours(client: ClickHouse, every_s: float) -> None:
    """Compute hours anew, if it is time to. Another sink's minutes may become visible a little later."""
    now, rolled = _server_time(client), _watermark(client, HOURS)
    if now - rolled < every_s * 1000:
        return
    for some in _slices(touched_hours(client, max(0, rolled - _HOURS_SLACK_MS)), HOURS_AT_ONCE):
        compute_hours(client, some)
    _remember(client, HOURS, now)


def _recount_left(client: ClickHouse, now: int, slack_s: float, every_s: float) -> int:
    """Compute anew what traces have left, if it is time to look. Returns how many minutes that were."""
    looked = _watermark(client, DEPARTURES)
    if now - looked < every_s * 1000:
        return 0
    minutes = left_minutes(client, max(0, looked - int(slack_s * 1000)))
    for some in _slices(minutes, MINUTES_AT_ONCE):
        compute(client, some)
    _remember(client, DEPARTURES, now)
    return len(minutes)


def left_minutes(client: ClickHouse, since_ms: int) -> list[int]:
    """Minutes (seconds since 1970) that count more than is there, in hours written to since then."""
    return sorted(int(row["minute"]) for row in client.query(_LEFT, {"since": since_ms}))


def touched_minutes(client: ClickHouse, since_ms: int) -> list[int]:
    """Minutes (seconds since 1970) of rows, and of rows with feedback, inserted since then."""
    return sorted(int(row["minute"]) for row in client.query(_TOUCHED, {"since": since_ms}))


def touched_hours(client: ClickHouse, since_ms: int) -> list[int]:
    """Hours (seconds since 1970) of which a minute was computed since then."""
    return sorted(int(row["hour"]) for row in client.query(_TOUCHED_HOURS, {"since": since_ms}))


def compute_hours(client: ClickHouse, hours: Sequence[int]) -> None:
    """Compute these hours anew from their minutes, under a version higher than any before."""
    parameters = {"hours": list(hours), "version": _server_time(client)}
    columns = client.query(_COLUMNS)
    counts = [row for row in columns if not row["is_key"]]
    said = {
        "{keys}": ", ".join(str(row["name"]) for row in columns if row["is_key"]),
        "{counts}": ", ".join(str(row["name"]) for row in counts),
        "{sums}": ", ".join(f"{'sumMap' if row['is_map'] else 'sum'}({row['name']})" for row in counts),
    }
    sql = _HOURS
    for name, text in said.items():
        sql = sql.replace(name, text)
    for statement in (sql, _HOURS_MARKED):
        client.command(statement, parameters, _ONE_PART)


def compute(client: ClickHouse, minutes: Sequence[int]) -> None:
    """Compute these minutes anew, under a version higher than any before."""
    parameters = {"minutes": list(minutes), "version": _server_time(client)}
    sql = read("rollup.sql").replace("{measured}", all_measured((*MEASURES, *GOLD_MEASURES)))
    for statement in statements(sql):
        client.command(statement, parameters, _ONE_PART)


# All times travel as numbers, milliseconds since 1970, so that no time zone has a say in them.


def _server_time(client: ClickHouse) -> int:
    """The store's clock, the one that `inserted_at` is read from, whichever sink asks."""
    (row,) = client.query(_NOW)
    return int(row["now"])


def _watermark(client: ClickHouse, name: str) -> int:
    (row,) = client.query(_WATERMARK, {"name": name})
    return int(row["at"])


def _remember(client: ClickHouse, name: str, watermark: int) -> None:
    client.command(
        "INSERT INTO rollup_state (name, watermark) "
        "SELECT {name:String}, fromUnixTimestamp64Milli({at:Int64}, 'UTC')",
        {"name": name, "at": watermark},
    )


def _slices(items: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


__all__ = [
    "RollupRun",
    "compute",
    "compute_hours",
    "left_minutes",
    "roll_up",
    "touched_hours",
    "touched_minutes",
]
