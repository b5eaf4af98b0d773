"""The web server: uvicorn on a thread, on a port that is known before it starts."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Final, Self

import uvicorn

from stream.errors import RagpulseError, SettingRefused

GRACE_S: Final = 10
"""For requests in work when the process is asked to stop."""
_BACKLOG: Final = 128
_MOST: Final = 500
"""Connections at once; further ones are told 503."""


class ServerDied(RagpulseError):
    """The web server ended though nobody asked it to."""


class WebServer:
    """Serves one ASGI application until it is left.

    What `proxies` (addresses or networks) say of whom they speak for is believed, and nobody else: otherwise
    all who come through one proxy would share its address, and one who guesses tokens would lock out all.
    """

    def __init__(self, app: Any, host: str, port: int, proxies: Sequence[str] = ()) -> None:
        self._socket = listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            http="h11",
            loop="asyncio",
            ws="none",
            lifespan="off",
            limit_concurrency=_MOST,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=GRACE_S,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)

    @property
    def alive(self) -> bool:
        """Whether it serves."""
        return self._thread.is_alive()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(GRACE_S + 5.0)
        self._socket.close()

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises SettingRefused where that is impossible."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        raise SettingRefused(
            f"The console cannot listen at {host}:{port} (RAGPULSE_CONSOLE__HOST, RAGPULSE_CONSOLE__PORT): "
            f"{error.strerror}. Choose another port, or 0 for a free one."
        ) from error
    return listener


__all__ = ["GRACE_S", "ServerDied", "WebServer", "listen"]
