"""Numbered migrations, applied in order and once; and the retention, applied whenever it changes.

A migration is a file `migrations/NNNN_name.sql`: statements that end with a semicolon at the end of a
line, safe to run again. `{{replicated}}` and `{{on_cluster}}` become what a cluster needs, or nothing.
A file that was applied may never change afterwards; a later file changes the tables.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from sinks.clickhouse.client import ClickHouse
from sinks.errors import SinkMisconfigured

RETENTION_VERSION: Final = 0
"""Under this number the table of migrations remembers the retention."""

_UNKNOWN_TABLE: Final = 60
_UNKNOWN_DATABASE: Final = 81

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_END = re.compile(r";[ \t]*(?:\n|$)")

_HISTORY = """
CREATE TABLE IF NOT EXISTS schema_migrations {{on_cluster}}
(
    version UInt32,
    name String,
    checksum String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(applied_at)
ORDER BY version
"""


class SchemaTooNew(SinkMisconfigured):
    """The database was migrated by a newer build than this one."""


class SchemaTooOld(SinkMisconfigured):
    """The database lacks migrations that this build needs."""


class MigrationChanged(SinkMisconfigured):
    """A migration that was applied reads differently now."""


@dataclass(slots=True, frozen=True)
class Migration:
    """One numbered file. The checksum is of the file itself, before anything is filled in."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, line ends normalised."""
        return checksum(self.sql)


def migrate(
    client: ClickHouse,
    *,
    cluster: str | None = None,
    retention_days: int = 90,
    text_retention_days: int = 30,
    rollup_retention_days: int = 400,
) -> list[str]:
    """Create or upgrade the schema; returns the names of what was applied (empty: all was there).

    Raises SchemaTooNew, MigrationChanged, or any other SinkError. Safe to run twice, and at once.
    """
    values = placeholders(cluster)
    _ensure_database(client, values["on_cluster"])
    client.command(render(_HISTORY, values))
    known = load_migrations()
    done = applied(client)
    check(known, done)
    news = [migration for migration in known if migration.version not in done]
    for migration in news:
        _apply(client, migration.version, migration.name, migration.checksum, render(migration.sql, values))
    days = {
        "retention_days": str(retention_days),
        "text_retention_days": str(min(text_retention_days, retention_days)),
        "rollup_retention_days": str(rollup_retention_days),
    }
    retention = render(read("retention.sql"), values | days)
    names = [f"{migration.version:04}_{migration.name}" for migration in news]
    if done.get(RETENTION_VERSION) != checksum(retention):
        _apply(client, RETENTION_VERSION, "retention", checksum(retention), retention)
        names.append("retention")
    return names


def require_schema(client: ClickHouse) -> None:
    """Make sure that this build's tables are there. A newer schema is fine: it only ever adds.

    Raises SchemaTooOld, saying what to run, or any other SinkError.
    """
    needed = load_migrations()[-1].version
    try:
        have = max(applied(client), default=0)
    except SinkMisconfigured as error:
        if error.code not in (_UNKNOWN_TABLE, _UNKNOWN_DATABASE):
            raise
        have = 0
    if have < needed:
        raise SchemaTooOld(
            f"The schema at {client.address} (RAGPULSE_CLICKHOUSE__DSN) is at version {have}, "
            f"and {needed} is needed: run `ragpulse migrate`."
        )


def load_migrations() -> list[Migration]:
    """All migrations of this build, by version: 1, 2, 3 … without a gap."""
    found = []
    for file in (files(__package__) / "migrations").iterdir():
        match = _FILE.fullmatch(file.name)
        if match:
            found.append(Migration(int(match[1]), match[2], file.read_text(encoding="utf-8")))
    return sorted(found, key=lambda migration: migration.version)


def applied(client: ClickHouse) -> dict[int, str]:
    """Version to checksum of everything that was applied, the retention under number 0."""
    rows = client.query("SELECT version, checksum FROM schema_migrations FINAL")
    return {int(row["version"]): str(row["checksum"]) for row in rows}


def check(known: list[Migration], done: Mapping[int, str]) -> None:
    """Raises SchemaTooNew or MigrationChanged where this build must not touch the database."""
    newest = known[-1].version
    if max(done, default=0) > newest:
        raise SchemaTooNew(
            f"The database's schema is at version {max(done)}, newer than this build knows ({newest}): "
            "upgrade ragpulse, or point RAGPULSE_CLICKHOUSE__DSN at another database."
        )
    for migration in known:
        if done.get(migration.version, migration.checksum) != migration.checksum:
            raise MigrationChanged(
                f"Migration {migration.version:04}_{migration.name} reads differently from when it was "
                "applied: restore the file, and put the change in a new migration."
            )


def placeholders(cluster: str | None) -> dict[str, str]:
    """What `{{on_cluster}}` and `{{replicated}}` stand for."""
    if cluster is None:
        return {"on_cluster": "", "replicated": ""}
    if not re.fullmatch(r"[\w.-]+", cluster):
        raise SinkMisconfigured(f"{cluster!r} is no cluster name (RAGPULSE_CLICKHOUSE__CLUSTER).")
    return {"on_cluster": f"ON CLUSTER `{cluster}`", "replicated": "Replicated"}


def render(sql: str, values: Mapping[str, str]) -> str:
    """Fill in the placeholders. Raises KeyError for one that has no value."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], sql)


def statements(sql: str) -> list[str]:
    """The statements of a file. A semicolon ends one where its line ends."""
    return [part.strip() for part in _END.split(sql) if _without_comments(part)]


def checksum(text: str) -> str:
    """SHA-256 of a text, line ends normalised."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()


def _ensure_database(client: ClickHouse, on_cluster: str) -> None:
    """Create the database only where it is missing: a user may lack the right to, and not need it."""
    try:
        client.query("SELECT 1")
    except SinkMisconfigured as error:
        if error.code != _UNKNOWN_DATABASE:
            raise
        sql = f"CREATE DATABASE IF NOT EXISTS {client.database} {on_cluster} ENGINE = Atomic"
        client.command(sql, in_database=False)


def _apply(client: ClickHouse, version: int, name: str, digest: str, sql: str) -> None:
    for statement in statements(sql):
        client.command(statement)
    client.command(
        "INSERT INTO schema_migrations (version, name, checksum) "
        "SELECT {version:UInt32}, {name:String}, {digest:String}",
        {"version": version, "name": name, "digest": digest},
    )


def _without_comments(sql: str) -> str:
    return "".join(line for line in sql.splitlines() if not line.lstrip().startswith("--")).strip()


def read(name: str) -> str:
    """The text of a file beside this one."""
    return (files(__package__) / name).read_text(encoding="utf-8")


__all__ = [
    "Migration",
    "MigrationChanged",
    "SchemaTooNew",
    "SchemaTooOld",
    "load_migrations",
    "migrate",
    "require_schema",
]
