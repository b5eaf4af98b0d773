"""The sink: what was scored, judged or given up goes into ClickHouse, and offsets follow it.

Offsets are committed only behind the insert, and behind the confirmed dead letter of a row that cannot
be stored. A crash at any point leaves duplicates at most, and those change nothing: every row has a
stable key.
"""

from __future__ import annotations

import importlib.metadata
import threading
from typing import Final

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import require_schema
from sinks.errors import SinkAddressWrong, SinkDenied, SinkError, SinkUntrusted
from stream import logs, process, topics
from stream.backoff import Backoff
from stream.dead import letters
from stream.endpoint import Endpoint, Health
from stream.errors import ServiceRefuses, SettingRefused
from stream.kafka.producer import Output
from stream.kafka.source import Source
from stream.settings import KafkaSettings, Settings
from stream.settings.clickhouse import CERTIFICATES
from stream.sink.inserter import CLICKHOUSE, Inserter
from stream.sink.loop import SinkLoop
from stream.sink.roller import Roller
from stream.telemetry import SinkMetrics

GROUP: Final = "sink"
ASSIGNED: Final = "partitions"
SCHEMA: Final = "schema"
READ: Final = (topics.SCORED, topics.VERDICTS, topics.DEAD)


def run_sink(settings: Settings, stop: threading.Event | None = None) -> int:
    """Run until SIGTERM, SIGINT or `stop`; returns the exit code. Services that are away are waited for."""
    return process.run("sink", settings, stop, _run)


def _run(settings: Settings, stop: threading.Event) -> None:
    metrics = SinkMetrics()
    health = Health(SCHEMA, ASSIGNED)
    client = open_store(settings)
    with Endpoint(settings.telemetry, metrics.registry, health):
        metrics.build.labels(importlib.metadata.version("ragpulse"), "").set(1)
        logs.get().info("sink starts", brokers=settings.kafka.brokers, clickhouse=client.address)
        ready = process.wait_for_topics(settings.kafka, READ, stop)
        if ready and wait_for_schema(client, settings, health, stop):
            compose(settings, metrics, health).run(stop)


def open_store(settings: Settings) -> ClickHouse:
    """A client of the store that the settings name. Raises SettingRefused where that is no DSN."""
    try:
        store = settings.clickhouse
        return connect(store.dsn.get_secret_value(), store.timeout_s, store.tls)
    except SinkAddressWrong as error:
        raise SettingRefused(f"RAGPULSE_CLICKHOUSE__DSN: {error}") from error


def wait_for_schema(client: ClickHouse, settings: Settings, health: Health, stop: threading.Event) -> bool:
    """Wait until the tables of this build are there. False when stopped first.

    Raises ServiceRefuses on a wrong password or certificate: at the start waiting would hide it. (Later it
    is waited for, since rows are in hand and the password may be changing.)
    """
    backoff = Backoff(settings.sink.retry_first_s, settings.sink.retry_max_s)
    while not stop.is_set():
        try:
            require_schema(client)
        except SinkUntrusted as error:
            raise ServiceRefuses(f"{error} {CERTIFICATES}") from error
        except SinkDenied as error:
            raise ServiceRefuses(f"{error} Correct RAGPULSE_CLICKHOUSE__DSN.") from error
        except SinkError as error:
            logs.get().warning(f"{error} Trying again.", setting="RAGPULSE_CLICKHOUSE__DSN")
            health.beat()
            stop.wait(backoff.next_s())
        else:
            health.got(SCHEMA)
            return True
    return False


def fetching_ahead(settings: Settings) -> KafkaSettings:
    """Kafka settings that have the next batch at hand while one is stored; the user's own options win.

    A partition that has enough at hand is left out of the next fetch. The broker then holds back that
    fetch for the idle partitions, and with it all others, so the time it may do so is kept short.
    """
    options = {
        "queued.min.messages": 2 * settings.sink.batch_rows,
        "queued.max.messages.kbytes": min(2_000_000, settings.sink.batch_bytes // 1024 + 1),
        "fetch.wait.max.ms": 50,
    }
    return settings.kafka.model_copy(update={"options": options | settings.kafka.options})


def compose(settings: Settings, metrics: SinkMetrics, health: Health) -> SinkLoop:
    """Source, output, inserter and roller, put together: this function is the sink's plan."""
    name = settings.kafka.topic
    source = Source(
        fetching_ahead(settings),
        GROUP,
        [name(topic) for topic in READ],
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
    inserter = Inserter(open_store(settings), settings.sink, metrics, health)
    roller = Roller(open_store(settings), settings, metrics)
    loop = SinkLoop(settings, source, output, inserter, roller, metrics, health)
    return loop


__all__ = ["ASSIGNED", "CLICKHOUSE", "GROUP", "compose", "open_store", "run_sink", "wait_for_schema"]
