"""The page incidents."""

from __future__ import annotations

from fastapi import Response

from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting

router = page_router()


@router.get("/incidents", name="incidents")
@allow(Role.VIEWER)
def show(visit: Visiting) -> Response:
    """The page."""
    return visit.page("incidents.html")


__all__ = ["router"]
