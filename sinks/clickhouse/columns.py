"""Which columns rows bring that the table does not have: they are left out, and must not be so unseen."""

from __future__ import annotations

import orjson

from sinks.clickhouse.client import ClickHouse


class ColumnWatch:
    """Compares single rows with a table's columns, as they were when last looked up."""

    def __init__(self, client: ClickHouse) -> None:
        self._client = client
        self._columns: dict[str, frozenset[str]] = {}
        self._said: set[tuple[str, str]] = set()

    def left_out(self, table: str, line: bytes) -> list[str]:
        """The columns of this row that the table lacks. Raises SinkError."""
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            return []
        if not isinstance(row, dict):
            return []
        unknown = row.keys() - self._known(table)
        if unknown:
            self._columns.pop(table)  # perhaps a migration has come since
            unknown = row.keys() - self._known(table)
        return sorted(unknown)

    def news(self, table: str, columns: list[str]) -> list[str]:
        """Those of the columns that were not reported before."""
        fresh = [column for column in columns if (table, column) not in self._said]
        self._said.update((table, column) for column in fresh)
        return fresh

    def _known(self, table: str) -> frozenset[str]:
        if table not in self._columns:
            rows = self._client.query(
                "SELECT name FROM system.columns "
                "WHERE database = {database:String} AND table = {table:String}",
                {"database": self._client.database, "table": table},
            )
            self._columns[table] = frozenset(row["name"] for row in rows)
        return self._columns[table]


__all__ = ["ColumnWatch"]
