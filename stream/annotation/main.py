"""`ragpulse annotate fill`: the process that puts cases into the annotation queue."""

from __future__ import annotations

import importlib.metadata
import threading
from typing import Final

from sinks.clickhouse.migrate import require_schema
from stream import logs, process, topics
from stream.annotation.filler import Filler, Turned
from stream.annotation.loop import FILLED, FillLoop
from stream.dead import letters
from stream.endpoint import Endpoint, Health
from stream.kafka.producer import Output
from stream.kafka.source import Source
from stream.settings import Settings
from stream.sink.main import SCHEMA, open_store, wait_for_schema
from stream.telemetry import AnnotationMetrics

GROUP: Final = "annotate"
ASSIGNED: Final = "partitions"
WRITES: Final = (topics.ANNOTATION, topics.DEAD)


def run_fill(settings: Settings, stop: threading.Event | None = None) -> int:
    """Run until SIGTERM, SIGINT or `stop`; returns the exit code. Services that are away are waited for."""
    return process.run("annotate", settings, stop, _run)


def fill_once(settings: Settings) -> Turned:
    """One turn over the tables alone, up to this moment. Raises SinkError."""
    client = open_store(settings)
    try:
        require_schema(client)
        return Filler(client, settings.annotation).turn(slack_s=0.0)
    finally:
        client.close()


def _run(settings: Settings, stop: threading.Event) -> None:
    metrics, health = AnnotationMetrics(), Health(SCHEMA, ASSIGNED, FILLED)
    client = open_store(settings)
    with Endpoint(settings.telemetry, metrics.registry, health):
        metrics.build.labels(importlib.metadata.version("ragpulse"), "").set(1)
        logs.get().info("annotate starts", brokers=settings.kafka.brokers, clickhouse=client.address)
        ready = process.wait_for_topics(settings.kafka, WRITES, stop, health)
        if ready and wait_for_schema(client, settings, health, stop):
            compose(settings, metrics, health).run(stop)


def compose(settings: Settings, metrics: AnnotationMetrics, health: Health) -> FillLoop:
    """Source, output and filler, put together: this function is the filler's plan."""
    name = settings.kafka.topic
    source = Source(
        settings.kafka,
        GROUP,
        [name(topics.ANNOTATION)],
        metrics,
        drain=lambda partitions, budget_s: loop.drain(partitions, budget_s),
        revoke_budget_s=settings.sink.revoke_budget_s,
        on_assigned=lambda: health.got(ASSIGNED),
    )
    output = Output(
        settings.kafka,
        settle=source.ledger.settle,
        metrics=metrics,
        cuts={name(topics.DEAD): letters.cut},
    )
    filler = Filler(open_store(settings), settings.annotation)
    loop = FillLoop(settings, source, output, filler, metrics, health)
    return loop


__all__ = ["ASSIGNED", "GROUP", "compose", "fill_once", "run_fill"]
