"""One case to label: by the form of a page, wholly by keys, with or without a script."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query, Request, Response
from fastapi.responses import RedirectResponse

from console.labels import CLASSES, KINDS, REFUSALS, LabelRefused, Said, annotation_of, said_in, said_of
from console.refusals import NotFound
from console.rendering.shown import ShownCase, show_case
from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visit, Visiting
from judges.annotation.votes import Vote
from schemas.annotation import Annotation, AnnotationItem, ItemRole
from sinks.annotation import Claimed, LeaseLost

router = page_router()


async def posted(request: Request) -> Said:
    """The form that was sent."""
    return said_in((await request.form()).multi_items())


Posted = Annotated[Said, Depends(posted)]


@router.get("/queue/label/{lease_id}", name="label")
@allow(Role.ANNOTATOR)
def show(visit: Visiting, lease_id: str, last: Annotated[str, Query(max_length=200)] = "") -> Response:
    """The case, and the form. `last`: the case before it, whose label can be changed."""
    held = visit.queue.held_by(visit.who.name)
    claimed = _held(held, lease_id)
    return _page(visit, claimed.item, Said(), held=held, claimed=claimed, last=last)


@router.post("/queue/label/{lease_id}")
@allow(Role.ANNOTATOR)
def label(visit: Visiting, lease_id: str, said: Posted) -> Response:
    """Store what was said, and go on with the next case."""
    held = visit.queue.held_by(visit.who.name)
    claimed = _held(held, lease_id)
    try:
        annotation = _annotation(claimed.item, said)
    except LabelRefused as refused:
        return _page(visit, claimed.item, said, held=held, claimed=claimed, refused=refused)
    visit.queue.label(lease_id, visit.who.name, annotation)
    return _done(visit, "case labelled", claimed.item.item_id)


@router.post("/queue/skip/{lease_id}")
@allow(Role.ANNOTATOR)
def skip(visit: Visiting, lease_id: str) -> Response:
    """I cannot tell: others get the case."""
    item_id = _held(visit.queue.held_by(visit.who.name), lease_id).item.item_id
    visit.queue.skip(lease_id, visit.who.name)
    return _done(visit, "case skipped", item_id)


@router.post("/queue/release/{lease_id}")
@allow(Role.ANNOTATOR)
def release(visit: Visiting, lease_id: str) -> Response:
    """Give it back without a word."""
    visit.queue.release(lease_id, visit.who.name)
    visit.standings.forget()
    visit.audit("case given back")
    return RedirectResponse("/queue/next", 303)


@router.get("/queue/again/{item_id}", name="again")
@allow(Role.ANNOTATOR)
def show_again(visit: Visiting, item_id: str) -> Response:
    """A case that one has labelled, with what one said: undo."""
    case = visit.queue.case(item_id)
    vote = _own_vote(visit, case.votes)
    held = visit.queue.held_by(visit.who.name)
    return _page(visit, case.item, said_of(vote.said), held=held, again=True)


@router.post("/queue/again/{item_id}")
@allow(Role.ANNOTATOR)
def label_again(visit: Visiting, item_id: str, said: Posted) -> Response:
    """Say something else of it: the last word counts."""
    case = visit.queue.case(item_id)
    _own_vote(visit, case.votes)
    try:
        annotation = _annotation(case.item, said)
    except LabelRefused as refused:
        held = visit.queue.held_by(visit.who.name)
        return _page(visit, case.item, said, held=held, again=True, refused=refused)
    visit.queue.vote(item_id, visit.who.name, annotation, source="console")
    return _done(visit, "label changed", item_id)


@router.get("/queue/conflict/{item_id}", name="conflict")
@allow(Role.ADMIN)
def show_conflict(visit: Visiting, item_id: str) -> Response:
    """A case whose votes contradict each other, with all of them beside it."""
    case = visit.queue.case(item_id)
    return _page(visit, case.item, Said(), votes=case.votes)


@router.post("/queue/conflict/{item_id}")
@allow(Role.ADMIN)
def arbitrate(visit: Visiting, item_id: str, said: Posted) -> Response:
    """The last word, by somebody who had none before."""
    case = visit.queue.case(item_id)
    try:
        annotation = _annotation(case.item, said)
    except LabelRefused as refused:
        return _page(visit, case.item, said, votes=case.votes, refused=refused)
    visit.queue.arbitrate(item_id, visit.who.name, annotation)
    visit.standings.forget()
    visit.audit("conflict settled", item_id=item_id)
    return RedirectResponse("/queue", 303)


def _page(
    visit: Visit,
    item: AnnotationItem,
    said: Said,
    *,
    held: list[Claimed] | None = None,
    claimed: Claimed | None = None,
    votes: tuple[Vote, ...] = (),
    again: bool = False,
    last: str = "",
    refused: LabelRefused | None = None,
) -> Response:
    return visit.page(
        "label.html",
        200 if refused is None else 422,
        item=item,
        case=_shown(item),
        said=said,
        held=held or [],
        claimed=claimed,
        votes=votes,
        again=again,
        last=last,
        refused=refused,
        standing=visit.standings.last(),
        classes=CLASSES,
        refusals=REFUSALS,
        kinds=KINDS,
    )


def _held(held: list[Claimed], lease_id: str) -> Claimed:
    for claimed in held:
        if claimed.lease_id == lease_id:
            return claimed
    raise LeaseLost("This case is no longer yours: the lease ended, or expired and went to another.")


def _own_vote(visit: Visit, votes: tuple[Vote, ...]) -> Vote:
    for vote in votes:
        if vote.annotator == visit.who.name and vote.role is not ItemRole.ARBITRATION:
            return vote
    raise NotFound("item")


def _annotation(item: AnnotationItem, said: Said) -> Annotation:
    case = _shown(item)
    return annotation_of(said, case.claims, [chunk.id for chunk in case.chunks or ()])


def _shown(item: AnnotationItem) -> ShownCase:
    return show_case(item.payload, item.language)


def _done(visit: Visit, event: str, item_id: str) -> Response:
    visit.standings.forget()
    visit.audit(event, item_id=item_id)
    return RedirectResponse(f"/queue/next?{urlencode({'last': item_id})}", 303)


__all__ = ["router"]
