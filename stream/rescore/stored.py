"""Traces back from table `traces`, to be scored again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from schemas.restore import TextsGone, trace_from_row
from sinks.clickhouse.client import ClickHouse
from stream.rescore.items import CONDITION, EXPIRED, UNREADABLE, Account, Item, Period, in_utc
from stream.rescore.pages import StoredRows

_RESCORED: Final = (
    "SELECT app, timestamp, trace_id FROM scores "
    f"WHERE role = 'rescore' AND scorer_version = {{scorer:String}} AND {CONDITION}"
)


class StoredTraces:
    """The traces of a period that `scorer` has not rescored yet (`again`: all of them)."""

    def __init__(self, client: ClickHouse, period: Period, scorer: str, *, again: bool = False) -> None:
        self._rows = StoredRows(
            client, period, done=None if again else _RESCORED, parameters={"scorer": scorer}
        )

    def batches(self, account: Account) -> Iterator[list[Item]]:
        """Bounded in rows and in bytes. Raises SinkError."""
        for rows in self._rows.pages(account):
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
