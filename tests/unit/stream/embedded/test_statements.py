"""What the engine's front understands of a statement."""

from __future__ import annotations

import pytest

from stream.embedded import statements


@pytest.mark.parametrize(
    ("head", "statement", "format", "data"),
    [
        (b"INSERT INTO t FORMAT JSONEachRow\n{}", "INSERT INTO t ", "JSONEachRow", b"{}"),
        (
            b"insert into `my db`.t (a, `b c`) format Native\n\x02\n",
            "insert into `my db`.t (a, `b c`) ",
            "Native",
            b"\x02\n",
        ),
        (
            b"-- why\nINSERT INTO t SETTINGS x='1' FORMAT CSV 1,2",
            "INSERT INTO t SETTINGS x='1' ",
            "CSV",
            b"1,2",
        ),
        (b"INSERT INTO t FORMAT JSONEachRow", "INSERT INTO t ", "JSONEachRow", b""),
    ],
)
def test_an_insert_is_split_from_its_rows(head: bytes, statement: str, format: str, data: bytes) -> None:
    insert = statements.parse_insert(head)
    assert insert == statements.Insert(statement, format, data)


@pytest.mark.parametrize(
    "sql",
    [
        b"SELECT 'INSERT INTO t FORMAT CSV'",
        b"INSERT INTO t VALUES (1)",
        b"INSERT INTO t SELECT 1 FORMAT Null",
        b"CREATE TABLE t (a Int8) ENGINE = Memory",
    ],
)
def test_other_statements_are_no_insert_with_rows(sql: bytes) -> None:
    assert statements.parse_insert(sql) is None


def test_the_first_word_is_found_behind_comments_and_brackets() -> None:
    assert statements.keyword(b"  -- a\n /* b */ (select 1)") == "SELECT"
    assert statements.keyword(b"with 1 as x select x") == "WITH"
    assert statements.keyword(b"") == ""


def test_the_output_format_is_read_at_the_end_only() -> None:
    assert statements.output_format(b"SELECT 1 FORMAT Native;") == "Native"
    assert statements.output_format(b"SELECT ' FORMAT Native' AS x") is None
    assert statements.without_output_format(b"SELECT 1\n FORMAT Native;") == b"SELECT 1"


def test_an_error_keeps_its_number_and_its_words() -> None:
    message = "Streaming query failed: Code: 60. DB::Exception: no table"
    assert statements.error_code(message) == 60
    assert statements.error_text(message) == "Code: 60. DB::Exception: no table"
    assert statements.http_status(60) == 404
    assert statements.error_code("something else") == 1002


def test_a_literal_cannot_end_early() -> None:
    assert statements.quote("a'b\\") == "'a\\'b\\\\'"
