"""The queue for programs: claim, heartbeat, label, skip, give back, arbitrate; figures and agreement."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from console.refusals import Refused
from console.routing import api_router
from console.security.roles import Role, allow
from console.visit import Visiting
from schemas.annotation import Annotation
from sinks.annotation import Claimed

router = api_router("queue")

LeaseId = Annotated[str, Path(max_length=200)]
ItemId = Annotated[str, Path(max_length=200)]


class ClaimRequest(BaseModel):
    """How many cases, and of which kind; empty lists: of any."""

    model_config = ConfigDict(extra="forbid")

    n: int = Field(default=3, ge=1, le=50)
    languages: list[str] = Field(default=[], max_length=20)
    reasons: list[str] = Field(default=[], max_length=20)


class HeldCase(BaseModel):
    """A case in somebody's hands, redacted: its trace alone, without what scorer and judges said of it."""

    lease_id: str
    expires_at: datetime
    annotator: str
    item: dict[str, Any]

    @classmethod
    def of(cls, claimed: Claimed) -> HeldCase:
        """What the queue handed out."""
        return cls(
            lease_id=claimed.lease_id,
            expires_at=claimed.expires_at,
            annotator=claimed.annotator,
            item=claimed.item.as_facts(blind=True),
        )


class Cases(BaseModel):
    """Cases in one's hands."""

    cases: list[HeldCase]


class Beat(BaseModel):
    """Until when the lease lasts now."""

    expires_at: datetime


class SaidVote(BaseModel):
    """What one annotator said; `label` is null for a skip."""

    annotator: str
    role: str
    at: datetime
    label: Annotation | None


class ItemState(BaseModel):
    """A case of the queue, redacted, and what became of it. What scorer and judges said is shown to admins
    alone."""

    item: dict[str, Any]
    state: str
    disagreements: list[str]
    label: Annotation | None
    votes: list[SaidVote]
    """One's own alone, for whoever is no admin: whoever knows what others said follows them."""


@router.post("/queue/claims", operation_id="claimCases", summary="Claim the next cases")
@allow(Role.ANNOTATOR)
def claim(visit: Visiting, wanted: Annotated[ClaimRequest, Body()]) -> Cases:
    """Up to `n` cases that nobody holds and one has no say in yet, the next first; none: nothing is left."""
    claimed = visit.queue.claim(visit.who.name, wanted.n, languages=wanted.languages, reasons=wanted.reasons)
    visit.audit("cases claimed", cases=len(claimed))
    return Cases(cases=[HeldCase.of(one) for one in claimed])


@router.get("/queue/leases", operation_id="listLeases", summary="The cases that I hold")
@allow(Role.ANNOTATOR)
def held(visit: Visiting) -> Cases:
    """All leases of whoever asks, the first granted first."""
    return Cases(cases=[HeldCase.of(one) for one in visit.queue.held_by(visit.who.name)])


@router.post("/queue/leases/{lease_id}/heartbeat", operation_id="keepLease", summary="Keep a case longer")
@allow(Role.ANNOTATOR)
def heartbeat(visit: Visiting, lease_id: LeaseId) -> Beat:
    """Prolong a lease to its whole time."""
    return Beat(expires_at=visit.queue.heartbeat(lease_id, visit.who.name))


@router.delete(
    "/queue/leases/{lease_id}", operation_id="giveBack", summary="Give a case back", status_code=204
)
@allow(Role.ANNOTATOR)
def release(visit: Visiting, lease_id: LeaseId) -> Response:
    """Without a word; others get it."""
    visit.queue.release(lease_id, visit.who.name)
    visit.standings.forget()
    visit.audit("case given back")
    return Response(status_code=204)


@router.post(
    "/queue/leases/{lease_id}/label", operation_id="labelCase", summary="Label a case", status_code=204
)
@allow(Role.ANNOTATOR)
def label(visit: Visiting, lease_id: LeaseId, said: Annotation) -> Response:
    """Store the label, then end the lease."""
    visit.queue.label(lease_id, visit.who.name, said, source="api")
    visit.standings.forget()
    visit.audit("case labelled")
    return Response(status_code=204)


@router.post(
    "/queue/leases/{lease_id}/skip", operation_id="skipCase", summary="I cannot tell", status_code=204
)
@allow(Role.ANNOTATOR)
def skip(visit: Visiting, lease_id: LeaseId) -> Response:
    """Others get the case."""
    visit.queue.skip(lease_id, visit.who.name, source="api")
    visit.standings.forget()
    visit.audit("case skipped")
    return Response(status_code=204)


@router.put(
    "/queue/items/{item_id}/label", operation_id="changeLabel", summary="Change my label", status_code=204
)
@allow(Role.ANNOTATOR)
def change(visit: Visiting, item_id: ItemId, said: Annotation) -> Response:
    """The last word counts. Only of a case that one has labelled or skipped."""
    case = visit.queue.case(item_id)
    if visit.who.name not in {vote.annotator for vote in case.votes}:
        raise Refused("error.not_labelled", status=404)
    visit.queue.vote(item_id, visit.who.name, said, source="api")
    visit.standings.forget()
    visit.audit("label changed", item_id=item_id)
    return Response(status_code=204)


@router.get("/queue/items/{item_id}", operation_id="getItem", summary="A case of the queue")
@allow(Role.VIEWER)
def item(visit: Visiting, item_id: ItemId) -> ItemState:
    """Redacted. Others' votes, and what scorer and judges said, are shown to admins alone."""
    case = visit.queue.case(item_id)
    outcome = case.outcome
    shows_all = visit.may("admin")
    return ItemState(
        item=case.item.as_facts(blind=not shows_all),
        state=outcome.state.value,
        disagreements=list(outcome.disagreements) if shows_all else [],
        label=outcome.label if shows_all else None,
        votes=[
            SaidVote(annotator=vote.annotator, role=vote.role.value, at=vote.at, label=vote.said)
            for vote in case.votes
            if shows_all or vote.annotator == visit.who.name
        ],
    )


@router.get("/queue/stats", operation_id="queueStats", summary="The queue in figures")
@allow(Role.VIEWER)
def stats(visit: Visiting) -> dict[str, Any]:
    """How many cases are where, by reason, stage, language and annotator."""
    return visit.standings.read().stats.as_dict()


@router.get("/queue/agreement", operation_id="agreement", summary="How far annotators agree")
@allow(Role.VIEWER)
def agreement(visit: Visiting) -> dict[str, Any]:
    """Krippendorff's alpha and Cohen's kappa with intervals, by question."""
    return {name: one.as_dict() for name, one in visit.standings.read().agreement.items()}


@router.get(
    "/queue/conflicts", operation_id="listConflicts", summary="Cases whose votes contradict each other"
)
@allow(Role.ADMIN)
def conflicts(visit: Visiting) -> dict[str, Any]:
    """The most valuable first."""
    found = [
        {"item_id": one.item.item_id, "about": list(one.about), "voters": [v.annotator for v in one.votes]}
        for one in visit.queue.conflicts()
    ]
    return {"conflicts": found}


@router.post(
    "/queue/conflicts/{item_id}", operation_id="arbitrate", summary="Settle a conflict", status_code=204
)
@allow(Role.ADMIN)
def arbitrate(visit: Visiting, item_id: ItemId, said: Annotation) -> Response:
    """The last word, by somebody who had no say in the case."""
    visit.queue.arbitrate(item_id, visit.who.name, said, source="api")
    visit.standings.forget()
    visit.audit("conflict settled", item_id=item_id)
    return Response(status_code=204)


__all__ = ["router"]
