"""A stand-in for whoever takes verdicts over HTTP: keeps what it is sent, and misbehaves on request."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """What it answers once. `after_s`: how long it keeps whoever asks waiting before."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    after_s: float = 0.0
    drip_s: float = 0.0
    """Seconds between the bytes of the body."""


@dataclass(frozen=True, slots=True)
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float
    status: int


class StandInReceiver:
    """Answers with `script`, one after the other, and then with `usual`."""

    def __init__(self, script: list[Answer], usual: Answer) -> None:
        self.received: list[Received] = []
        self._script, self._usual = list(script), usual
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def taken(self) -> list[Received]:
        """The requests that were answered with a yes."""
        return [request for request in self.received if request.status < 300]

    def answer(self, body: bytes) -> Answer:
        """What a request gets; a test may put a function of its own here."""
        return self._script.pop(0) if self._script else self._usual

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, name="receiver", daemon=True).start()

    def stop(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer = receiver.answer(body)
                receiver.received.append(
                    Received(self.path, dict(self.headers), body, time.monotonic(), answer.status)
                )
                if receiver._closing.wait(answer.after_s) and answer.after_s:
                    return
                self._answer(answer)

            def _answer(self, answer: Answer) -> None:
                try:
                    self.send_response(answer.status)
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    for byte in answer.body if answer.drip_s else ():
                        self.wfile.write(bytes([byte]))
                        if receiver._closing.wait(answer.drip_s):
                            return
                    if not answer.drip_s:
                        self.wfile.write(answer.body)
                except OSError:
                    self.close_connection = True  # whoever asked has gone

            def log_message(self, format: str, *args: Any) -> None:
                """Requests are not news."""

        return Handler


@contextmanager
def stand_in_receiver(*script: Answer, usual: Answer | None = None) -> Iterator[StandInReceiver]:
    """A receiver while the body runs."""
    receiver = StandInReceiver(list(script), usual or Answer())
    receiver.start()
    try:
        yield receiver
    finally:
        receiver.stop()


__all__ = ["Answer", "Received", "StandInReceiver", "stand_in_receiver"]
