"""What the API says of itself and of whoever asks."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from console.routing import api_router, page_router
from console.security.roles import Role, allow, allow_anybody
from console.visit import Visiting

router = api_router("about")
document = page_router()


class Whoami(BaseModel):
    """Who a token or a session belongs to."""

    name: str
    role: str
    form_token: str | None = None
    """For the header X-CSRF-Token; null where a bearer token was sent, which needs none."""


@router.get("/me", operation_id="whoami", summary="Who I am, and what I may do")
@allow(Role.VIEWER)
def whoami(visit: Visiting) -> Whoami:
    """Name and role of whoever asks."""
    token = None if visit.by_bearer else visit.form_token
    return Whoami(name=visit.who.name, role=visit.who.role.word, form_token=token)


@document.get("/api/openapi.json")
@allow_anybody()
def openapi(request: Request) -> JSONResponse:
    """The description of the API."""
    return JSONResponse(request.app.state.description)


__all__ = ["document", "router"]
