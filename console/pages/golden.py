"""The page golden."""

from __future__ import annotations

from fastapi import Response

from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting

router = page_router()


@router.get("/golden", name="golden")
@allow(Role.VIEWER)
def show(visit: Visiting) -> Response:
    """The page."""
    return visit.page("golden.html")


__all__ = ["router"]
