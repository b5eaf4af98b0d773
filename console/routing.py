"""Routers whose routes ask who is there before they read what was sent."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from console.security.guard import admit
from console.security.roles import Rule, rule_of


class GuardedRoute(APIRoute):
    """A route with a rule. One that has none cannot be defined."""

    @property
    def rule(self) -> Rule:
        """Who may use it."""
        rule = rule_of(self.endpoint)
        if rule is None:
            raise TypeError(f"{self.path}: say who may use it (console.security.roles.allow)")
        return rule

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind the door."""
        rule, handle = self.rule, super().get_route_handler()

        async def guarded(request: Request) -> Response:
            await admit(request, rule)
            return await handle(request)

        return guarded


def page_router() -> APIRouter:
    """For pages: no part of the API's description."""
    return APIRouter(route_class=GuardedRoute, include_in_schema=False)


def api_router(tag: str) -> APIRouter:
    """For operations under /api/v1, described by OpenAPI under this tag."""
    return APIRouter(route_class=GuardedRoute, tags=[tag], prefix="/api/v1")


__all__ = ["GuardedRoute", "api_router", "page_router"]
