"""ClickHouse as ragpulse uses it: queries, commands, and inserts of raw JSON lines.

The only module that knows clickhouse_connect. `connect` takes a DSN, either `http(s)://user:pass@host:port/db`
for a server (or the embedded engine's front), or `chdb:///folder?database=db` for the engine inside
this process. Nothing is sent until the first call, so a server that is away is found out then, as
SinkUnreachable, and each later call tries again.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import clickhouse_connect
import lz4.frame
from clickhouse_connect import common
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError, OperationalError, ProgrammingError
from clickhouse_connect.driver.httpclient import HttpClient
from clickhouse_connect.driver.httputil import check_env_proxy, get_pool_manager
from urllib3 import PoolManager, Timeout

from sinks.clickhouse.dsn import parse_dsn, plain_name
from sinks.clickhouse.faults import fault
from sinks.clickhouse.tls import Tls, explain
from sinks.errors import SinkError, SinkMisconfigured, SinkOverloaded, SinkUnreachable, SinkUntrusted
from sinks.flaws import look, was_cut_off

CONNECT_S: Final = 5
GREETING_S: Final = 8
"""For the first answer of a server, its version: a port that accepts and stays silent is no server."""

READING_ROWS: Final[Mapping[str, Any]] = {
    "date_time_input_format": "best_effort",
    "input_format_null_as_default": 1,
    "input_format_skip_unknown_fields": 1,
}
"""How lines are read: a null or a missing column takes its default, an unknown column is left out.

