"""The next version of a golden set, for programs of admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Path
from pydantic import BaseModel, ConfigDict, Field

from console.pages.golden_grow import NAME
from console.routing import api_router
from console.security.roles import Role, allow
from console.visit import Visiting

router = api_router("golden")


class GrowRequest(BaseModel):
    """Why there is to be a new version, and how far back labels are taken in."""

    model_config = ConfigDict(extra="forbid")

    why: str = Field(min_length=1, max_length=500)
    days: float = Field(default=90.0, gt=0, le=3_650)


class GrownSet(BaseModel):
    """What came of it: the newest version now, and whether it was made just now."""

    name: str
    version: str
    cases: int
    added: int
    is_new: bool


@router.post(
    "/golden/{name}/versions", operation_id="growGoldenSet", summary="Make the next version of a set"
)
@allow(Role.ADMIN)
def grow(
    visit: Visiting, name: Annotated[str, Path(pattern=NAME)], wanted: Annotated[GrowRequest, Body()]
) -> GrownSet:
    """Takes in what people agreed on; where there is nothing new, the newest version stays."""
    grown = visit.grow(name, days=wanted.days, why=wanted.why)
    return GrownSet(
        name=grown.name,
        version=grown.version,
        cases=grown.cases,
        added=grown.added,
        is_new=grown.is_new,
    )


__all__ = ["router"]
