"""Rows as hostile as their columns allow, in every table, and everybody who reads them: the console's pages
and API, reports, exports, the command line."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson
from typer.testing import CliRunner

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.rollup import roll_up
from stream.cli import app as cli
from tests.fuzz.commands import exit_code
from tests.support.console import Browser, bearer, require_harmless
from tests.support.console_site import ATTACK

TEXTS: Final = (
    ATTACK, "", " ", "\0", "\u202e", "\ufffd" * 40, "x" * 3_000, "字" * 2_000, "null", "NaN", "1e999", "-0",
    "[[[[", '{"a":', "[]", "{}", "[1]", '[{"text": 5}]', '[{"text": "a", "start": -5, "end": 1e30}]',
    '[null, "x", {"id": []}]', '{"trace": 7, "scores": []}', '{"trace": {"retrieval": {"chunks": 3}}}',
    '{"splits": [{"segment": 1}, 7]}', '[{"role": [], "content": {}}]', "'; DROP TABLE traces; --", "{{7*7}}",
    "%s%n", "../../etc/passwd", "=cmd()", "a\nb\r\nc", "healthy", "hallucination", "en", "zh", "helpdesk",
)  # fmt: skip
_DERIVED: Final = {
    "minute_rollup",
    "hour_rollup",
    "rates",
    "rollup_state",
    "sampled_traces",
    "schema_migrations",
}
"""What the store reckons by itself: its numbers are nobody's to choose, its texts come from outside."""
_IDS: Final = ("trace_id", "incident_id", "item_id", "case_id", "name", "sheet_id")
_READERS: Final = (
    ["report", "week"], ["report", "week", "--json"], ["report", "gaps"], ["report", "gaps", "--json"],
    ["report", "release"], ["golden", "list"], ["annotate", "stats"], ["dead", "list"],
    ["release", "list"],
)  # fmt: skip


class Columns:
    """The tables of a store, and rows that fit them."""

    def __init__(self, store: ClickHouse, chance: Random) -> None:
        self._chance = chance
        self.tables: dict[str, dict[str, str]] = defaultdict(dict)
        for row in store.query(
            "SELECT c.table AS table, c.name AS name, c.type AS type FROM system.columns AS c "
            "JOIN system.tables AS t ON t.database = c.database AND t.name = c.table "
            "WHERE c.database = currentDatabase() AND t.engine LIKE '%ReplacingMergeTree' "
            "AND c.default_kind IN ('', 'DEFAULT')"
        ):
            self.tables[row["table"]][row["name"]] = row["type"]

    def row(self, table: str, number: int) -> dict[str, Any]:
        """One row; ids are shared among tables, so that rows meet."""
        made = {
            name: self._value(kind)
            for name, kind in self.tables[table].items()
            if self._chance.random() < 0.9 and not (table in _DERIVED and _is_number(kind))
        }
        for name in _IDS:
            if name in self.tables[table]:
                made[name] = f"hostile-{number}"
        return made

    def _value(self, kind: str) -> Any:
        chance = self._chance
        kind = re.sub(r"LowCardinality\(([^()]*(?:\([^()]*\))?)\)", r"\1", kind)
        if inner := re.fullmatch(r"Nullable\((.*)\)", kind):
            return None if chance.random() < 0.2 else self._value(inner[1])
        if inner := re.fullmatch(r"Array\((.*)\)", kind):
            return [self._value(inner[1]) for _ in range(chance.randrange(4))]
        if inner := re.fullmatch(r"Map\((.*?), (.*)\)", kind):
            return {str(self._value(inner[1])): self._value(inner[2]) for _ in range(chance.randrange(3))}
        if kind.startswith("Enum"):
            return chance.choice(re.findall(r"'([^']+)'", kind))
        if kind.startswith(("DateTime", "Date")):
            at = datetime.now(UTC) - timedelta(minutes=chance.randrange(60 * 24 * 6))
            return f"{at:%F}" if kind.startswith("Date32") or kind == "Date" else f"{at:%F %T}"
        if kind == "Bool":
            return chance.random() < 0.5
        if kind.startswith("UInt"):
            return chance.choice((0, 1, 2, 200, 255))
        if kind.startswith("Int"):
            return chance.choice((0, 1, -1, 100, -128))
        if kind.startswith(("Float", "Decimal")):
            return chance.choice((0, 1, 0.5, 1e-30)) if kind.startswith("F") else 0
        return chance.choice(TEXTS)


def _is_number(kind: str) -> bool:
    return re.search(r"Int|Float|Decimal|Map", kind) is not None


def fill_hostile(store: ClickHouse, rows: int, chance: Random) -> dict[str, int]:
    """So many rows, spread over all tables; the number of each."""
    columns = Columns(store, chance)
    each = max(1, rows // len(columns.tables))
    for table in columns.tables:
        lines = [orjson.dumps(columns.row(table, number)) for number in range(each)]
        for begin in range(0, each, 500):
            store.insert_raw(table, b"\n".join(lines[begin : begin + 500]))
    roll_up(store)
    return dict.fromkeys(columns.tables, each)


def read_pages(browser: Browser, crashes: list[Exception], numbers: range) -> int:
    """Every page and every operation that reads; how many answered. Raises AssertionError."""
    paths = ["/", "/?period=7d", "/incidents", "/queue", "/golden", "/judges", "/gaps?period=7d"]
    for number in numbers:
        one = f"hostile-{number}"
        paths += [f"/case/{one}", f"/incident/{one}", f"/golden/{one}"]
    api = [
        "live?period=7d", "incidents", "golden", "judges", "gaps?period=7d", "queue/stats", "queue/agreement",
        "queue/conflicts", "queue/leases",
    ]  # fmt: skip
    for number in numbers:
        one = f"hostile-{number}"
        api += [f"cases/{one}", f"cases/{one}?original=true", f"incidents/{one}", f"golden/{one}",
                f"queue/items/{one}"]  # fmt: skip
    for path in paths:
        answer = browser.get(path)
        assert not crashes, (path, crashes)
        assert answer.status_code < 500, (path, answer.status_code)
        require_harmless(answer.text)
    for path in api:
        answer = browser.get(f"/api/v1/{path}", headers=bearer("adam"))
        assert not crashes, (path, crashes)
        assert answer.status_code < 500, (path, answer.status_code)
    return len(paths) + len(api)


def read_by_commands(dsn: str, folder: Path) -> int:
    """Every command that reads the store; how many did. Raises AssertionError where one breaks."""
    for arguments in _READERS:
        done = CliRunner().invoke(
            cli, arguments, env={"RAGPULSE_CLICKHOUSE__DSN": dsn, "HOME": str(folder), "TMPDIR": str(folder)}
        )
        exit_code(arguments, done)
    return len(_READERS)


__all__ = ["TEXTS", "Columns", "fill_hostile", "read_by_commands", "read_pages"]
