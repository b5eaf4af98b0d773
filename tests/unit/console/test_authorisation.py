"""Every route × everybody: who is let in. The routes come from the application, so that none is forgotten."""

from __future__ import annotations

import re
from typing import Final

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Mount

from console.routing import GuardedRoute, page_router
from console.security.roles import Role, Rule, allow, rule_of
from tests.support.console import PEOPLE, Browser, bearer, open_console

APP: Final = open_console()
ROUTES: Final = [
    (method, route)
    for route in APP.routes
    if isinstance(route, GuardedRoute)
    for method in sorted(route.methods or ())
]
IDS: Final = [f"{method} {route.path}" for method, route in ROUTES]
ANYBODY: Final = {
    ("GET", "/login"),
    ("POST", "/login"),
    ("POST", "/language"),
    ("GET", "/api/openapi.json"),
}
BY_ROLE: Final = {
    Role.VIEWER: {
        ("GET", "/"), ("GET", "/incidents"), ("GET", "/incident/{incident_id:path}"),
        ("GET", "/case/{trace_id:path}"), ("GET", "/queue"),
        ("GET", "/queue/figures"), ("GET", "/golden"), ("GET", "/golden/{name}"),
        ("GET", "/judges"), ("GET", "/gaps"),
        ("POST", "/logout"), ("GET", "/api/v1/me"), ("GET", "/api/v1/queue/items/{item_id}"),
        ("GET", "/api/v1/queue/stats"), ("GET", "/api/v1/queue/agreement"), ("GET", "/api/v1/live"),
        ("GET", "/api/v1/incidents"), ("GET", "/api/v1/incidents/{incident_id:path}"),
        ("GET", "/api/v1/cases/{trace_id:path}"), ("GET", "/api/v1/golden"), ("GET", "/api/v1/golden/{name}"),
        ("GET", "/api/v1/judges"), ("GET", "/api/v1/gaps"),
    },
    Role.ANNOTATOR: {
        ("POST", "/queue/claim"), ("GET", "/queue/next"), ("GET", "/queue/label/{lease_id}"),
        ("POST", "/queue/label/{lease_id}"), ("POST", "/queue/skip/{lease_id}"),
        ("POST", "/queue/release/{lease_id}"), ("GET", "/queue/again/{item_id}"),
        ("POST", "/queue/again/{item_id}"), ("POST", "/api/v1/queue/claims"),
        ("GET", "/api/v1/queue/leases"), ("POST", "/api/v1/queue/leases/{lease_id}/heartbeat"),
        ("DELETE", "/api/v1/queue/leases/{lease_id}"), ("POST", "/api/v1/queue/leases/{lease_id}/label"),
        ("POST", "/api/v1/queue/leases/{lease_id}/skip"), ("PUT", "/api/v1/queue/items/{item_id}/label"),
    },
    Role.ADMIN: {
        ("GET", "/queue/conflict/{item_id}"), ("POST", "/queue/conflict/{item_id}"),
        ("POST", "/golden/grow"), ("POST", "/api/v1/golden/{name}/versions"),
        ("GET", "/api/v1/queue/conflicts"), ("POST", "/api/v1/queue/conflicts/{item_id}"),
    },
}  # fmt: skip
"""Written by hand: a route that is missing here, or has another rule than here, fails."""

by_route = pytest.mark.parametrize(("method", "route"), ROUTES, ids=IDS)


def needed(method: str, path: str) -> Role | None:
    if (method, path) in ANYBODY:
        return None
    return next(role for role, routes in BY_ROLE.items() if (method, path) in routes)


@pytest.fixture(scope="module")
def browsers() -> dict[str, Browser]:
    return {name: Browser(APP, name) for name in PEOPLE}


def address(route: APIRoute) -> str:
    return re.sub(r"\{[\w:]+\}", "x", route.path)


def is_shut_out(answer: object) -> bool:
    status, location = answer.status_code, answer.headers.get("location", "")  # type: ignore[attr-defined]
    return status in (401, 403) or (status == 303 and location.startswith("/login?next"))


def test_every_route_is_guarded_or_a_file_of_ours() -> None:
    unguarded = [route for route in APP.routes if not isinstance(route, GuardedRoute)]
    assert [route.path for route in unguarded if isinstance(route, Mount)] == ["/static"]
    assert len(unguarded) == 1


def test_every_route_stands_in_the_table_above_once() -> None:
    listed = [*ANYBODY, *(one for routes in BY_ROLE.values() for one in routes)]
    assert sorted(listed) == sorted((method, route.path) for method, route in ROUTES)


@by_route
def test_the_rule_of_a_route_is_the_one_in_the_table(method: str, route: GuardedRoute) -> None:
    assert route.rule.role is needed(method, route.path)


@by_route
@pytest.mark.parametrize("name", [*PEOPLE, "nobody"])
def test_a_session_is_let_in_where_its_role_allows(
    method: str, route: GuardedRoute, name: str, browsers: dict[str, Browser]
) -> None:
    browser = browsers.get(name) or Browser(APP)
    if (method, route.path) == ("POST", "/logout") and name in PEOPLE:
        browser = Browser(APP, name)  # it ends the session: not that of the other tests
    token = browser.get("/api/v1/me").json().get("form_token", "")
    answer = browser.request(method, address(route), headers={"x-csrf-token": token})
    role = needed(method, route.path)
    if role is None:
        without_form = name == "nobody" and method == "POST"
        wrong_token = route.path == "/login" and method == "POST"
        assert is_shut_out(answer) is (without_form or wrong_token)
    else:
        assert is_shut_out(answer) is not (name in PEOPLE and PEOPLE[name] >= role)


@by_route
@pytest.mark.parametrize("name", PEOPLE)
def test_a_bearer_token_is_let_in_where_its_role_allows(method: str, route: GuardedRoute, name: str) -> None:
    answer = Browser(APP).request(method, address(route), headers=bearer(name))
    role = needed(method, route.path)
    allowed = role is None or PEOPLE[name] >= role
    wrong_token_in_the_form = (method, route.path) == ("POST", "/login")
    assert (answer.status_code not in (401, 403)) is (allowed and not wrong_token_in_the_form)


def test_a_route_without_a_rule_cannot_be_defined() -> None:
    router = page_router()
    with pytest.raises(TypeError, match="who may use it"):

        @router.get("/open")
        def forgotten() -> str:
            return "everything"


def test_each_role_may_do_what_the_one_before_it_may() -> None:
    assert list(Role) == sorted(Role)
    assert Role.named("annotator") is Role.ANNOTATOR
    with pytest.raises(ValueError, match="no such role"):
        Role.named("root")
    assert rule_of(allow(Role.ADMIN)(lambda: "a page")) == Rule(Role.ADMIN)