Unknown columns must not stop anything, because a newer worker may run beside an older schema; the
sink counts them, so that they are not lost unseen.
"""

SAFE_INSERT: Final[Mapping[str, Any]] = {
    "async_insert": 0,
    "distributed_foreground_insert": 1,
    "insert_deduplicate": 1,
    "max_partitions_per_insert_block": 0,
    "wait_end_of_query": 1,
}
"""Applied last: an insert is over when it is stored, and whatever its dates are it is stored whole."""

_STATUS = re.compile(r"HTTP status (\d{3})")
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})

logging.getLogger("clickhouse_connect").setLevel(logging.ERROR)  # failures travel as our errors
common.set_setting("autogenerate_session_id", False)  # a session would forbid two queries at once
common.set_setting("invalid_setting_action", "drop")  # an older server need not know every setting


class ClickHouse:
    """One database of one ClickHouse. Every method raises a SinkError and nothing else."""

    def __init__(self, dsn: str, timeout_s: float, tls: Tls = Tls(), *, database: str | None = None) -> None:
        self._target = parse_dsn(dsn)
        if database:
            self._target = replace(self._target, database=plain_name(database))
        self._timeout_s = timeout_s
        self._tls = tls
        self._client: Client | None = None
        self._pool: PoolManager | None = None
        self._lock = threading.Lock()

    @property
    def address(self) -> str:
        """Where it is, for people; no password in it."""
        return self._target.address

    @property
    def database(self) -> str:
        """Name of the database, a plain identifier."""
        return self._target.database

    def query(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """The result's rows by column name. Parameters are bound by the server: `{name:Type}`."""
        client = self._connected()
        try:
            result = client.query(sql, parameters=dict(parameters or {}))
            return [dict(zip(result.column_names, row, strict=True)) for row in result.result_rows]
        except (ClickHouseError, OSError) as error:
            raise self._translated(error) from error

    def columns(self, sql: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Sequence[Any]]:
        """The result as columns by name; an empty result has none."""
        client = self._connected()
        try:
            result = client.query(sql, parameters=dict(parameters or {}), column_oriented=True)
            return dict(zip(result.column_names, result.result_columns, strict=False))
        except (ClickHouseError, OSError) as error:
            raise self._translated(error) from error

    def command(
        self,
        sql: str,
        parameters: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        *,
        in_database: bool = True,
    ) -> None:
        """Run a statement that returns nothing. `in_database` false: the database need not exist."""
        client = self._connected()
        try:
            client.command(
                sql,
                parameters=dict(parameters or {}),
                settings=dict(settings or {}),
                use_database=in_database,
            )
        except (ClickHouseError, OSError) as error:
            raise self._translated(error) from error

    def insert_raw(self, table: str, lines: bytes | Iterable[bytes], token: str = "") -> int:
        """Insert JSON lines as they are; returns how many rows were written.

        `lines`: all of them in one, or in pieces that are sent as they come and never held together.
        `token`: an insert of the same token to the same table is taken once (within the table's
        deduplication window). The insert is all or nothing within a partition.
        """
        settings = dict(READING_ROWS) | {"max_execution_time": int(self._timeout_s) + 1}
        if token:
            settings["insert_deduplication_token"] = token
        return self._insert(plain_name(table), lines, settings | dict(SAFE_INSERT))

    def reads(self, table: str, line: bytes) -> bool:
        """Whether the table's columns, as they are now, can read this line. Nothing is stored."""
        columns = self.query(
            "SELECT name, type FROM system.columns WHERE database = {database:String} "
            "AND table = {table:String} AND default_kind = '' ORDER BY position",
            {"database": self.database, "table": table},
        )
        structure = ", ".join(f"`{column['name']}` {column['type']}" for column in columns)
        quoted = structure.replace("\\", "\\\\").replace("'", "\\'")
        try:
            self._insert(f"FUNCTION null('{quoted}')", line, dict(READING_ROWS))
        except SinkMisconfigured:
            raise
        except SinkError as error:
            if isinstance(error, SinkUnreachable | SinkOverloaded):
                raise
            return False
        return bool(columns)

    def answers(self) -> bool:
        """Whether it answers at all, now."""
        try:
            self.query("SELECT 1")
        except SinkError:
            return False
        return True

    def close(self) -> None:
        """Let connections go. The next call opens new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None
            if self._pool is not None:
                self._pool.clear()

    def _insert(self, table: str, lines: bytes | Iterable[bytes], settings: dict[str, Any]) -> int:
        client = self._connected()
        compress = self._target.scheme != "chdb" and self._target.host not in _LOOPBACK
        pieces = iter((lines,)) if isinstance(lines, bytes) else iter(lines)
        try:
            summary = client.raw_insert(
                table,
                insert_block=_compressed(pieces) if compress else _generated(pieces),
                compression="lz4" if compress else None,
                settings=settings,
                fmt="JSONEachRow",
            )
        except (ClickHouseError, OSError) as error:
            raise self._translated(error) from error
        return summary.written_rows

    def _connected(self) -> Client:
        with self._lock:
            if self._client is None:
                try:
                    self._client = self._open()
                except (ClickHouseError, OSError) as error:
                    raise self._translated(error) from error
            return self._client

    def _open(self) -> Client:
        target = self._target
        if target.scheme == "chdb":
            client = clickhouse_connect.get_client(interface="chdb", path=target.path)
        else:
            client = clickhouse_connect.get_client(
                interface=target.scheme,
                host=target.host,
                port=target.port,
                username=target.user,
                password=target.password,
                connect_timeout=CONNECT_S,
                send_receive_timeout=min(GREETING_S, int(self._timeout_s) + 1),
                client_name="ragpulse",
                query_retries=0,
                **(self._secured() if target.scheme == "https" else {}),
            )
            assert isinstance(client, HttpClient)
            client.timeout = Timeout(connect=CONNECT_S, read=int(self._timeout_s) + 1)
        client.database = target.database  # set afterwards: it may not exist yet
        return client

    def _secured(self) -> dict[str, Any]:
        """Connections with our certificates. With one of ours and no password, it says who we are."""
        target, tls = self._target, self._tls
        if self._pool is None:
            self._pool = get_pool_manager(
                verify=tls.verify,
                ssl_context=tls.context(),
                https_proxy=check_env_proxy("https", target.host, target.port),
            )
        shown = {"client_cert": tls.certificate, "tls_mode": "strict" if target.password else "mutual"}
        return {"pool_mgr": self._pool, **(shown if tls.certificate else {})}

    def _untrusted(self, error: Exception) -> SinkUntrusted | None:
        """Whether certificates are to blame. A server that hung up is asked once more, by itself."""
        target = self._target
        if target.scheme != "https":
            return None
        found = explain(error, self.address)
        if found is None and was_cut_off(error):
            again = look(target.host, target.port, self._tls.context())
            found = explain(again, self.address) if again else None
        return found

    def _translated(self, error: Exception) -> SinkError:
        code = getattr(error, "code", None)
        text = " ".join(str(error).split())
        status = _STATUS.search(text)
        if code is None and status is None:
            if untrusted := self._untrusted(error):
                return untrusted
            if isinstance(error, OperationalError | OSError):
                return SinkUnreachable(f"ClickHouse does not answer at {self.address}: {_cause(error)}")
            if isinstance(error, ProgrammingError) and self._target.scheme == "chdb":
                return SinkUnreachable(f"The engine cannot open {self.address}: {_short(text)}")
        said = fault(code, int(status[1]) if status else None, text)
        said.args = (f"ClickHouse at {self.address} says: {_short(_own_words(text))}",)
        return said


def connect(
    dsn: str, timeout_s: float = 30.0, tls: Tls = Tls(), *, database: str | None = None
) -> ClickHouse:
    """A client for a DSN; nothing is sent yet. Raises SinkAddressWrong where the DSN is none.

    `database`: in place of the one that the DSN names.
    """
    return ClickHouse(dsn, timeout_s, tls, database=database)


def _generated(pieces: Iterator[bytes]) -> Generator[bytes, None, None]:
    yield from pieces


def _compressed(pieces: Iterator[bytes]) -> Generator[bytes, None, None]:
    with lz4.frame.LZ4FrameCompressor() as compressor:
        yield compressor.begin()
        for piece in pieces:
            yield compressor.compress(piece)
        yield compressor.flush()


def _cause(error: Exception) -> str:
    """The innermost reason of a transport error, without the layers around it."""
    inner: object = error.__cause__ or error
    inner = getattr(inner, "reason", inner)
    return _short(" ".join(str(inner).rpartition("): ")[2].split()))


def _own_words(text: str) -> str:
    start = text.find("Code: ")
    return text[start:] if start >= 0 else text


def _short(text: str, limit: int = 600) -> str:
    return text if len(text) <= limit else f"{text[:limit]} …"


__all__ = ["ClickHouse", "connect"]
