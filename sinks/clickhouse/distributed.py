"""One database over all shards of a cluster: Distributed tables and the same views, named as in each shard.

`migrate` fills a database on every server of the cluster; where that has several shards, each holds a part of
the rows. This makes a second database whose tables send rows to their shard and read from all. Processes name
it in their DSN and need to know nothing else.

A row's shard follows from its key, so that rows which replace each other meet (FINAL merges within a shard):
by trace where the key names one, by minute where it names that; what has neither is little, and lies on the
first shard.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.dsn import plain_name
from sinks.clickhouse.migrate import Migration, placeholders, render, statements
from sinks.errors import SinkMisconfigured

NEEDED: Final[Mapping[str, str]] = {"distributed_product_mode": "global"}
"""Settings without which questions over several shards are refused or answered wrongly."""

_VIEW = re.compile(r"CREATE OR REPLACE VIEW (\w+)")
_SHARDED_BY: Final = ("trace_id", "minute")

_TABLES = """
SELECT name, sorting_key FROM system.tables
WHERE database = {database:String} AND endsWith(engine, 'MergeTree') AND NOT startsWith(name, '.')
ORDER BY name
"""
_SETTINGS = "SELECT name, value FROM system.settings WHERE name IN {names:Array(String)}"


def make_distributed(local: ClickHouse, whole: ClickHouse, cluster: str, known: Iterable[Migration]) -> None:
    """Make the database of `whole` anew over that of `local`, which was migrated. It holds no rows itself.

    Raises SinkMisconfigured where both are the same, or a profile lacks a setting; or another SinkError.
    """
    if whole.database == local.database:
        raise SinkMisconfigured(
            f"{local.database!r} is both the database in RAGPULSE_CLICKHOUSE__DSN and "
            "RAGPULSE_CLICKHOUSE__DISTRIBUTED_DATABASE: the DSN of `ragpulse migrate` names the one that "
            "holds the rows, that of all other processes names the other."
        )
    _check_profile(local)
    on_cluster = placeholders(cluster)["on_cluster"]
    local.command(f"CREATE DATABASE IF NOT EXISTS {whole.database} {on_cluster} ENGINE = Atomic")
    for row in local.query(_TABLES, {"database": local.database}):
        local.command(
            table_ddl(str(row["name"]), str(row["sorting_key"]), local.database, whole.database, cluster)
        )
    for view in views(known, cluster):
        whole.command(view)


def table_ddl(name: str, sorting_key: str, local: str, whole: str, cluster: str) -> str:
    """The Distributed table over one of ours. Made anew each time: a new column of ours is one of it."""
    on_cluster = placeholders(cluster)["on_cluster"]
    key = shard_key(sorting_key)
    return (
        f"CREATE OR REPLACE TABLE {plain_name(whole)}.{plain_name(name)} {on_cluster} "
        f"AS {plain_name(local)}.{name} ENGINE = Distributed('{cluster}', '{local}', '{name}', {key})"
    )


def shard_key(sorting_key: str) -> str:
    """What a row's shard follows from."""
    columns = set(re.findall(r"\w+", sorting_key))
    return next((f"cityHash64({name})" for name in _SHARDED_BY if name in columns), "0")


def views(known: Iterable[Migration], cluster: str) -> Iterator[str]:
    """Each view as its last migration defines it, in the order in which the views came."""
    newest: dict[str, str] = {}
    values = placeholders(cluster)
    for migration in known:
        for statement in statements(render(migration.sql, values)):
            if found := _VIEW.search(statement):
                newest[found[1]] = statement
    yield from newest.values()


def _check_profile(client: ClickHouse) -> None:
    found = client.query(_SETTINGS, {"names": list(NEEDED)})
    have = {str(row["name"]): str(row["value"]) for row in found}
    for name, value in NEEDED.items():
        if have.get(name) != value:
            raise SinkMisconfigured(
                f"Questions over several shards need {name} = '{value}', and the user of {client.address} "
                f"has {have.get(name)!r}: set it in the profile of every user that reads, Grafana's as well."
            )


__all__ = ["make_distributed", "shard_key", "table_ddl", "views"]
