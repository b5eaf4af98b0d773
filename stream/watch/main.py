"""`ragpulse watch`: the process that finds incidents and tells whoever wants to know."""

from __future__ import annotations

import importlib.metadata
import threading
import uuid
from typing import Any

from sinks.clickhouse.migrate import require_schema
from sinks.errors import SinkAddressWrong
from sinks.evaluations.http import Poster
from stream import logs, process
from stream.endpoint import Endpoint, Health
from stream.errors import SettingRefused
from stream.settings import Settings, WatchSettings
from stream.sink.main import SCHEMA, open_store, wait_for_schema
from stream.telemetry import WatchMetrics
from stream.watch.changes import Tuning
from stream.watch.courier import Courier
from stream.watch.episodes import Rules
from stream.watch.loop import ALERTMANAGER, REPLAYED, WEBHOOK, WatchLoop
from stream.watch.reader import Reader
from stream.watch.records import Measure
from stream.watch.store import WatchStore, incident_row
from stream.watch.targets import Targets
from stream.watch.watcher import Watcher


def run_watch(settings: Settings, stop: threading.Event | None = None) -> int:
    """Run until SIGTERM, SIGINT or `stop`; returns the exit code. ClickHouse is waited for."""
    return process.run("watch", settings, stop, _run)


def _run(settings: Settings, stop: threading.Event) -> None:
    metrics, health = WatchMetrics(), Health(SCHEMA, REPLAYED)
    couriers, watcher = open_couriers(settings.watch, metrics), open_watcher(settings.watch)
    client = open_store(settings)
    with Endpoint(settings.telemetry, metrics.registry, health):
        metrics.build.labels(importlib.metadata.version("ragpulse"), "").set(1)
        logs.get().info(
            "watch starts", clickhouse=client.address, receivers=[courier.name for courier in couriers]
        )
        if wait_for_schema(client, settings, health, stop):
            compose(settings, watcher, couriers, metrics, health).run(stop)


def look_once(settings: Settings) -> dict[str, Any]:
    """What the watch would say now, for scripts. Nothing is stored, nobody is told. Raises SinkError."""
    client = open_store(settings)
    require_schema(client)
    reader, watcher = _reader(settings), open_watcher(settings.watch)
    loop = WatchLoop(settings.watch, reader, WatchStore(client), watcher, (), WatchMetrics(), Health())
    now = loop.replay()
    turn = watcher.turn(now)
    opened = [one for one in turn.changed if one.status == "open"]
    return {
        "at": now,
        "segments": [key.text for key in watcher.changes.watched.keys if key is not None],
        "incidents": [incident_row(incident) for incident in opened],
        "rates": [rate.row("", "") for rate in watcher.rates(now, 3_600)],
    }


def compose(
    settings: Settings, watcher: Watcher, couriers: list[Courier], metrics: WatchMetrics, health: Health
) -> WatchLoop:
    """Reader, store, watcher and receivers, put together: this function is the watch's plan."""
    store = WatchStore(open_store(settings))
    return WatchLoop(settings.watch, _reader(settings), store, watcher, couriers, metrics, health)


def open_watcher(settings: WatchSettings) -> Watcher:
    """The watch without its surroundings."""
    rules = Rules(settings.resolve_after_s, settings.renotify_s, settings.accept_hours * 3_600.0)
    targets = Targets(
        _targets(settings.objectives, "OBJECTIVES"),
        _targets(settings.budgets, "BUDGETS"),
        settings.min_traces,
    )
    return Watcher(tuning_of(settings), rules, targets, settings.late_s, lambda: uuid.uuid4().hex[:12])


def tuning_of(settings: WatchSettings) -> Tuning:
    """The settings as the bets are told them."""
    return Tuning(
        max_segments=settings.max_segments,
        max_strata=settings.max_strata,
        segment_min_traces=settings.segment_min_traces,
        false_incidents_s=settings.false_incidents_days * 86_400.0,
        min_traces=settings.min_traces,
        guard=settings.guard,
        page_change=settings.page_change,
    )


def open_couriers(settings: WatchSettings, metrics: WatchMetrics) -> list[Courier]:
    """A courier for each receiver that has an address. Raises SettingRefused where that is none."""
    found = []
    webhook = settings.webhook_url.get_secret_value().partition("?")[0] if settings.webhook_url else None
    for name, url in ((ALERTMANAGER, settings.alertmanager_url), (WEBHOOK, webhook)):
        if url:
            try:
                poster = Poster(url, {}, settings.timeout_s)
            except SinkAddressWrong as error:
                raise SettingRefused(
                    f"RAGPULSE_WATCH__{name.upper()}_URL cannot be used: {error}."
                ) from error
            found.append(Courier(name, poster, metrics, settings.tries))
    return found


def _reader(settings: Settings) -> Reader:
    return Reader(open_store(settings), settings.watch.slack_s, settings.watch.rows_at_once)


def _targets(said: dict[str, float], setting: str) -> dict[Measure, float]:
    """By measure, the highest share of bad traces: of faithfulness, what may be missing."""
    try:
        named = {Measure(name): value for name, value in said.items()}
    except ValueError as error:
        names = ", ".join(measure.value for measure in Measure)
        raise SettingRefused(f"RAGPULSE_WATCH__{setting}: {error}; choose from {names}.") from error
    return {m: 1.0 - value if m is Measure.FAITHFULNESS else value for m, value in named.items()}


__all__ = ["compose", "look_once", "open_couriers", "open_watcher", "run_watch", "tuning_of"]
