"""The console in a test: the application as it is composed, and browsers that log in to it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any, Final

from fastapi import FastAPI
from fastapi.testclient import TestClient

from console.app import create_app
from console.config import ConsoleConfig, Token
from console.security.roles import Role
from console.security.tokens import hash_token
from console.store import PatientStore
from schemas.annotation import AnnotationItem
from schemas.row import encode
from sinks.annotation import AnnotationQueue, LeaseBook
from sinks.clickhouse.client import ClickHouse
from stream.console.golden import StoreGrower

HOST: Final = "console.test"
NOBODY: Final = "http://127.0.0.1:9/nothing"
"""A DSN behind which nothing answers."""
PEOPLE: Final = {
    "vera": Role.VIEWER,
    "anna": Role.ANNOTATOR,
    "ben": Role.ANNOTATOR,
    "carla": Role.ANNOTATOR,
    "adam": Role.ADMIN,
}
TOKEN_OF: Final = {name: f"token-of-{name}-0123456789" for name in PEOPLE}
TOKENS: Final = tuple(Token(name, role, hash_token(TOKEN_OF[name])) for name, role in PEOPLE.items())


class Heard:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, int]] = []
        self.events: list[dict[str, Any]] = []
        self.crashes: list[Exception] = []

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """One request."""
        self.requests.append((route, method, status))

    def audit(self, event: str, *, by: str | None, address: str, **facts: Any) -> None:
        """One deed."""
        self.events.append({"event": event, "by": by, **facts})

    def crashed(self, route: str, error: Exception) -> None:
        """One failure that nobody foresaw."""
        self.crashes.append(error)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def open_console(
    dsn: str = NOBODY,
    *,
    clock: Callable[[], float] | None = None,
    observer: Heard | None = None,
    leases: LeaseBook | None = None,
    queue: Any = None,
    grows: bool = False,
    **config: Any,
) -> FastAPI:
    """The application, over a store that may be away. `grows`: it can make golden sets."""
    book = leases or LeaseBook(None)
    settings = ConsoleConfig(**{"tokens": TOKENS, "hosts": frozenset({HOST})} | config)
    options = {"clock": clock} if clock else {}
    return create_app(
        settings,
        lambda: PatientStore(dsn, 20.0),
        lambda client: queue or AnnotationQueue(client, book),
        observer=observer or Heard(),
        grower_factory=(lambda client: StoreGrower(client, 2)) if grows else None,
        **options,
    )


class Browser(TestClient):
    """A browser: keeps cookies, follows nothing by itself, sends the form token of the last page."""

    def __init__(self, app: FastAPI, name: str | None = None, **headers: str) -> None:
        super().__init__(
            app,
            base_url=f"http://{HOST}",
            follow_redirects=False,
            headers={"accept": "text/html", **headers},
            raise_server_exceptions=False,
        )
        if name:
            self.log_in(TOKEN_OF[name])

    def log_in(self, token: str, next: str = "/") -> Any:
        """By the form, as people do."""
        return self.submit("/login", {"token": token, "next": next}, form=self.get("/login").text)

    def submit(self, path: str, data: dict[str, Any] | None = None, form: str | None = None) -> Any:
        """Post a form with the token that stands in `form`, a page; else in a page that everybody may see."""
        page = self.get("/nowhere").text if form is None else form
        return self.post(path, data={"csrf": form_token(page), **(data or {})})


def form_token(page: str) -> str:
    """The token of the first form of a page; empty where there is none."""
    found = re.search(r'name="csrf" value="([^"]*)"', page)
    return html.unescape(found[1]) if found else ""


def elements(page: str) -> list[tuple[str, dict[str, str | None]]]:
    """Every element of a page as a browser reads it: its name and attributes."""
    reader = _Reader()
    reader.feed(page)
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def require_harmless(page: str) -> None:
    """Nothing in a page runs, loads or styles but files of ours. Raises AssertionError."""
    for tag, attributes in elements(page):
        assert tag not in ("img", "iframe", "object", "embed", "style", "base", "audio", "video"), tag
        assert tag != "script" or (attributes.get("src") or "").startswith("/static/")
        assert not [name for name in attributes if name.startswith("on") or name == "style"], attributes
        for name in ("href", "src", "action", "formaction"):
            assert (attributes.get(name) or "/").startswith(("/", "#")), attributes


def bearer(name: str) -> dict[str, str]:
    """The header that a program sends."""
    return {"authorization": f"Bearer {TOKEN_OF[name]}", "accept": "application/json"}


def make_item(number: int, **wanted: Any) -> AnnotationItem:
    """A case of the queue: an answer of two claims over two chunks, the second claim made up."""
    answer = "The X200 has two ports. It weighs 900 grams."
    trace = {
        "trace_id": f"t-{number}",
        "question": f"How many ports does the X200 have? ({number})",
        "rewritten_query": "X200 number of ports",
        "history": [{"role": "user", "content": "Tell me about the X200."}],
        "retrieval": {
            "chunks": [
                {"id": "k1", "doc_id": "d1", "text": "The X200 has two ports and a fan.", "score": 0.9},
                {"id": "k2", "doc_id": "d2", "text": "The X100 has one port.", "score": 0.4},
            ]
        },
        "answer": answer,
    }
    evidence = [
        {"text": answer[24:], "start": 24, "end": 44, "support": 0.1, "chunk": 0, "chunk_id": "k1",
         "chunk_start": 0, "chunk_end": 23},
    ]  # fmt: skip
    scores = {"failure": "hallucination", "hallucination": 0.8, "faithfulness": 0.5, "evidence": evidence}
    facts: dict[str, Any] = {
        "item_id": f"i-{number}",
        "trace_id": f"t-{number}",
        "timestamp": datetime.now(UTC),
        "app": "helpdesk",
        "tenant": "lumen",
        "language": "en",
        "failure": "hallucination",
        "first_failed_stage": "generation",
        "reason": "uncertain",
        "reasons": ("uncertain",),
        "value": 0.9 - number / 1_000,
        "because": "0.8 is near the line",
        "votes_wanted": 2,
        "payload": {"trace": trace, "scores": scores, "verdicts": []},
        "created_at": datetime.now(UTC),
    }
    return AnnotationItem(**{**facts, **wanted})


def store_items(client: ClickHouse, items: Iterable[AnnotationItem]) -> None:
    """Into the queue's table."""
    now = datetime.now(UTC)
    client.insert_raw("annotation_items", b"\n".join(encode(item.as_row(now)) for item in items))


__all__ = [
    "HOST", "NOBODY", "PEOPLE", "TOKENS", "TOKEN_OF", "Browser", "Clock", "Heard", "bearer", "elements",
    "form_token", "make_item", "open_console", "require_harmless", "store_items",
]  # fmt: skip
