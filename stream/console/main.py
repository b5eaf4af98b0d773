"""`ragpulse console`: the process behind the web page."""

from __future__ import annotations

import importlib.metadata
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Final

from fastapi import FastAPI

from console.app import create_app
from console.config import ConsoleConfig
from console.observing import Observer
from console.store import PatientStore
from sinks.annotation import AnnotationQueue
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.migrate import require_schema
from sinks.errors import SinkAddressWrong, SinkError
from stream import logs, process
from stream.annotation.opening import open_leases, rules_of
from stream.console.entry import Entry, entry_of, is_local
from stream.console.golden import StoreGrower
from stream.console.observer import LoggedConsole
from stream.console.server import ServerDied, WebServer
from stream.endpoint import Endpoint, Health
from stream.errors import SettingRefused
from stream.settings import Settings
from stream.sink.main import SCHEMA
from stream.telemetry.console import ConsoleMetrics

_LOOK_S: Final = 2.0
Say = Callable[[str], None]


def run_console(settings: Settings, say: Say, stop: threading.Event | None = None) -> int:
    """Serve until SIGTERM, SIGINT or `stop`; returns the exit code.

    `say` tells the person who started it where it is. What it says may hold a token, so that it must not go
    into a log. ClickHouse may be away: pages say so.
    """
    return process.run("console", settings, stop, partial(_run, say))


def _run(say: Say, settings: Settings, stop: threading.Event) -> None:
    metrics, health = ConsoleMetrics(), Health(SCHEMA)
    entry = entry_of(settings.console)
    app = compose(settings, entry.config, LoggedConsole(metrics))
    with (
        Endpoint(settings.telemetry, metrics.registry, health),
        WebServer(
            app, settings.console.host, settings.console.port, settings.console.trusted_proxies
        ) as server,
    ):
        metrics.build.labels(importlib.metadata.version("ragpulse"), "").set(1)
        url = address_of(settings, server.port)
        logs.get().info("console starts", url=url, clickhouse=app.state.parts.store.address)
        _warn_if_open(settings)
        say(greeting(url, entry))
        _watch_over(server, open_store(settings), health, stop)


def compose(settings: Settings, config: ConsoleConfig, observer: Observer) -> FastAPI:
    """The application with its store and its queue: this function is the console's plan."""
    leases = open_leases(settings.annotation)

    def open_queue(client: ClickHouse) -> AnnotationQueue:
        return AnnotationQueue(client, leases, lambda: datetime.now(UTC), rules_of(settings.annotation))

    def open_grower(client: ClickHouse) -> StoreGrower:
        return StoreGrower(client, settings.annotation.votes)

    return create_app(
        config,
        partial(open_store, settings),
        open_queue,
        observer=observer,
        grower_factory=open_grower,
    )


def open_store(settings: Settings) -> PatientStore:
    """A client that gives up sooner than others, since somebody waits. Raises SettingRefused."""
    try:
        store = settings.clickhouse
        patience_s = min(store.timeout_s, settings.console.query_timeout_s)
        return PatientStore(store.dsn.get_secret_value(), patience_s, tls=store.tls)
    except SinkAddressWrong as error:
        raise SettingRefused(f"RAGPULSE_CLICKHOUSE__DSN: {error}") from error


def address_of(settings: Settings, port: int) -> str:
    """Where people find it."""
    if settings.console.public_url:
        return settings.console.public_url.rstrip("/")
    host = settings.console.host
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def greeting(url: str, entry: Entry) -> str:
    """What the person who starts it is told. A token stands behind #, which browsers send to nobody."""
    if entry.made is None:
        return f"The console is at {url}"
    return (
        f"The console is at {url}/login#token={entry.made}\n"
        "That token lets an admin in until the console ends. It is not shown again; set "
        "RAGPULSE_CONSOLE__TOKENS for tokens that stay."
    )


def _warn_if_open(settings: Settings) -> None:
    """Tokens and texts would travel in the clear."""
    console = settings.console
    if not is_local(console.host) and not (console.public_url or "").startswith("https:"):
        logs.get().warning(
            "the console can be reached over the network without TLS: put a proxy with TLS before it, and "
            "set RAGPULSE_CONSOLE__PUBLIC_URL to its https address",
            host=console.host,
        )


def _watch_over(server: WebServer, store: ClickHouse, health: Health, stop: threading.Event) -> None:
    """Beat while the server lives; ready while the tables of this build are there."""
    said = ""
    while not stop.wait(_LOOK_S):
        if not server.alive:
            raise ServerDied("The web server of the console ended by itself. Start it again.")
        health.beat()
        try:
            require_schema(store)
        except SinkError as error:
            health.lost(SCHEMA)
            if str(error) != said:
                said = str(error)
                logs.get().warning(f"{said.rstrip('.')}. Pages say so until it is there.")
        else:
            said = ""
            health.got(SCHEMA)


__all__ = ["address_of", "compose", "greeting", "open_store", "run_console"]
