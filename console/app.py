"""The console, put together: this module is its plan."""

from __future__ import annotations

import time
from collections.abc import Callable

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from console import answers
from console.api import API
from console.api.description import describe
from console.config import MINUTE_S, ConsoleConfig
from console.growing import Grower
from console.observing import Observer, Unobserved
from console.pages import PAGES
from console.refusals import Refused
from console.rendering.templates import STATIC, open_templates
from console.security.headers import SafeHeaders
from console.security.intake import Intake
from console.security.sessions import Sessions
from console.security.tries import Tries
from console.security.watching import Catching, Watching
from console.standing import Standings
from console.visit import Parts
from sinks.annotation import AnnotationQueue, LeaseFileError, QueueRefusal
from sinks.clickhouse.client import ClickHouse
from sinks.errors import SinkError
from sinks.golden.errors import GoldenSetDamaged


def create_app(
    config: ConsoleConfig,
    client_factory: Callable[[], ClickHouse],
    queue_factory: Callable[[ClickHouse], AnnotationQueue],
    clock: Callable[[], float] = time.time,
    observer: Observer | None = None,
    grower_factory: Callable[[ClickHouse], Grower] | None = None,
) -> FastAPI:
    """The console as an ASGI application. Nothing is asked of ClickHouse before the first page is."""
    observer = observer or Unobserved()
    app = FastAPI(title="ragpulse console", openapi_url=None, docs_url=None, redoc_url=None, routes=_routes())
    store = client_factory()
    queue = queue_factory(store)
    app.state.parts = Parts(
        config=config,
        store=store,
        queue=queue,
        standings=Standings(queue, clock),
        grower=grower_factory(store) if grower_factory else None,
        sessions=Sessions(config.secret, clock, config.session_s, config.idle_s),
        tries=Tries(config.login_tries, MINUTE_S, clock),
        templates=open_templates(),
        observer=observer,
        clock=clock,
    )
    app.state.description = describe(app.routes)
    app.add_exception_handler(Refused, answers.answer_refusal)  # type: ignore[arg-type]
    app.add_exception_handler(SinkError, answers.answer_store)  # type: ignore[arg-type]
    app.add_exception_handler(QueueRefusal, answers.answer_queue)  # type: ignore[arg-type]
    app.add_exception_handler(LeaseFileError, answers.answer_leases)  # type: ignore[arg-type]
    app.add_exception_handler(GoldenSetDamaged, answers.answer_damaged)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, answers.answer_http)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, answers.answer_invalid)  # type: ignore[arg-type]
    # From the inside outwards: the last one added is the first to see a request.
    app.add_middleware(Catching, observer=observer)
    app.add_middleware(Intake, hosts=config.hosts, max_body_bytes=config.max_body_bytes)
    app.add_middleware(Watching, observer=observer)
    app.add_middleware(SafeHeaders, secure=config.secure)
    return app


def _routes() -> list[BaseRoute]:
    """Every route there is: pages, the API, and files that anybody may read."""
    found: list[BaseRoute] = [route for router in (*PAGES, *API) for route in router.routes]
    return [*found, Mount("/static", StaticFiles(directory=STATIC), name="static")]


__all__ = ["create_app"]
