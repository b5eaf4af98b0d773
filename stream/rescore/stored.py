"""Traces back from table `traces`, an app and an hour after the other, as the table is ordered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from schemas.restore import TRACE_COLUMNS, TextsGone, trace_from_row
from sinks.clickhouse.client import ClickHouse
from stream.rescore.items import CONDITION, CUT, EXPIRED, UNREADABLE, Account, Item, Period, in_utc
from stream.worker.cuts import CUT_SIGNAL

_PAGE: Final = 256
_PAGE_BYTES: Final = 16 * 1024 * 1024

_IS_CUT: Final = f"JSONHas(signals, '{CUT_SIGNAL}')"
_IS_EXPIRED: Final = "history = ''"  # a row is written with '[]' at least
_HOURS: Final = f"""
SELECT app, toStartOfHour(timestamp) AS hour, count() AS traces,
    countIf({_IS_EXPIRED}) AS expired, countIf(NOT {_IS_EXPIRED} AND {_IS_CUT}) AS cut,
    countIf(NOT {_IS_EXPIRED} AND NOT {_IS_CUT} AND {{skip:Bool}} AND (app, timestamp, trace_id) IN
        (SELECT app, timestamp, trace_id FROM scores
            WHERE role = 'rescore' AND scorer_version = {{scorer:String}} AND {CONDITION})) AS already
FROM traces FINAL
WHERE {CONDITION}
GROUP BY app, hour
ORDER BY app, hour
"""
_ROWS: Final = f"""
SELECT * EXCEPT (size, before)
FROM
(
    SELECT *, sum(size) OVER (ORDER BY trace_id ROWS UNBOUNDED PRECEDING) - size AS before
    FROM
    (
        SELECT {", ".join(TRACE_COLUMNS)}, received_at,
            length(history) + length(ifNull(chunks, '')) + length(ifNull(answer, ''))
                + length(ifNull(prompt_context, '')) + length(extra) AS size
        FROM traces FINAL
        WHERE app = {{at_app:String}} AND toStartOfHour(timestamp) = {{hour:DateTime('UTC')}} AND {CONDITION}
            AND trace_id > {{after:String}} AND NOT {_IS_EXPIRED} AND NOT {_IS_CUT}
            AND NOT ({{skip:Bool}} AND (app, timestamp, trace_id) IN
                (SELECT app, timestamp, trace_id FROM scores WHERE app = {{at_app:String}}
                    AND toStartOfHour(timestamp) = {{hour:DateTime('UTC')}} AND role = 'rescore'
                    AND scorer_version = {{scorer:String}}))
        ORDER BY trace_id
        LIMIT {_PAGE}
    )
)
WHERE before < {_PAGE_BYTES}
ORDER BY trace_id
"""


class StoredTraces:
    """The traces of a period that `scorer` has not rescored yet (`again`: all of them)."""

    def __init__(self, client: ClickHouse, period: Period, scorer: str, *, again: bool = False) -> None:
        self._client = client
        self._parameters = {**period.parameters, "scorer": scorer, "skip": not again}

    def batches(self, account: Account) -> Iterator[list[Item]]:
        """Bounded in rows and in bytes. Raises SinkError."""
        hours = self._client.query(_HOURS, self._parameters)
        for hour in hours:
            account.traces += hour["traces"]
            account.already += hour["already"]
            for reason, count in ((EXPIRED, hour["expired"]), (CUT, hour["cut"])):
                if count:
                    account.left_out[reason] += count
        for hour in hours:
            if hour["traces"] > hour["expired"] + hour["cut"] + hour["already"]:
                yield from self._hour(hour["app"], f"{hour['hour']:%F %T}", account)

    def _hour(self, app: str, hour: str, account: Account) -> Iterator[list[Item]]:
        after = ""
        while True:
            at = {"at_app": app, "hour": hour, "after": after}
            rows = self._client.query(_ROWS, self._parameters | at)
            if not rows:
                return
            after = rows[-1]["trace_id"]
            yield [item for item in (_item(row, account) for row in rows) if item]


def _item(row: Mapping[str, Any], account: Account) -> Item | None:
    try:
        return Item(trace_from_row(row), in_utc(row["received_at"]))
    except TextsGone:  # since they were counted
        account.left_out[EXPIRED] += 1
    except ValueError:
        account.left_out[UNREADABLE] += 1
    return None


__all__ = ["StoredTraces"]
