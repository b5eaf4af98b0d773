"""Traces as ClickHouse takes them in, each once, in order of their timestamps.

A look asks for rows by the time of their insert, and for a while before the last look once more, since rows
become visible some time after their stamp. What was inserted twice, or scored again, is recognised by its
hash. Nothing but narrow columns is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import all_measured
from stream.watch.records import COLUMNS, Batch, Floats, Names

_SLICE_S: Final = 600.0
_DEEP_EVERY_S: Final = 60.0
_DEEP_S: Final = 90.0
"""Now and then the look goes back so far: an insert may take as long as its time limit."""
_REMEMBERED: Final = 2_000_000
_NOW = "SELECT toUnixTimestamp64Milli(now64(3)) AS now"

_WITHIN = """
FROM traces
WHERE inserted_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
  AND inserted_at < fromUnixTimestamp64Milli({until:Int64}, 'UTC')
"""
_COUNT = f"SELECT count() AS n {_WITHIN}"
_ROWS = f"""
SELECT
    cityHash64(app, trace_id) AS hash, trace_id,
    if(conversation_id = '', trace_id, conversation_id) AS conversation,
    least(toUnixTimestamp64Milli(timestamp), toUnixTimestamp64Milli(inserted_at)) AS at,
    {", ".join(COLUMNS)},
    {all_measured(("hallucination", "faithfulness"))}, failure, refusal, quadrant, coverage, scorer_version
{_WITHIN}
  AND cityHash64(trace_id) % {{one_in:UInt64}} = 0
ORDER BY at, trace_id
"""


class Reader:
    """Looks at table `traces` again and again; raises SinkError, and then the next look reads all of it."""

    def __init__(self, client: ClickHouse, slack_s: float, rows_at_once: int) -> None:
        self._client = client
        self._slack_s = slack_s
        self._rows_at_once = rows_at_once
        self._seen: set[int] = set()
        self._seen_before: set[int] = set()
        self._read_until = 0.0
        self._deep_at = 0.0

    def now(self) -> float:
        """The store's clock, which `inserted_at` is read from."""
        (row,) = self._client.query(_NOW)
        return int(row["now"]) / 1000

    def replay(self, since: float, until: float) -> Iterator[Batch]:
        """What was inserted in between, slice by slice; very much of it is thinned out by hash."""
        start = since
        while start < until:
            end = min(start + _SLICE_S, until)
            batch = self._read(start, end, self._one_in(start, end))
            if len(batch):
                yield batch
            start = end
        self._read_until = max(self._read_until, until)

    def look(self, now: float) -> Batch:
        """What has come since the last look."""
        deep = now - self._deep_at >= _DEEP_EVERY_S
        back = max(self._slack_s, _DEEP_S if deep else 0.0)
        batch = self._read(self._read_until - back, now, 1)
        self._read_until = now
        self._deep_at = now if deep else self._deep_at
        return batch

    def _one_in(self, since: float, until: float) -> int:
        (row,) = self._client.query(_COUNT, _period(since, until))
        return max(1, -(-int(row["n"]) // self._rows_at_once))

    def _read(self, since: float, until: float, one_in: int) -> Batch:
        columns = self._client.columns(_ROWS, {**_period(since, until), "one_in": one_in})
        return as_batch(columns, self._new(columns.get("hash", ())), weight=one_in)

    def _new(self, hashes: Sequence[int]) -> list[int]:
        """Positions of the rows that were not seen before. Of the oldest ones it forgets."""
        kept = []
        for position, value in enumerate(hashes):
            if value not in self._seen and value not in self._seen_before:
                self._seen.add(value)
                kept.append(position)
        if len(self._seen) > _REMEMBERED:
            self._seen, self._seen_before = set(), self._seen
        return kept


def as_batch(columns: Mapping[str, Sequence[Any]], kept: Sequence[int], weight: float = 1.0) -> Batch:
    """Columns as they are queried above, those rows of them, as arrays."""

    def names(column: str) -> Names:
        return np.array(columns.get(column, ()), dtype=np.object_)[chosen]

    def numbers(column: str) -> Floats:
        return np.array(columns.get(column, ()), dtype=np.float64)[chosen]

    chosen = np.asarray(kept, dtype=np.intp)
    return Batch(
        trace_id=names("trace_id"),
        conversation=names("conversation"),
        timestamp=numbers("at") / 1000,
        columns={column: names(column) for column in COLUMNS},
        hallucination=numbers("hallucination"),
        faithfulness=numbers("faithfulness"),
        failure=names("failure"),
        refusal=np.array(columns.get("refusal", ()), dtype=np.bool_)[chosen],
        quadrant=names("quadrant"),
        coverage=names("coverage"),
        scorer_version=names("scorer_version"),
        weight=weight,
    )


def _period(since: float, until: float) -> dict[str, int]:
    return {"since": max(0, round(since * 1000)), "until": round(until * 1000)}


__all__ = ["Reader", "as_batch"]
