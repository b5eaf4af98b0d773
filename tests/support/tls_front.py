"""TLS before a server that speaks none: what comes in is passed on, byte by byte."""

from __future__ import annotations

import socket
import ssl
import threading
from types import TracebackType
from typing import Self

from tests.support.pki import Pair

_PIECE = 1 << 16


class TlsFront:
    """Listens on loopback with a certificate; asks for one of a client's where `client_ca` is given."""

    def __init__(self, target: str, shown: Pair, client_ca: str | None = None) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(shown.certificate, shown.key)
        if client_ca:
            self._context.load_verify_locations(client_ca)
            self._context.verify_mode = ssl.CERT_REQUIRED
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.heads: list[bytes] = []
        """The first bytes of each connection: what a client says of itself."""

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(raw,), daemon=True).start()

    def _serve(self, raw: socket.socket) -> None:
        raw.settimeout(30)
        try:
            inner = self._context.wrap_socket(raw, server_side=True)
        except OSError:  # of which an SSLError is one: whoever came does not like us, or we him
            raw.close()
            return
        with inner, socket.create_connection(self._target, timeout=30) as outer:
            back = threading.Thread(target=_copy, args=(outer, inner, None), daemon=True)
            back.start()
            _copy(inner, outer, self.heads)
            back.join(30)


def _copy(source: socket.socket, target: socket.socket, heads: list[bytes] | None) -> None:
    first = True
    try:
        while piece := source.recv(_PIECE):
            if first and heads is not None:
                heads.append(piece)
            first = False
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:  # one of the two has gone, which ends both
        source.close()
