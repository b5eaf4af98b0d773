"""`ragpulse export NAME`: the process that sends verdicts to one receiver."""

from __future__ import annotations

import importlib.metadata
import threading
import time
from functools import partial
from typing import Final

from pydantic import SecretStr

from sinks.errors import SinkAddressWrong
from sinks.evaluations import Destination, Langfuse, Otlp, Phoenix
from sinks.evaluations.http import Poster
from stream import logs, process, topics
from stream.endpoint import Endpoint, Health
from stream.errors import SettingRefused
from stream.export.delivery import Delivery
from stream.export.lane import Lane
from stream.kafka.source import Source
from stream.settings import ExportSettings, Settings
from stream.telemetry import ExportMetrics

DESTINATIONS: Final = ("otlp", "langfuse", "phoenix")
ASSIGNED: Final = "partitions"
READ: Final = (topics.SCORED, topics.VERDICTS)


def run_export(settings: Settings, name: str, stop: threading.Event | None = None) -> int:
    """Run until SIGTERM, SIGINT or `stop`; returns the exit code. A receiver that is away is tried again."""
    return process.run("export", settings, stop, partial(_run, name))


def _run(name: str, settings: Settings, stop: threading.Event) -> None:
    metrics, health = ExportMetrics(), Health(ASSIGNED)
    url, destination = open_destination(settings.export, name)
    with Endpoint(settings.telemetry, metrics.registry, health):
        metrics.build.labels(importlib.metadata.version("ragpulse"), "").set(1)
        logs.get().info("export starts", brokers=settings.kafka.brokers, destination=name, url=url)
        if process.wait_for_topics(settings.kafka, READ, stop, health):
            compose(settings, destination, url, metrics, health).run(stop)


def open_destination(settings: ExportSettings, name: str) -> tuple[str, Destination]:
    """The address and the receiver of that name. Raises SettingRefused where it is not set, or half."""
    if name == "otlp":
        headers = {key: held.get_secret_value() for key, held in settings.otlp_headers.items()}
        return _needed(settings.otlp_url, "OTLP_URL"), Otlp(headers)
    if name == "phoenix":
        key = settings.phoenix_api_key
        return _needed(settings.phoenix_url, "PHOENIX_URL"), Phoenix(key.get_secret_value() if key else None)
    if name == "langfuse":
        url = _needed(settings.langfuse_url, "LANGFUSE_URL")
        public = _needed(settings.langfuse_public_key, "LANGFUSE_PUBLIC_KEY")
        secret = _needed(settings.langfuse_secret_key, "LANGFUSE_SECRET_KEY")
        return url, Langfuse(public, secret, settings.langfuse_api)
    raise SettingRefused(f"There is no receiver {name!r}: choose one of {', '.join(DESTINATIONS)}.")


def _needed(value: str | SecretStr | None, name: str) -> str:
    text = value.get_secret_value() if isinstance(value, SecretStr) else value
    if not text:
        raise SettingRefused(f"Verdicts are sent nowhere: set RAGPULSE_EXPORT__{name}.")
    return text


def compose(
    settings: Settings, destination: Destination, url: str, metrics: ExportMetrics, health: Health
) -> Lane:
    """Source, receiver and loop, put together: this function is the export's plan."""
    name = destination.name
    try:
        poster = Poster(url, destination.headers, settings.export.timeout_s)
    except SinkAddressWrong as error:
        raise SettingRefused(f"RAGPULSE_EXPORT__{name.upper()}_URL cannot be used: {error}.") from error
    delivery = Delivery(destination, poster, settings.export, metrics, time.monotonic)
    source = Source(
        settings.kafka,
        f"export-{name}",
        [settings.kafka.topic(topic) for topic in READ],
        metrics,
        drain=lambda partitions, budget_s: lane.drain(partitions, budget_s),
        revoke_budget_s=settings.sink.revoke_budget_s,
        on_assigned=lambda: health.got(ASSIGNED),
    )
    lane = Lane(settings, source, delivery, metrics, health, name)
    return lane


__all__ = ["ASSIGNED", "DESTINATIONS", "compose", "open_destination", "run_export"]
