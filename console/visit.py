"""One request as a page sees it: who comes, in which language, and what it may draw on."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import Depends, Request, Response
from fastapi.responses import HTMLResponse

from console.growing import Grower, Grown
from console.observing import Observer
from console.refusals import Refused
from console.security.roles import Role
from console.security.sessions import Sessions
from console.security.tokens import find_token
from console.security.tries import Tries
from console.standing import Standings
from console.words import LANGUAGES, Words

if TYPE_CHECKING:
    from jinja2 import Environment

    from console.config import ConsoleConfig
    from sinks.annotation import AnnotationQueue
    from sinks.clickhouse.client import ClickHouse

SESSION_COOKIE: Final = "ragpulse_session"
VISIT_COOKIE: Final = "ragpulse_visit"
"""Of browsers that are not logged in: binds the login form to the browser that asked for it."""
LANGUAGE_COOKIE: Final = "ragpulse_language"
HOST_PREFIX: Final = "__Host-"
"""Over TLS, browsers take a cookie of such a name from this very host alone: no neighbour can plant one."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What all requests share; `app.state.parts`."""

    config: ConsoleConfig
    store: ClickHouse
    queue: AnnotationQueue
    standings: Standings
    grower: Grower | None
    sessions: Sessions
    tries: Tries
    templates: Environment
    observer: Observer
    clock: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Person:
    """Who comes: the name of the token, which labels and audit lines carry too."""

    name: str
    role: Role


