"""The door: who comes, whether they may, and whether a change was really meant by them."""

from __future__ import annotations

from typing import Final

from fastapi import Request

from console.refusals import FormRefused, NotAllowed, NotLoggedIn, TooManyTries
from console.security.roles import Rule
from console.visit import Visit, visit_of

SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
FORM_FIELD: Final = "csrf"
FORM_HEADER: Final = "x-csrf-token"
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")


async def admit(request: Request, rule: Rule) -> None:
    """Let a request in, or raise Refused. Nothing of its body is read before its sender is known."""
    visit = visit_of(request)
    if visit.locked_s:
        raise TooManyTries(visit.locked_s)
    if rule.role is not None:
        if visit.person is None:
            raise NotLoggedIn
        if visit.person.role < rule.role:
            raise NotAllowed(rule.role.word)
    if request.method not in SAFE and not visit.by_bearer:
        await _require_own_form(request, visit)


async def _require_own_form(request: Request, visit: Visit) -> None:
    """A browser sends cookies with whatever form any site makes: only ours know the token of the visit."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise FormRefused
    given = request.headers.get(FORM_HEADER)
    if given is None and request.headers.get("content-type", "").startswith(_FORMS):
        field = (await request.form()).get(FORM_FIELD)
        given = field if isinstance(field, str) else None
    if given is None or not visit.is_form_token(given):
        raise FormRefused


__all__ = ["FORM_FIELD", "FORM_HEADER", "SAFE", "admit"]
