"""Each request is counted and timed, and what nobody foresaw becomes a page too."""

from __future__ import annotations

import time

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from console.answers import answer_crash
from console.observing import Observer
from console.security.intake import BodyTooLarge


class Watching:
    """Tells the observer of each request, by the pattern of its route: addresses may hold what is private."""

    def __init__(self, app: ASGIApp, observer: Observer) -> None:
        self._app, self._observer = app, observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.monotonic(), 0

        async def note_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note_status)
        finally:
            seconds = time.monotonic() - begun
            self._observer.request(route_of(scope), scope["method"], status, seconds)


class Catching:
    """Answers what a handler did not foresee, and writes it down once."""

    def __init__(self, app: ASGIApp, observer: Observer) -> None:
        self._app, self._observer = app, observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def note_begin(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, note_begin)
        except Exception as error:
            if begun or isinstance(error, BodyTooLarge):
                raise
            self._observer.crashed(route_of(scope), error)
            await answer_crash(Request(scope))(scope, receive, send)


def route_of(scope: Scope) -> str:
    """The pattern of the route that answered; `none` where there was none."""
    path = getattr(scope.get("route"), "path", None)
    if path is None:
        return "/static" if scope["path"].startswith("/static/") else "none"
    return str(path)


__all__ = ["Catching", "Watching", "route_of"]
