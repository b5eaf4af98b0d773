"""A proxy before the engine that misbehaves as servers and networks do."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from stream.embedded.bodies import read_body


@dataclass(slots=True, frozen=True)
class Refusal:
    """An answer in the engine's place. `code` is ClickHouse's number; status 0 cuts the connection."""

    status: int
    code: int | None = None


Rule = Callable[[bytes], Refusal | None]
"""Looks at a request's body and refuses it, or lets it pass."""


class Proxy:
    """Forwards to the engine what its `rule` lets pass; the rule may be exchanged at any time."""

    def __init__(self, target: str, rule: Rule) -> None:
        self.rule = rule
        self.refused = 0
        self.forward_refused = False
        """Whether a refused request is carried out all the same, and only its answer is lost."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                body = b"".join(read_body(self.rfile, self.headers))
                refusal = outer.rule(body)
                if refusal is None:
                    self._forward(body)
                    return
                outer.refused += 1
                if outer.forward_refused:
                    self._ask(body)
                if refusal.status == 0:
                    self.close_connection = True
                    return
                headers = {} if refusal.code is None else {"X-ClickHouse-Exception-Code": str(refusal.code)}
                self._answer(refusal.status, headers, b"refused")

            def _forward(self, body: bytes) -> None:
                self._answer(*self._ask(body))

            def _ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
                engine = http.client.HTTPConnection(target, timeout=30)
                headers = {"Content-Length": str(len(body))}
                if "Content-Type" in self.headers:
                    headers["Content-Type"] = self.headers["Content-Type"]
                engine.request(self.command, self.path, body, headers)
                answer = engine.getresponse()
                data = answer.read()
                kept = {name: value for name, value in answer.getheaders() if name.startswith("X-")}
                engine.close()
                return answer.status, kept, data

            def _answer(self, status: int, headers: dict[str, str], data: bytes) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
