"""How errors are answered: as a page to a person, as problem details (RFC 9457) to a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException

from console.refusals import NotLoggedIn, Refused
from console.visit import Visit, visit_of
from sinks.annotation import LeaseFileError, QueueRefusal
from sinks.errors import SinkError, SinkOverloaded, SinkUnavailable
from sinks.golden.errors import GoldenSetDamaged

PROBLEM: Final = "application/problem+json"
_KNOWN: Final = {404: "error.no_page", 405: "error.method"}


def is_program(request: Request) -> bool:
    """Whether the answer is read by a program: it used the API, or asked for JSON alone."""
    wanted = request.headers.get("accept", "")
    return request.url.path.startswith("/api/") or ("json" in wanted and "html" not in wanted)


def answer_refusal(request: Request, refused: Refused) -> Response:
    """A refusal, with what to do about it. Whoever is not logged in is led to the login page."""
    visit = visit_of(request)
    if isinstance(refused, NotLoggedIn) and not is_program(request):
        return _to_login(request)
    headers = {}
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if "seconds" in refused.facts:
        headers["Retry-After"] = str(refused.facts["seconds"])
    return answer(request, refused.status, visit.say(refused.word, **_translated(visit, refused)), headers)


def answer_store(request: Request, error: SinkError) -> Response:
    """ClickHouse is away, too busy, or refuses: the console lives on, and says so."""
    say = visit_of(request).say
    if isinstance(error, SinkOverloaded):
        return answer(request, 503, say("error.store_busy"), {"Retry-After": "2"})
    if isinstance(error, SinkUnavailable):
        return answer(request, 503, say("error.store_away"), {"Retry-After": "5"}, cause=str(error))
    visit_of(request).observer.crashed("store", error)
    return answer(request, 502, say("error.store_refuses"))


def answer_queue(request: Request, error: QueueRefusal) -> Response:
    """The queue says no: the case is somebody else's by now, or one had a say in it already."""
    kind = type(error).__name__
    status = {"NotYours": 403, "NoSuchItem": 404}.get(kind, 409)
    return answer(
        request, status, visit_of(request).say.of("queue", f"refused.{kind}", str(error)), kind=kind
    )


def answer_leases(request: Request, error: LeaseFileError) -> Response:
    """Nothing is handed out without the file of leases: two would get the same case."""
    visit_of(request).observer.crashed("leases", error)
    return answer(request, 503, visit_of(request).say("queue.refused.leases"))


def answer_damaged(request: Request, error: GoldenSetDamaged) -> Response:
    """A golden set that somebody changed in the store: nothing of it is shown as if it were whole."""
    visit = visit_of(request)
    return answer(request, 409, visit.say("error.set_damaged"), cause=str(error))


def answer_http(request: Request, error: HTTPException) -> Response:
    """No such page, a method that is none, and whatever the framework refuses."""
    say = visit_of(request).say
    word = _KNOWN.get(error.status_code, "error.bad_request")
    return answer(request, error.status_code, say(word), dict(error.headers or {}))


def answer_invalid(request: Request, error: RequestValidationError) -> Response:
    """Which fields are wrong, and why; never what was in them."""
    say = visit_of(request).say
    fields = [
        {"field": _place(one), "why": str(one["msg"]).removeprefix("Value error, ")}
        for one in error.errors()[:20]
    ]
    cause = "; ".join(f"{one['field']}: {one['why']}" for one in fields)
    return answer(request, 422, say("error.invalid"), cause=cause, errors=fields)


def _place(flaw: Mapping[str, Any]) -> str:
    """The field that is wrong; `body` where it is the body as a whole, or no JSON at all."""
    whole = flaw["type"] == "json_invalid" or len(flaw["loc"]) < 2
    return str(flaw["loc"][0]) if whole else ".".join(str(part) for part in flaw["loc"][1:])


def answer_crash(request: Request) -> Response:
    """Something that nobody foresaw."""
    return answer(request, 500, visit_of(request).say("error.crash"))


def answer(
    request: Request,
    status: int,
    sentence: str,
    headers: dict[str, str] | None = None,
    *,
    cause: str = "",
    **more: Any,
) -> Response:
    """One sentence, as a page or as problem details. `cause`: what the machine itself says of it."""
    visit = visit_of(request)
    response: Response
    if is_program(request):
        problem = {"type": "about:blank", "title": sentence, "status": status, "detail": cause or sentence}
        response = JSONResponse({**problem, **more}, status, media_type=PROBLEM)
    else:
        response = visit.page("error.html", status, status=status, sentence=sentence, cause=cause)
    response.headers.update(headers or {})
    return response


def _to_login(request: Request) -> Response:
    """What was sent with a form is not sent again: after the login one is where the first page is."""
    path, query = request.url.path, request.url.query
    wanted = (f"{path}?{query}" if query else path) if request.method == "GET" else "/"
    return RedirectResponse(f"/login?next={quote(wanted, safe='')}", 303)


def _translated(visit: Visit, refused: Refused) -> dict[str, Any]:
    """Facts that are words of ours, in the visit's language."""
    return {
        name: visit.say.of("what", value) if name in ("what", "needed") else value
        for name, value in refused.facts.items()
    }


__all__ = [
    "PROBLEM", "answer", "answer_crash", "answer_damaged", "answer_http", "answer_invalid", "answer_leases",
    "answer_queue", "answer_refusal", "answer_store", "is_program",
]  # fmt: skip
