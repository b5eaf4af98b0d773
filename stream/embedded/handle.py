"""One request's handle on the embedded engine: its database, its settings, one statement."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import Any, Self

from stream.embedded import statements
from stream.embedded.statements import Insert

_FAILED_INSERTS = "SELECT sum(value) FROM system.events WHERE event = 'FailedInsertQuery'"
_NEWEST_ERROR = """
SELECT concat('Code: ', toString(code), '. DB::Exception: ', last_error_message, ' (', name, ')')
FROM system.errors ORDER BY last_error_time DESC LIMIT 1
"""


class EngineError(Exception):
    """What the engine says of a statement; the text holds `Code: <number>.`"""


@dataclass(slots=True)
class Reply:
    """A statement's result: `data`, then `rest` in pieces where it is long."""

    data: bytes = b""
    rest: Iterator[bytes] | None = None
    format: str | None = None
    summary: dict[str, str] = field(default_factory=dict)


class Handle:
    """A handle of its own for each request: settings and database end with it."""

    def __init__(self, path: str, database: str | None, settings: dict[str, str]) -> None:
        self._connection = _said(partial(open_engine, path))
        try:
            self._prepare(database, settings)
        except EngineError:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def run(
        self, sql: bytes, body: Iterator[bytes], bound: dict[str, str], default_format: str, *, whole: bool
    ) -> Reply:
        """Run the statement in `sql` followed by `body`. Raises EngineError.

        `whole` wants the result complete before the answer starts, so that no error comes midway.
        """
        head, rest = _head(sql, body)
        insert = statements.parse_insert(head)
        if insert is not None:
            return self._insert(insert, rest)
        statement = head + b"".join(rest)
        format = statements.output_format(statement) or default_format
        selects = statements.keyword(statement) in ("SELECT", "WITH")
        if selects and not whole and format in statements.STREAMABLE:
            return self._stream(statement, bound, format)
        reply = self._command(statement, bound, format)
        if selects and format == "Native" and not reply.data:
            reply.data = self._describe(statement, bound)
        return reply

    def _prepare(self, database: str | None, settings: dict[str, str]) -> None:
        if database:
            name = database.replace("`", "``")
            _said(lambda: self._connection.query(f"USE `{name}`"))
        if settings:
            values = ", ".join(f"{name} = {statements.quote(value)}" for name, value in settings.items())
            _said(lambda: self._connection.query(f"SET {values}"))

    def _insert(self, insert: Insert, rest: Iterator[bytes]) -> Reply:
        failed_before = self._failed_inserts()
        inserter = _said(lambda: self._connection.send_insert(insert.statement, insert.format))
        try:
            for piece in itertools.chain([insert.data], rest):
                _said(partial(inserter.append, piece))
            result = _said(inserter.finish)
        except BaseException:
            inserter.cancel()
            raise
        if self._failed_inserts() != failed_before:
            raise EngineError(self._newest_error())
        written = {"written_rows": str(result.rows_written), "written_bytes": str(result.bytes_written)}
        return Reply(summary=written)

    def _failed_inserts(self) -> int:
        """How many inserts failed since the engine runs.

        A streamed insert that fails in its very last step, as on a full disk, ends as if it had written its
        rows (chdb 4.4): only this counter tells. Where another insert fails at the same moment, one that did
        not is said to have failed, and its client inserts it again.
        """
        counted = _said(lambda: self._connection.query(_FAILED_INSERTS, "TabSeparated"))
        return int(counted.bytes() or 0)

    def _newest_error(self) -> str:
        found = _said(lambda: self._connection.query(_NEWEST_ERROR, "TabSeparatedRaw"))
        text = (found.bytes() or b"").decode("utf-8", "backslashreplace").strip()
        return text or "Code: 1001. DB::Exception: The insert failed, and the engine does not say why."

    def _stream(self, sql: bytes, bound: dict[str, str], format: str) -> Reply:
        pieces = _pieces(_said(lambda: self._connection.send_query(sql, format, params=bound)))
        first = next(pieces, b"")
        if not first and format == "Native":
            first = self._describe(sql, bound)
        return Reply(first, pieces, format)

    def _describe(self, sql: bytes, bound: dict[str, str]) -> bytes:
        query = b"DESCRIBE TABLE (" + statements.without_output_format(sql) + b")"
        described = _said(lambda: self._connection.query(query, "JSONEachRow", params=bound))
        return statements.empty_native_block(described.bytes())

    def _command(self, sql: bytes, bound: dict[str, str], format: str) -> Reply:
        result = _said(lambda: self._connection.query(sql, format, params=bound))
        data = result.bytes() or b""
        shows = data or statements.keyword(sql) in (
            "SELECT",
            "WITH",
            "SHOW",
            "DESCRIBE",
            "DESC",
            "EXISTS",
            "EXPLAIN",
        )
        summary = {
            "read_rows": str(result.storage_rows_read()),
            "written_rows": str(result.rows_written()),
            "elapsed_ns": str(int(result.elapsed() * 1e9)),
        }
        return Reply(data, format=format if shows else None, summary=summary)


def open_engine(path: str) -> Any:
    """A handle on the engine at `path`. Raises RuntimeError where another process holds the folder."""
    chdb: Any = import_module("chdb")  # half a second and 100 MB: only where it is used
    return chdb.connect(path)


def _head(sql: bytes, body: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Enough of the statement to know it, from the URL and then the body; and the rest of the body."""
    head = sql + b"\n" if sql.strip() else b""
    while len(head) < statements.HEAD_BYTES:
        piece = next(body, None)
        if piece is None:
            return head, body
        head += piece
    return head, body


def _pieces(stream: Any) -> Iterator[bytes]:
    pieces = iter(stream)
    while True:
        try:
            piece = next(pieces)
        except StopIteration:
            return
        except Exception as error:
            raise EngineError(_message(error)) from error
        data = piece.bytes()
        if data:
            yield data


def _said(call: Callable[[], Any]) -> Any:
    """Make the call; whatever the engine objects to becomes an EngineError."""
    try:
        return call()
    except Exception as error:
        raise EngineError(_message(error)) from error


def _message(error: BaseException) -> str:
    """The engine's words, even where they quote bytes that are no text."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, UnicodeDecodeError):
            return cause.object.decode("utf-8", "backslashreplace")
        cause = cause.__cause__ or cause.__context__
    return str(error)
