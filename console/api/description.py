"""What the API says of itself: OpenAPI, with the role that each operation asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from console.routing import GuardedRoute

_ABOUT: Final = (
    "The operations of the console's pages. Send a token as `Authorization: Bearer …`. With the cookie of a "
    "session instead, each change must carry its form token in the header `X-CSRF-Token`. Errors are problem "
    "details (RFC 9457)."
)
_VERSION: Final = "1"


def describe(routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The OpenAPI document of all routes that are operations of the API."""
    document = get_openapi(
        title="ragpulse console", version=_VERSION, description=_ABOUT, routes=list(routes)
    )
    document.setdefault("components", {})["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "ragpulse_session"},
    }
    for route in routes:
        if isinstance(route, GuardedRoute) and isinstance(route, APIRoute) and route.include_in_schema:
            for method in route.methods or ():
                operation = document["paths"][route.path_format][method.lower()]
                role = route.rule.role
                operation["security"] = [{"token": []}, {"session": []}] if role else []
                operation["x-role"] = role.word if role else "anybody"
    return document


__all__ = ["describe"]
