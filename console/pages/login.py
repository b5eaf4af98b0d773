"""Logging in with a token, logging out, and the choice of language."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Form, Response
from fastapi.responses import RedirectResponse

from console.refusals import TooManyTries
from console.routing import page_router
from console.security.roles import Role, allow, allow_anybody
from console.security.tokens import find_token
from console.visit import Person, Visiting
from console.words import LANGUAGES

router = page_router()


@router.get("/login", name="login")
@allow_anybody()
def show(visit: Visiting, next: str = "/") -> Response:
    """The form that takes a token."""
    cookie = visit.begin()
    return visit.keep(visit.page("login.html", next=own_path(next), wrong=False), cookie)


@router.post("/login")
@allow_anybody()
def log_in(
    visit: Visiting,
    token: Annotated[str, Form(max_length=4_096)] = "",
    next: Annotated[str, Form(max_length=4_096)] = "/",
) -> Response:
    """Open a session for whoever has the token."""
    address = visit.address
    wait_s = visit.tries.wait_s(address)
    if wait_s:
        visit.audit("login refused", why="too many tries")
        raise TooManyTries(wait_s)
    known = find_token(token, visit.config.tokens)
    if known is None:
        visit.tries.failed(address)
        visit.audit("login refused", why="no such token")
        return visit.page("login.html", 401, next=own_path(next), wrong=True)
    person = Person(known.name, known.role)
    response = RedirectResponse(after_login(next), 303)
    visit.open_session(person, response)
    visit.observer.audit("login", by=person.name, address=address, role=person.role.word)
    return response


@router.post("/logout")
@allow(Role.VIEWER)
def log_out(visit: Visiting) -> Response:
    """End the session."""
    response = RedirectResponse("/login", 303)
    visit.audit("logout")
    visit.end_session(response)
    return response


@router.post("/language")
@allow_anybody()
def choose_language(
    visit: Visiting,
    language: Annotated[str, Form(max_length=8)],
    next: Annotated[str, Form(max_length=4_096)] = "/",
) -> Response:
    """Remember the language in this browser, and go on where one was."""
    response = RedirectResponse(own_path(next), 303)
    if language in LANGUAGES:
        visit.remember_language(language, response)
    return response


def own_path(address: str) -> str:
    """An address within this console; the first page in place of others, and of what browsers misread."""
    parts = urlsplit(address) if address.isprintable() and "\\" not in address else None
    if parts is None or parts.scheme or parts.netloc or not parts.path.startswith("/"):
        return "/"
    path = f"/{parts.path.lstrip('/')}"
    return f"{path}?{parts.query}" if parts.query else path


def after_login(address: str) -> str:
    """Where one goes once logged in: not to the login again."""
    path = own_path(address)
    return "/" if path.partition("?")[0] in ("/login", "/logout") else path


__all__ = ["after_login", "own_path", "router"]
