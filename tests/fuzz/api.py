"""Requests that nobody would make, to the console over HTTP: what its OpenAPI allows, what it forbids, and
what has nothing to do with it.

An answer is right when it is no failure of the server's, comes soon, and, where it says yes, has the form
that the description promises.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.openapi import from_dict

from console.api.description import describe
from tests.support.console import bearer
from tests.support.console_site import Site

LONGEST_S: Final = 5.0
"""An answer that takes longer counts as a hang: a machine may be busy, and the engine is asked."""
_PEOPLE: Final = ("vera", "anna", "adam")
_PATHS: Final = (
    "/", "/login", "/incidents", "/incident/{}", "/case/{}", "/queue", "/queue/{}", "/golden", "/golden/{}",
    "/golden/{}/grow", "/judges", "/gaps", "/static/{}", "/metrics", "/{}", "/api/v1/{}", "/api/v1/cases/{}",
    "/api/v1/golden/{}", "/api/v1/queue/items/{}/label", "/api/v1/queue/claims", "/api/v1/live",
)  # fmt: skip
_NAMES: Final = ("period", "app", "tenant", "language", "status", "version", "original", "page", "next", "x")
_METHODS: Final = ("GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW")
_KINDS: Final = (
    "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "multipart/form-data", "text/plain", "application/json; charset=utf-99", "",
)  # fmt: skip


@dataclass(slots=True)
class Asked:
    """What a run of requests met: answers by status, and the slowest."""

    statuses: Counter[int] = field(default_factory=Counter)
    slowest_s: float = 0.0

    @property
    def inputs(self) -> int:
        """All requests."""
        return self.statuses.total()

    def see(self, answer: Any, seconds: float) -> None:
        """Count an answer. Raises AssertionError where the server failed, or took too long."""
        self.statuses[answer.status_code] += 1
        self.slowest_s = max(self.slowest_s, seconds)
        asked = answer.request
        what = (asked.method, asked.url, asked.headers.get("content-type"), asked.body)
        assert answer.status_code < 500, (answer.status_code, what)
        assert seconds < LONGEST_S, (seconds, what)


def ask_as_described(site: Site, app: Any, inputs: int, chance: int, asked: Asked) -> None:
    """Every operation of the description, with values that fit it and values that do not, in equal parts."""
    schema = from_dict(describe(app.routes))
    operations = []
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found.err()
        operations.append(found.ok())
    each = max(1, inputs // (2 * len(operations)))
    for number, operation in enumerate(operations):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            _try_operation(site, operation, mode, each, chance + number, asked)


def _try_operation(
    site: Site, operation: Any, mode: GenerationMode, times: int, chance: int, asked: Asked
) -> None:
    try:
        cases = operation.as_strategy(generation_mode=mode)
    except schemathesis.errors.SchemathesisError:
        return

    @_quietly(times, chance)
    @given(case=cases, name=st.sampled_from(_PEOPLE))
    def ask(case: Any, name: str) -> None:
        began = time.monotonic()
        answer = case.call(base_url=site.address, headers=bearer(name), timeout=2 * LONGEST_S)
        asked.see(answer, time.monotonic() - began)
        if answer.status_code < 300:
            operation.validate_response(answer)

    try:
        ask()
    except schemathesis.errors.SchemathesisError:
        return
    except Exception as error:
        if type(error).__name__ not in ("Unsatisfiable",):
            raise


def ask_anything(site: Site, inputs: int, chance: int, asked: Asked) -> None:
    """Any path, query, method, header and body, with a token or without."""
    text = st.text(max_size=60) | st.sampled_from(("..", "%00", "%ff", "{{7*7}}", "' OR 1=1 --", "\0", "a/b"))
    bodies = st.binary(max_size=400) | st.sampled_from(
        (b"[" * 20_000, b'{"n": 1e999}', b'{"n": NaN}', b"csrf=%ff&csrf=", b"--x\r\n\r\n--x--", b"\xff\xfe{}")
    )
    session = requests.Session()

    @_quietly(inputs, chance)
    @given(
        st.sampled_from(_METHODS), st.sampled_from(_PATHS), text,
        st.dictionaries(st.sampled_from(_NAMES), text, max_size=4), st.sampled_from(_KINDS), bodies,
        st.sampled_from((*_PEOPLE, None)), st.binary(max_size=40),
    )  # fmt: skip
    def ask(
        method: str, path: str, part: str, query: dict[str, str], kind: str, body: bytes, name: str | None,
        cookie: bytes,
    ) -> None:  # fmt: skip
        headers: dict[str, Any] = dict(bearer(name)) if name else {"cookie": b"session=" + _line(cookie)}
        headers["content-type"] = kind
        place = path.replace("{}", quote(part.encode("utf-8", "surrogatepass"), safe="%"))
        began = time.monotonic()
        answer = session.request(
            method, site.address + place,
            params={key: value.encode("utf-8", "replace") for key, value in query.items()},
            data=body, headers=headers, timeout=2 * LONGEST_S, allow_redirects=False,
        )  # fmt: skip
        asked.see(answer, time.monotonic() - began)

    ask()
    session.close()


def _line(data: bytes) -> bytes:
    return bytes(byte for byte in data if byte not in b"\r\n\0")


def _quietly(times: int, chance: int) -> Any:
    """So many examples, from a seed, without a memory of others, and as they were found."""

    def wrap(test: Any) -> Any:
        quiet = settings(
            max_examples=times, deadline=None, database=None, print_blob=False,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        return seed(chance)(quiet(test))

    return wrap


__all__ = ["Asked", "ask_anything", "ask_as_described"]
