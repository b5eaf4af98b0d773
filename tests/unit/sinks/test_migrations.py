"""The migrations as text: their order, their checksums, what a cluster makes of them."""

from __future__ import annotations

import re

import pytest

from schemas.taxonomy import UNSEEN
from sinks.clickhouse import migrate
from sinks.clickhouse.migrate import Migration, MigrationChanged, SchemaTooNew
from sinks.errors import SinkMisconfigured

KNOWN = [Migration(1, "one", "CREATE 1;"), Migration(2, "two", "CREATE 2;")]


def test_versions_count_up_from_one_without_a_gap() -> None:
    versions = [migration.version for migration in migrate.load_migrations()]
    assert versions == list(range(1, len(versions) + 1))


def test_a_schema_newer_than_the_build_is_refused() -> None:
    with pytest.raises(SchemaTooNew, match="at version 3, newer than this build knows"):
        migrate.check(KNOWN, {1: KNOWN[0].checksum, 2: KNOWN[1].checksum, 3: "x"})


def test_a_migration_that_changed_after_it_was_applied_is_refused() -> None:
    with pytest.raises(MigrationChanged, match="0002_two"):
        migrate.check(KNOWN, {1: KNOWN[0].checksum, 2: "another"})


def test_a_database_behind_or_level_is_fine() -> None:
    migrate.check(KNOWN, {})
    migrate.check(KNOWN, {1: KNOWN[0].checksum, 0: "retention"})


def test_line_ends_do_not_change_a_checksum() -> None:
    assert Migration(1, "a", "x\r\ny").checksum == Migration(1, "a", "x\ny").checksum


def test_statements_end_with_the_line_and_comments_alone_are_none() -> None:
    sql = "-- first; not a statement\nCREATE a (x String DEFAULT ';x');\n\n-- end\n"
    assert migrate.statements(sql) == ["-- first; not a statement\nCREATE a (x String DEFAULT ';x')"]


def copies_rows(statement: str) -> bool:
    """Rows travel between replicas by themselves."""
    return statement.lstrip().startswith("INSERT INTO ")


def test_a_cluster_gets_replicated_tables_on_every_node() -> None:
    values = migrate.placeholders("prod_1")
    for migration in migrate.load_migrations():
        for statement in migrate.statements(migrate.render(migration.sql, values)):
            assert "ON CLUSTER `prod_1`" in statement or copies_rows(statement)
            if "CREATE TABLE" in statement:
                assert "ENGINE = ReplicatedReplacingMergeTree(" in statement


def test_without_a_cluster_nothing_is_replicated() -> None:
    values = migrate.placeholders(None)
    text = "".join(migrate.render(migration.sql, values) for migration in migrate.load_migrations())
    assert "Replicated" not in text
    assert "ON CLUSTER" not in text


def test_a_cluster_name_cannot_smuggle_in_a_statement() -> None:
    with pytest.raises(SinkMisconfigured, match="RAGPULSE_CLICKHOUSE__CLUSTER"):
        migrate.placeholders("a` ENGINE = Memory --")


def test_the_rollup_counts_as_unseen_what_the_taxonomy_does() -> None:
    listed = re.search(r"coverage IN \(([^)]*)\)", migrate.read("rollup.sql"))
    assert listed
    assert set(re.findall(r"'(\w+)'", listed[1])) == {coverage.value for coverage in UNSEEN}
