"""The queue: its figures, what one holds, and the next cases to claim."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Form, Query, Response
from fastapi.responses import RedirectResponse

from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting

router = page_router()


@router.get("/queue", name="queue")
@allow(Role.VIEWER)
def show(
    visit: Visiting,
    empty: Annotated[bool, Query()] = False,
    last: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Counts, agreement, and for annotators what they hold. `last`: the case that was labelled just now."""
    held = visit.queue.held_by(visit.who.name) if visit.may("annotator") else []
    conflicts = visit.queue.conflicts() if visit.may("admin") else []
    return visit.page(
        "queue.html", standing=visit.standings.read(), held=held, conflicts=conflicts, empty=empty, last=last
    )


@router.get("/queue/figures", name="queue figures")
@allow(Role.VIEWER)
def show_figures(visit: Visiting) -> Response:
    """The part of the page that changes while one looks at it."""
    return visit.page("queue_fragment.html", standing=visit.standings.read())


@router.post("/queue/claim")
@allow(Role.ANNOTATOR)
def claim(
    visit: Visiting,
    n: Annotated[int, Form(ge=1, le=50)],
    language: Annotated[str, Form(max_length=35)] = "",
) -> Response:
    """Take the next cases; what one holds already comes first."""
    claimed = visit.queue.claim(visit.who.name, n, languages=[language] if language else ())
    visit.audit("cases claimed", cases=len(claimed))
    if not claimed and not visit.queue.held_by(visit.who.name):
        return RedirectResponse("/queue?empty=1", 303)
    return RedirectResponse("/queue/next", 303)


@router.get("/queue/next")
@allow(Role.ANNOTATOR)
def go_on(visit: Visiting, last: Annotated[str, Query(max_length=200)] = "") -> Response:
    """To the first case that one holds, or back to the queue."""
    held = visit.queue.held_by(visit.who.name)
    if not held:
        return RedirectResponse(f"/queue{_query(last)}", 303)
    return RedirectResponse(f"/queue/label/{held[0].lease_id}{_query(last)}", 303)


def _query(last: str) -> str:
    return f"?{urlencode({'last': last})}" if last else ""


__all__ = ["router"]
