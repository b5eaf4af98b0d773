"""What a request must look like before anybody reads it: the host that it asks for, and its size."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from console.answers import answer_refusal
from console.refusals import Refused

_LONGEST_ADDRESS: Final = 4_096


class BodyTooLarge(Exception):
    """More came than is allowed, whatever length was announced."""


class Intake:
    """Refuses requests for other hosts (DNS rebinding), with long addresses, or with large bodies."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], max_body_bytes: int) -> None:
        self._app, self._hosts, self._most = app, hosts, max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refuse(scope)
        if refused is not None:
            await answer_refusal(Request(scope), refused)(scope, receive, send)
            return
        body = _Body(receive, send, self._most)
        with suppress(BodyTooLarge):
            await self._app(scope, body.receive, body.send)
        if body.too_large and not body.answered:
            await answer_refusal(Request(scope), Refused("error.too_large", status=413))(scope, receive, send)

    def _refuse(self, scope: Scope) -> Refused | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or host_name(hosts[0]) not in self._hosts:
            return Refused("error.host", status=421)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > _LONGEST_ADDRESS:
            return Refused("error.address_too_long", status=414)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._most:
            return Refused("error.too_large", status=413)
        return None


class _Body:
    """Counts what comes. Once it is too much, whatever the application makes of half of it is not sent."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive, self._send, self._most = receive, send, most
        self._came = 0
        self.too_large = self.answered = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._came += len(message.get("body", b""))
        if self._came > self._most:
            self.too_large = True
            raise BodyTooLarge
        return message

    async def send(self, message: Message) -> None:
        if not self.too_large or self.answered:
            self.answered = True
            await self._send(message)


def host_name(header: str) -> str:
    """The name in a Host header, without the port, in lower case."""
    name = header.strip().lower()
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0].rstrip(".")


__all__ = ["BodyTooLarge", "Intake", "host_name"]
