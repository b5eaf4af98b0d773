"""What docs/RUNBOOK.md says of backup and restore, done on an engine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.migrate import migrate, require_schema
from sinks.clickhouse.rollup import roll_up
from stream.embedded.engine import EmbeddedEngine
from tests.support.rows import feedback_line, trace_line

pytestmark = pytest.mark.engine

RUNBOOK = (Path(__file__).resolve().parents[2] / "docs" / "RUNBOOK.md").read_text(encoding="utf-8")


@dataclass(slots=True, frozen=True)
class Site:
    """An engine that may write backups, and where."""

    engine: EmbeddedEngine
    folder: Path

    def store(self, database: str = "ragpulse") -> ClickHouse:
        return ClickHouse(self.engine.dsn_of(database), 60.0)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("backups")
    config = folder / "config.xml"
    config.write_text(f"<clickhouse><backups><allowed_path>{folder}/</allowed_path></backups></clickhouse>")
    with EmbeddedEngine(config=config) as engine:
        yield Site(engine, folder)


def statements(folder: Path, name: str) -> list[str]:
    """The statements of one block of the runbook, with its backup at another place."""
    found = re.search(rf"<!-- {name} -->\n```sql\n(.*?)```", RUNBOOK, re.DOTALL)
    assert found, name
    text = re.sub(r"(Disk|S3)\('[^']*', '([^']*)'\)", rf"File('{folder}/\2')", found[1])
    return [part.strip() for part in text.split(";") if part.strip()]


def run(store: ClickHouse, sql: list[str]) -> None:
    for statement in sql:
        store.command(statement, in_database=False)


def contents(store: ClickHouse) -> dict[str, int]:
    """Rows by table and view."""
    names = store.query("SELECT name FROM system.tables WHERE database = {d:String}", {"d": store.database})
    counts = {}
    for name in sorted(row["name"] for row in names):
        (row,) = store.query(f"SELECT count() AS n FROM {name}")
        counts[name] = int(row["n"])
    return counts


def fill(store: ClickHouse, first: int, count: int) -> None:
    lines = [trace_line(f"t-{n}", timestamp="2026-11-30 12:00:00.000") for n in range(first, first + count)]
    store.insert_raw("traces", b"\n".join(lines))
    store.insert_raw("feedback", feedback_line(f"t-{first}", rating=-1))
    roll_up(store)


def test_a_database_comes_back_whole_from_its_backup_and_goes_on(site: Site) -> None:
    store = site.store()
    migrate(store)
    fill(store, 0, 40)
    before = contents(store)
    assert before["traces"] == 40
    assert before["minute_rates"] == 1
    run(store, statements(site.folder, "backup"))
    store.command("DROP DATABASE ragpulse SYNC", in_database=False)
    run(store, statements(site.folder, "restore"))
    assert contents(store) == before
    require_schema(store)
    assert migrate(store) == [], "the schema's history came back with it"
    fill(store, 30, 20)
    assert store.query("SELECT uniqExact(trace_id) AS n FROM traces FINAL") == [{"n": 50}]
    assert store.query("SELECT sum(traces) AS n FROM minute_rates") == [{"n": 50}]


def test_one_table_is_looked_at_beside_the_live_one_and_its_rows_are_taken_over_once(site: Site) -> None:
    store = site.store()
    migrate(store)
    fill(store, 100, 10)
    run(store, [s.replace("/ragpulse-", "/second-") for s in statements(site.folder, "backup")])
    store.command("TRUNCATE TABLE traces")
    fill(store, 105, 10)
    run(store, [s.replace("/ragpulse-", "/second-") for s in statements(site.folder, "restore-one")])
    found = store.query("SELECT count() AS n, uniqExact(trace_id) AS ids FROM traces FINAL WHERE toUInt32("
                        "splitByChar('-', trace_id)[2]) >= 100")  # fmt: skip
    assert found == [{"n": 15, "ids": 15}]