class Visit:
    """What a handler is given: `store`, `queue`, `page`, `say`, `audit`, `person`."""

    def __init__(self, request: Request, parts: Parts) -> None:
        self.request, self._parts = request, parts
        self.config, self.observer = parts.config, parts.observer
        self.store, self.queue, self.tries = parts.store, parts.queue, parts.tries
        self.standings = parts.standings
        self.by_bearer = False
        self.locked_s = 0.0
        """Seconds that this address must wait after too many wrong tokens (bearer tokens alone)."""
        self.person: Person | None = None
        self._form_key = self._recognise()
        self.language = self._language()
        self.say = Words(self.language)

    @property
    def now(self) -> float:
        """Seconds since 1970."""
        return self._parts.clock()

    @property
    def address(self) -> str:
        """Where the request comes from, for limits and logs."""
        return self.request.client.host if self.request.client else "unknown"

    @property
    def who(self) -> Person:
        """Whoever is logged in. Only for routes that ask for a role."""
        assert self.person is not None, "a route that anybody may use asked who is there"
        return self.person

    @property
    def has_forms(self) -> bool:
        """Whether this page's forms will be taken: not on an error page of somebody unknown."""
        return bool(self._form_key)

    @property
    def here(self) -> str:
        """Path and query of this page."""
        url = self.request.url
        return f"{url.path}?{url.query}" if url.query else url.path

    @property
    def form_token(self) -> str:
        """For forms that change something: a hidden field `csrf`, or the header X-CSRF-Token."""
        return self._parts.sessions.form_token(self._form_key)

    def is_form_token(self, given: str) -> bool:
        """Whether a form carried this visit's token."""
        return bool(self._form_key) and self._parts.sessions.is_form_token(given, self._form_key)

    def may(self, role: str) -> bool:
        """Whether somebody is logged in who may do what this role may; for templates."""
        return self.person is not None and self.person.role >= Role.named(role)

    def page(self, template: str, status_code: int = 200, **facts: Any) -> Response:
        """A page from `console/templates`. Each template knows `visit`, `say`, and these facts."""
        text = self._parts.templates.get_template(template).render(visit=self, say=self.say, **facts)
        return HTMLResponse(text, status_code)

    def audit(self, event: str, **facts: Any) -> None:
        """Write down who did what; never a text of a trace, nor a token."""
        name = self.person.name if self.person else None
        self.observer.audit(event, by=name, address=self.address, **facts)

    def grow(self, name: str, *, days: float, why: str) -> Grown:
        """The next version of a golden set. Raises SinkError, and Refused where nothing here makes them."""
        if self._parts.grower is None:
            raise Refused("golden.cannot_grow", status=501)
        grown = self._parts.grower(name, days=days, who=self.who.name, why=why)
        self.audit("golden set grown", name=name, version=grown.version, added=grown.added)
        return grown

    def open_session(self, person: Person, response: Response) -> None:
        """Log in: a new session under a new id; the one that the browser had is over."""
        self._parts.sessions.end(self._cookie(SESSION_COOKIE))
        self._set(response, SESSION_COOKIE, self._parts.sessions.open(person.name, person.role))
        self._unset(response, VISIT_COOKIE)

    def end_session(self, response: Response) -> None:
        """Log out."""
        self._parts.sessions.end(self._cookie(SESSION_COOKIE))
        self._unset(response, SESSION_COOKIE)

    def remember_language(self, language: str, response: Response) -> None:
        """The browser's own choice, for a year."""
        self._set(response, LANGUAGE_COOKIE, language, max_age=365 * 86_400)

    def begin(self) -> str | None:
        """For pages with a form that anybody may use: a cookie's value to set, or null where there is one."""
        if self._form_key:
            return None
        self._form_key = secrets.token_urlsafe(16)
        return self._form_key

    def keep(self, response: Response, cookie: str | None) -> Response:
        """Set what `begin` returned."""
        if cookie:
            self._set(response, VISIT_COOKIE, cookie)
        return response

    def _cookie(self, name: str) -> str | None:
        return self.request.cookies.get(self._cookie_name(name))

    def _cookie_name(self, name: str) -> str:
        return f"{HOST_PREFIX}{name}" if self.config.secure else name

    def _set(self, response: Response, name: str, value: str, max_age: int | None = None) -> None:
        response.set_cookie(
            self._cookie_name(name),
            value,
            max_age=max_age,
            httponly=True,
            samesite="lax",
            secure=self.config.secure,
        )

    def _unset(self, response: Response, name: str) -> None:
        response.delete_cookie(
            self._cookie_name(name), httponly=True, samesite="lax", secure=self.config.secure
        )

    def _recognise(self) -> str:
        """Find out who comes; returns what forms are bound to, empty where there is nothing yet."""
        scheme, _, token = self.request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            self.by_bearer = True
            self._recognise_bearer(token)
            return ""
        session = self._parts.sessions.find(self._cookie(SESSION_COOKIE), used=not self._asks_by_itself())
        if session is None:
            return (self._cookie(VISIT_COOKIE) or "")[:64]
        self.person = Person(session.name, session.role)
        return session.key

    def _asks_by_itself(self) -> bool:
        """A page that keeps itself fresh while nobody may be there; what it changes, somebody meant."""
        return self.request.method == "GET" and self.request.headers.get("sec-fetch-dest") == "empty"

    def _recognise_bearer(self, token: str) -> None:
        self.locked_s = self._parts.tries.wait_s(self.address)
        if self.locked_s:
            return
        known = find_token(token, self.config.tokens)
        if known:
            self.person = Person(known.name, known.role)
        else:
            self._parts.tries.failed(self.address)
            self.observer.audit("token refused", by=None, address=self.address)

    def _language(self) -> str:
        chosen = self._cookie(LANGUAGE_COOKIE)
        if chosen in LANGUAGES:
            return chosen
        for part in self.request.headers.get("accept-language", "").split(",")[:10]:
            code = part.split(";")[0].strip().lower()[:2]
            if code in LANGUAGES:
                return code
        return self.config.language


def visit_of(request: Request) -> Visit:
    """The visit of a request, made once."""
    visit = getattr(request.state, "visit", None)
    if not isinstance(visit, Visit):
        visit = request.state.visit = Visit(request, request.app.state.parts)
    return visit


Visiting = Annotated[Visit, Depends(visit_of)]
"""How a handler asks for its visit: `def live(visit: Visiting)`."""

__all__ = [
    "LANGUAGE_COOKIE",
    "SESSION_COOKIE",
    "VISIT_COOKIE",
    "Parts",
    "Person",
    "Visit",
    "Visiting",
    "visit_of",
]
