"""docs/openapi.json says what the API is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from console.routing import GuardedRoute
from tests.support.console import Browser, bearer, open_console

PUBLISHED: Final = Path(__file__).parents[3] / "docs" / "openapi.json"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    description: dict[str, Any] = open_console().state.description
    return description


def test_the_published_description_is_the_one_that_is_served(document: dict[str, Any]) -> None:
    """Where it is not: `make openapi` writes it anew."""
    assert orjson.loads(PUBLISHED.read_bytes()) == orjson.loads(orjson.dumps(document))
    assert Browser(open_console()).get("/api/openapi.json").json() == orjson.loads(PUBLISHED.read_bytes())


def test_every_operation_has_a_name_of_its_own_a_summary_and_a_role(document: dict[str, Any]) -> None:
    operations = [one for path in document["paths"].values() for one in path.values()]
    assert len({one["operationId"] for one in operations}) == len(operations)
    for one in operations:
        assert one["summary"]
        assert one["x-role"] in ("viewer", "annotator", "admin")
        assert one["security"] == [{"token": []}, {"session": []}]


def test_every_route_of_the_api_is_described_and_no_page_is(document: dict[str, Any]) -> None:
    routes = [route for route in open_console().routes if isinstance(route, GuardedRoute)]
    api = {
        (route.path_format, m.lower())
        for route in routes
        if route.path.startswith("/api/v1/")
        for m in route.methods or ()
    }
    assert api == {(path, method) for path, of in document["paths"].items() for method in of}


def test_the_roles_that_are_described_are_those_that_are_asked_for(document: dict[str, Any]) -> None:
    browser = Browser(open_console())
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            weaker = {"annotator": "vera", "admin": "anna"}.get(operation["x-role"])
            if weaker:
                address = path.replace("{lease_id}", "x").replace("{item_id}", "x")
                answer = browser.request(method.upper(), address, headers=bearer(weaker))
                assert answer.status_code == 403, path
                assert operation["x-role"] in answer.json()["title"]
