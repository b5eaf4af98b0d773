"""A database over all shards: made, written to, rolled up and read on an engine that knows a cluster.

The engine has no Keeper, so `ON CLUSTER` is left out here, and a "shard" is this same server: two shards hold
the same table, every row comes twice, and what matters is that nothing is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sinks.clickhouse import migrate as migrations
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.distributed import make_distributed, shard_key, table_ddl, views
from sinks.clickhouse.migrate import load_migrations, migrate, require_schema
from sinks.clickhouse.rollup import roll_up
from sinks.errors import SinkMisconfigured
from stream.embedded.engine import EmbeddedEngine
from tests.support.rows import feedback_line, trace_line

pytestmark = pytest.mark.engine

_SHARD = "<shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>"
_CONFIG = f"""
<clickhouse>
    <tcp_port>9000</tcp_port>
    <remote_servers><one>{_SHARD}</one><two>{_SHARD}{_SHARD}</two></remote_servers>
</clickhouse>
"""


class Alone(ClickHouse):
    """A client of a server without Keeper, whose profile is as it should be: nothing goes to a cluster."""

    _profile: Mapping[str, Any] = {"distributed_product_mode": "global"}

    def command(
        self,
        sql: str,
        parameters: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        *,
        in_database: bool = True,
    ) -> None:
        plain = re.sub(r"ON CLUSTER `\w+`", "", sql)
        super().command(plain, parameters, {**self._profile, **(settings or {})}, in_database=in_database)

    def query(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        return super().query(f"{sql}\nSETTINGS distributed_product_mode = 'global'", parameters)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedEngine]:
    folder: Path = tmp_path_factory.mktemp("cluster")
    config = folder / "config.xml"
    config.write_text(_CONFIG)
    with EmbeddedEngine(config=config) as engine:
        yield engine


@pytest.fixture(params=["one", "two"])
def stores(engine: EmbeddedEngine, request: pytest.FixtureRequest) -> tuple[ClickHouse, ClickHouse, int]:
    """The database with the rows, the one over all shards, and how many shards there are."""
    local = Alone(engine.dsn_of(f"part_{request.param}"), 30.0)
    whole = Alone(engine.dsn_of(f"whole_{request.param}"), 30.0)
    migrate(local)
    for _ in range(2):
        make_distributed(local, whole, request.param, load_migrations())
    return local, whole, ["one", "two"].index(request.param) + 1


def test_processes_find_their_schema_and_every_table_and_view_in_it(
    stores: tuple[ClickHouse, ClickHouse, int],
) -> None:
    local, whole, _ = stores
    require_schema(whole)
    names = "SELECT name FROM system.tables WHERE database = {d:String} AND engine != 'MaterializedView'"
    ours = {row["name"] for row in local.query(names, {"d": local.database})}
    assert {row["name"] for row in whole.query(names, {"d": whole.database})} == ours
    for name in sorted(ours):
        whole.query(f"SELECT * FROM {name} LIMIT 1")


def test_what_is_inserted_reaches_a_shard_and_is_rolled_up_and_read_over_all(
    stores: tuple[ClickHouse, ClickHouse, int],
) -> None:
    local, whole, shards = stores
    lines = b"\n".join(trace_line(f"t-{number}", timestamp="2026-11-30 12:00:00.000") for number in range(50))
    for _ in range(2):
        # With a token, the second "shard" would take its part for a repetition: it is the first one's table.
        whole.insert_raw("traces", lines, token="again" if shards == 1 else "")
        whole.insert_raw("feedback", feedback_line("t-1", rating=-1))
    assert local.query("SELECT count() AS n FROM traces FINAL") == [{"n": 50}]
    assert whole.query("SELECT count() AS n FROM traces FINAL") == [{"n": 50 * shards}]
    assert roll_up(whole).minutes >= 1
    (rates,) = whole.query("SELECT sum(traces) AS n, max(thumbs_down) AS down FROM minute_rates")
    assert rates["n"] >= 50
    assert rates["down"] >= 1
    (late,) = whole.query("SELECT countIf(feedback_was_late) AS n FROM traces_with_feedback")
    assert late["n"] >= 1


def test_a_column_that_a_migration_adds_is_there_for_all(stores: tuple[ClickHouse, ClickHouse, int]) -> None:
    local, whole, shards = stores
    local.command("ALTER TABLE feedback ADD COLUMN IF NOT EXISTS later UInt8")
    make_distributed(local, whole, ["one", "two"][shards - 1], load_migrations())
    whole.query("SELECT later FROM feedback")


def test_one_database_cannot_be_both(engine: EmbeddedEngine) -> None:
    local = ClickHouse(engine.dsn_of("same"), 30.0)
    with pytest.raises(SinkMisconfigured, match="DISTRIBUTED_DATABASE"):
        make_distributed(local, local, "one", [])


def test_a_profile_that_would_refuse_questions_is_told_of(engine: EmbeddedEngine) -> None:
    local = ClickHouse(engine.dsn, 30.0)
    with pytest.raises(SinkMisconfigured, match="distributed_product_mode = 'global'"):
        make_distributed(local, ClickHouse(engine.dsn_of("other"), 30.0), "one", [])


def test_rows_that_replace_each_other_meet_on_one_shard(engine: EmbeddedEngine) -> None:
    local = ClickHouse(engine.dsn_of("keys"), 30.0)
    migrate(local)
    found = local.query(
        "SELECT name, sorting_key FROM system.tables "
        "WHERE database = 'keys' AND engine = 'ReplacingMergeTree'"
    )
    by = {row["name"]: shard_key(row["sorting_key"]) for row in found}
    assert by["traces"] == by["verdicts"] == by["feedback"] == by["scores"] == "cityHash64(trace_id)"
    assert by["minute_rollup"] == by["hour_rollup"] == "cityHash64(minute)"
    assert by["schema_migrations"] == by["incidents"] == by["dead_letters"] == "0"


def test_statements_name_the_cluster(engine: EmbeddedEngine) -> None:
    client = ClickHouse(engine.dsn, 30.0)
    ddl = [table_ddl("traces", "trace_id", "a", "b", "prod"), *views(load_migrations(), "prod")]
    assert len(ddl) > 5
    for statement in ddl:
        (row,) = client.query("SELECT formatQuery({sql:String}) AS said", {"sql": statement})
        assert "CLUSTER prod" in row["said"]


def test_replicated_tables_take_their_path_from_the_server(engine: EmbeddedEngine) -> None:
    values = migrations.placeholders("prod")
    made = [
        statement
        for migration in load_migrations()
        for statement in migrations.statements(migrations.render(migration.sql, values))
        if re.match(r"(--[^\n]*\n|\s)*CREATE TABLE", statement)
    ]
    assert len(made) > 15
    for statement in made:
        assert re.search(r"CREATE TABLE IF NOT EXISTS \w+ ON CLUSTER `prod`", statement)
        assert re.search(r"ENGINE = ReplicatedReplacingMergeTree\(\w+\)", statement)
