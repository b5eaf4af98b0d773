"""Rows of table `traces` page by page, an app and an hour after the other, as the table is ordered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from schemas.restore import TRACE_COLUMNS
from sinks.clickhouse.client import ClickHouse
from stream.rescore.items import CONDITION, CUT, EXPIRED, Account, Period
from stream.worker.cuts import CUT_SIGNAL

_PAGE: Final = 256
_PAGE_BYTES: Final = 16 * 1024 * 1024

_IS_CUT: Final = f"JSONHas(signals, '{CUT_SIGNAL}')"
_IS_EXPIRED: Final = "history = ''"  # a row is written with '[]' at least


class StoredRows:
    """The rows of a period that hold their texts and are not done yet.

    `done` is a query of (app, timestamp, trace_id) with parameters of its own: what need not be done again
    (null: everything is). `only` narrows the traces down.
    """

    def __init__(
        self,
        client: ClickHouse,
        period: Period,
        *,
        done: str | None,
        parameters: Mapping[str, Any],
        only: str = "1",
        columns: tuple[str, ...] = (),
    ) -> None:
        self._client = client
        self._parameters = {**period.parameters, **parameters}
        is_done = "0" if done is None else f"(app, timestamp, trace_id) IN ({done})"
        self._hours = _HOURS.format(only=only, is_done=is_done)
        self._rows = _ROWS.format(only=only, is_done=is_done, columns=", ".join((*TRACE_COLUMNS, *columns)))

    def pages(self, account: Account) -> Iterator[list[dict[str, Any]]]:
        """Bounded in rows and in bytes. Counts first what there is. Raises SinkError."""
        hours = self._client.query(self._hours, self._parameters)
        for hour in hours:
            account.traces += hour["traces"]
            account.already += hour["already"]
            for reason, count in ((EXPIRED, hour["expired"]), (CUT, hour["cut"])):
                if count:
                    account.left_out[reason] += count
        for hour in hours:
            if hour["traces"] > hour["expired"] + hour["cut"] + hour["already"]:
                yield from self._hour(hour["app"], f"{hour['hour']:%F %T}")

    def _hour(self, app: str, hour: str) -> Iterator[list[dict[str, Any]]]:
        after = ""
        while True:
            at = {"at_app": app, "hour": hour, "after": after}
            rows = self._client.query(self._rows, self._parameters | at)
            if not rows:
                return
            after = rows[-1]["trace_id"]
            yield rows


_HOURS: Final = f"""
SELECT app, toStartOfHour(timestamp) AS hour, count() AS traces,
    countIf({_IS_EXPIRED}) AS expired, countIf(NOT {_IS_EXPIRED} AND {_IS_CUT}) AS cut,
    countIf(NOT {_IS_EXPIRED} AND NOT {_IS_CUT} AND {{is_done}}) AS already
FROM traces FINAL
WHERE {CONDITION.replace("{", "{{").replace("}", "}}")} AND {{only}}
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
        SELECT {{columns}}, received_at,
            length(history) + length(ifNull(chunks, '')) + length(ifNull(answer, ''))
                + length(ifNull(prompt_context, '')) + length(extra) AS size
        FROM traces FINAL
        WHERE app = {{{{at_app:String}}}} AND toStartOfHour(timestamp) = {{{{hour:DateTime('UTC')}}}}
            AND {CONDITION.replace("{", "{{").replace("}", "}}")} AND {{only}}
            AND trace_id > {{{{after:String}}}} AND NOT {_IS_EXPIRED} AND NOT {_IS_CUT} AND NOT {{is_done}}
        ORDER BY trace_id
        LIMIT {_PAGE}
    )
)
WHERE before < {_PAGE_BYTES}
ORDER BY trace_id
"""


__all__ = ["StoredRows"]
