"""A small HTTP front over the embedded ClickHouse engine, so that several processes may share it.

The engine lives in one process. This front speaks as much of a ClickHouse server's HTTP interface as
ordinary clients use: queries by GET or POST, `database`, settings and `param_*` in the URL or a form,
compressed and chunked bodies, streaming inserts and results, exception codes, summaries and `/ping`.
It knows no users, no sessions and no external data. Every request has an engine handle of its own, so
that nothing set for one can leak into another.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from stream.embedded import statements
from stream.embedded.bodies import BadBody, read_body, read_form
from stream.embedded.handle import EngineError, Handle, Reply

TRANSPORT_PARAMETERS: Final = frozenset(
    {
        "buffer_size", "client_protocol_version", "compress", "database", "decompress", "default_format",
        "enable_http_compression", "http_headers_progress_interval_ms", "password", "query", "query_id",
        "quota_key", "role", "send_progress_in_http_headers", "session_check", "session_id",
        "session_timeout", "user", "wait_end_of_query",
    }
)  # fmt: skip
"""URL parameters that speak to the transport; all others are settings of the query."""

_SETTING_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOO_MANY_QUERIES: Final = 202
_IDLE_S: Final = 120.0


class Front(ThreadingHTTPServer):
    """The server. At most `max_queries` run at once; another waits `wait_s` for its turn, then gets 503."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], engine_path: str, max_queries: int, wait_s: float) -> None:
        self.engine_path = engine_path
        self.max_queries = max_queries
        self.wait_s = wait_s
        self._slots = threading.BoundedSemaphore(max_queries)
        super().__init__(address, _Request)

    def take_slot(self) -> None:
        """Wait for a turn. Raises EngineError (code 202)."""
        if not self._slots.acquire(timeout=self.wait_s):
            raise EngineError(f"Code: {_TOO_MANY_QUERIES}. DB::Exception: Too many simultaneous queries")

    def give_slot(self) -> None:
        """The turn is over."""
        self._slots.release()

    def drain(self, budget_s: float) -> bool:
        """Wait until nothing runs any more and let nothing start. Says whether that was reached."""
        until = time.monotonic() + budget_s
        return all(
            self._slots.acquire(timeout=max(0.0, until - time.monotonic())) for _ in range(self.max_queries)
        )


class _Request(BaseHTTPRequestHandler):
    server: Front
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S
    disable_nagle_algorithm = True
    wbufsize = 64 * 1024

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged; failures travel to the client."""

    def do_GET(self) -> None:
        """Liveness at `/` and `/ping`; otherwise a query."""
        url = urlsplit(self.path)
        if url.path == "/ping" or (not url.query and not self._has_body()):
            self._send(200, b"Ok.\n", {})
        else:
            self._answer()

    def do_POST(self) -> None:
        """A query, or an insert with its rows."""
        self._answer()

    def _has_body(self) -> bool:
        return "Content-Length" in self.headers or "Transfer-Encoding" in self.headers

    def _answer(self) -> None:
        parameters = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body: Iterator[bytes] = iter(())
        headers = {"X-ClickHouse-Query-Id": parameters.get("query_id") or str(uuid.uuid4())}
        try:
            body = read_body(self.rfile, self.headers)
            if self.headers.get_content_type() == "multipart/form-data":
                parameters |= read_form(b"".join(body), self.headers["Content-Type"])
            self.server.take_slot()
            try:
                self._run(parameters, body, headers)
            finally:
                self.server.give_slot()
        except EngineError as error:
            self._send_error(str(error), headers, body)
        except BadBody as error:
            self.close_connection = True
            self._send_error(f"Code: 27. DB::Exception: {error}", headers, iter(()))
        except (TimeoutError, ConnectionError):
            self.close_connection = True

    def _run(self, parameters: dict[str, str], body: Iterator[bytes], headers: dict[str, str]) -> None:
        with Handle(self.server.engine_path, parameters.get("database"), _settings(parameters)) as handle:
            sql = (parameters.get("query") or "").encode()
            default_format = parameters.get("default_format") or self.headers.get("X-ClickHouse-Format")
            whole = parameters.get("wait_end_of_query") in ("1", "true")
            reply = handle.run(sql, body, _bound(parameters), default_format or "TabSeparated", whole=whole)
            self._reply(reply, headers)

    def _reply(self, reply: Reply, headers: dict[str, str]) -> None:
        headers |= {"X-ClickHouse-Timezone": "UTC", "X-ClickHouse-Summary": json.dumps(reply.summary)}
        if reply.format:
            headers |= {"X-ClickHouse-Format": reply.format}
        if reply.rest is None:
            self._send(200, reply.data, headers)
        else:
            self._send_chunks(reply.data, reply.rest, headers)

    def _send(self, status: int, data: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "text/plain; charset=UTF-8")
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def _send_chunks(self, first: bytes, rest: Iterator[bytes], headers: dict[str, str]) -> None:
        tag = uuid.uuid4().hex[:16]
        self.send_response(200)
        for name, value in (headers | {"X-ClickHouse-Exception-Tag": tag}).items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self._send_chunk(first)
            for data in rest:
                self._send_chunk(data)
        except EngineError as error:
            # The status is long gone: a server marks the text and breaks the connection off.
            self._send_chunk(_marked(statements.error_text(str(error)), tag))
            self.wfile.flush()
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _send_chunk(self, data: bytes) -> None:
        if data:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _send_error(self, message: str, headers: dict[str, str], body: Iterator[bytes]) -> None:
        self._discard(body)
        text = statements.error_text(message)
        code = statements.error_code(text)
        headers |= {"X-ClickHouse-Exception-Code": str(code)}
        self._send(statements.http_status(code), f"{text}\n".encode(), headers)

    def _discard(self, body: Iterator[bytes]) -> None:
        """Read what the client still sends: closing on it would hide the answer from the client."""
        try:
            for _ in body:
                pass
        except BadBody:
            self.close_connection = True


def _marked(message: str, tag: str) -> bytes:
    text = f"{message}\n".encode()
    return b"__exception__\r\n%b\r\n%b%d %b\r\n__exception__\r\n" % (
        tag.encode(),
        text,
        len(text),
        tag.encode(),
    )


def _settings(parameters: dict[str, str]) -> dict[str, str]:
    settings = {
        name: value
        for name, value in parameters.items()
        if name not in TRANSPORT_PARAMETERS and not name.startswith("param_")
    }
    for name in settings:
        if not _SETTING_NAME.fullmatch(name):
            raise EngineError(f"Code: 115. DB::Exception: Unknown setting {name!r}. (UNKNOWN_SETTING)")
    return settings


def _bound(parameters: dict[str, str]) -> dict[str, str]:
    prefix = "param_"
    return {name[len(prefix) :]: value for name, value in parameters.items() if name.startswith(prefix)}


__all__ = ["TRANSPORT_PARAMETERS", "Front"]
