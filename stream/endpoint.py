"""The small HTTP endpoint of each process: /metrics, /healthz (alive), /readyz (able to work)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import orjson
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from stream import logs
from stream.errors import SettingRefused
from stream.settings import TelemetrySettings

Clock = Callable[[], float]
_STALE_S = 30.0


class Health:
    """What a loop says of itself: it beats at every turn, and it is ready once nothing is `missing`."""

    def __init__(self, *waiting_for: str, stale_s: float = _STALE_S, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._stale_s = stale_s
        self._last_beat = clock()
        self.missing: set[str] = set(waiting_for)

    def beat(self) -> None:
        """The loop turned once more."""
        self._last_beat = self._clock()

    def got(self, name: str) -> None:
        """Something we waited for is there."""
        self.missing.discard(name)

    def lost(self, name: str) -> None:
        """Something that we need is gone."""
        self.missing.add(name)

    def alive(self) -> tuple[bool, dict[str, Any]]:
        """Whether the loop turned within `stale_s` seconds, and when it last did."""
        age = self._clock() - self._last_beat
        return age < self._stale_s, {"last_beat_s": round(age, 3)}

    def ready(self) -> tuple[bool, dict[str, Any]]:
        """Whether everything we waited for is there, and what is not."""
        return not self.missing and self.alive()[0], {"missing": sorted(self.missing)}


class Endpoint:
    """Serves one registry and one health on a thread of its own; nothing at all where port is null."""

    def __init__(self, settings: TelemetrySettings, registry: CollectorRegistry, health: Health) -> None:
        self._settings = settings
        self._registry = registry
        self._health = health
        self._server: ThreadingHTTPServer | None = None

    @property
    def port(self) -> int | None:
        """The port it listens on, or null while it does not."""
        return self._server.server_address[1] if self._server else None

    def start(self) -> Self:
        """Listen. Raises SettingRefused where the port is taken."""
        if self._settings.port is None:
            return self
        try:
            self._server = ThreadingHTTPServer((self._settings.host, self._settings.port), self._handler())
        except OSError as error:
            raise SettingRefused(
                f"The metrics endpoint cannot listen at {self._settings.host}:{self._settings.port} "
                f"(RAGPULSE_TELEMETRY__PORT, RAGPULSE_TELEMETRY__HOST): {error.strerror}. "
                "Choose another port, or 0 for a free one."
            ) from error
        threading.Thread(target=self._server.serve_forever, name="endpoint", daemon=True).start()
        logs.get().info("endpoint", url=f"http://{self._settings.host}:{self.port}/metrics")
        return self

    def stop(self) -> None:
        """Stop listening."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        registry, health = self._registry, self._health

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/metrics":
                    self._answer(200, CONTENT_TYPE_LATEST, generate_latest(registry))
                elif self.path == "/healthz":
                    self._answer_health(*health.alive())
                elif self.path == "/readyz":
                    self._answer_health(*health.ready())
                else:
                    self._answer(404, "text/plain", b"/metrics, /healthz or /readyz\n")

            def _answer_health(self, fine: bool, facts: dict[str, Any]) -> None:
                body = orjson.dumps({"ok": fine, **facts}) + b"\n"
                self._answer(200 if fine else 503, "application/json", body)

            def _answer(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Scrapes are not news."""

        return Handler


__all__ = ["Clock", "Endpoint", "Health"]
