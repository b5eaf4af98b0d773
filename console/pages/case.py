"""One case: what was asked, found, answered, and what is said of it."""

from __future__ import annotations

from fastapi import Response

from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting

router = page_router()


@router.get("/case/{trace_id}", name="case")
@allow(Role.VIEWER)
def show(visit: Visiting, trace_id: str) -> Response:
    """The page."""
    return visit.page("case.html", trace_id=trace_id)


__all__ = ["router"]
