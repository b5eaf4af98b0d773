"""A TCP line before a server that can be unplugged, slowed, or hold back what is sent through it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Self

_CHUNK = 64 * 1024
_LOOPBACK = "127.0.0.1"


class Wire:
    """Forwards bytes both ways to `target()` (host:port, asked for each connection).

    It runs in a thread with an event loop of its own; its methods may be called from any other thread.
    The address stays the same while it is unplugged and plugged in again.
    """

    def __init__(self, target: Callable[[], str], host: str = _LOOPBACK) -> None:
        self._target = target
        self._host = host
        self._loop = asyncio.new_event_loop()
        self._flows = asyncio.Event()
        self._delay_s = 0.0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        with socket.socket() as probe:
            probe.bind((host, 0))
            self.port: int = probe.getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"wire-{self.port}", daemon=True)

    @property
    def address(self) -> str:
        """host:port for clients."""
        return f"{self._host}:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._loop.call_soon_threadsafe(self._flows.set)
        self.plug_in()
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def plug_in(self) -> None:
        """Take connections (again)."""
        self._do(self._listen())

    def unplug(self) -> None:
        """Refuse connections, and reset those there are."""
        self._do(self._close())

    def cut(self) -> None:
        """Reset all connections there are; new ones are taken."""
        self._do(self._reset())

    def hold(self) -> None:
        """Let nothing through in either direction: a network that is gone, seen from both its sides."""
        self._loop.call_soon_threadsafe(self._flows.clear)

    def let_go(self) -> None:
        """Deliver what was held back, and go on."""
        self._loop.call_soon_threadsafe(self._flows.set)

    def slow_down(self, delay_s: float) -> None:
        """Hold each piece of up to 64 KB back for so long; 0 for no longer."""
        self._delay_s = delay_s

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._serve, self._host, self.port)

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        await self._reset()

    async def _reset(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = self._target().rsplit(":", 1)
        try:
            there, back = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        try:
            await asyncio.gather(self._pump(reader, back), self._pump(there, writer))
        finally:
            self._writers -= {writer, back}
            for end in (writer, back):
                end.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                await self._flows.wait()
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()


__all__ = ["Wire"]
