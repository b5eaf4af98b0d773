"""A stand-in for a RAG system over HTTP: answers like the simulated help desk, and misbehaves on request."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks._golden_desk import Change, answer
from judges.golden import GoldenSet

Reply = tuple[int, dict[str, Any] | bytes]


class StandInRag:
    """Answers POST with the desk's reply to the case; `script` are the next replies instead."""

    def __init__(self, golden: GoldenSet, change: Change | None = None) -> None:
        self.cases = {case.case_id: case for case in golden.cases}
        self.change = change
        self.script: list[Reply] = []
        self.behave: Callable[[dict[str, Any]], Reply | None] = lambda body: None
        self.after_s = 0.0
        self.asked: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.in_flight = self.most_in_flight = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/ask"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, name="stand-in-rag", daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, body: dict[str, Any]) -> Reply:
        with self._lock:
            if self.script:
                return self.script.pop(0)
        if (special := self.behave(body)) is not None:
            return special
        said = answer(self.cases[body["case_id"]], self.change)
        return 200, {"answer": said["answer"], "chunks": said["retrieval"]["chunks"]}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        rag = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                with rag._lock:
                    rag.asked[body.get("case_id", "")] += 1
                    rag.bodies.append(body)
                    rag.headers.append(dict(self.headers))
                    rag.paths.append(self.path)
                    rag.in_flight += 1
                    rag.most_in_flight = max(rag.most_in_flight, rag.in_flight)
                time.sleep(rag.after_s)
                status, said = rag.reply(body)
                data = said if isinstance(said, bytes) else json.dumps(said).encode()
                with rag._lock:
                    rag.in_flight -= 1
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True  # whoever asked has gone

            def log_message(self, format: str, *args: Any) -> None:
                """Requests are not news."""

        return Handler


@contextmanager
def stand_in_rag(golden: GoldenSet, change: Change | None = None) -> Iterator[StandInRag]:
    """A system while the body runs."""
    rag = StandInRag(golden, change)
    rag.start()
    try:
        yield rag
    finally:
        rag.stop()


__all__ = ["StandInRag", "stand_in_rag"]
