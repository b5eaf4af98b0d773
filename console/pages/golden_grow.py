"""The next version of a golden set, made by an admin of what people agreed on in the queue."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import quote, urlencode

from fastapi import Form, Response
from fastapi.responses import RedirectResponse

from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting
from judges.golden import NAME as SET_NAME

router = page_router()
NAME: Final = f"^{SET_NAME.pattern}$"


@router.post("/golden/grow")
@allow(Role.ADMIN)
def grow(
    visit: Visiting,
    name: Annotated[str, Form(pattern=NAME)],
    why: Annotated[str, Form(min_length=1, max_length=500)],
    days: Annotated[float, Form(gt=0, le=3_650)] = 90.0,
) -> Response:
    """Grow it, and show it; where nobody agreed on anything yet, back to the sets."""
    grown = visit.grow(name, days=days, why=why)
    if not grown.cases:
        return RedirectResponse(f"/golden?{urlencode({'grown': '0'})}", 303)
    return RedirectResponse(f"/golden/{quote(name)}?{urlencode({'grown': grown.added})}", 303)


__all__ = ["router"]
