"""`ragpulse worker | sink | export | migrate`: the processes, and the schema that they need."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from stream.cli.shell import load_settings, note, print_json


def worker() -> None:
    """Score what arrives: reads traces, publishes scores.

    Runs until SIGTERM or Ctrl-C, and then finishes what it has in hand. Start as many as you like: they
    divide the partitions among them. A broker that is away is waited for. Logs go to standard error;
    metrics to RAGPULSE_TELEMETRY__PORT, where that is set (/metrics, /healthz, /readyz).

    \b
    Examples:
      RAGPULSE_KAFKA__BROKERS=kafka:9092 ragpulse worker
      RAGPULSE_TELEMETRY__PORT=9464 ragpulse worker

    Exit code: 0 when asked to stop; 1 it crashed; 2 settings; 3 the broker refuses.
    """
    from stream.worker import run_worker

    raise typer.Exit(run_worker(load_settings()))


def sink() -> None:
    """Store what was scored: reads scores and dead letters, inserts into ClickHouse.

    Runs until SIGTERM or Ctrl-C. Offsets are committed only behind the insert; while ClickHouse is away
    it is tried again. Run `ragpulse migrate` before the first start.

    \b
    Examples:
      RAGPULSE_CLICKHOUSE__DSN=http://user:password@clickhouse:8123/ragpulse ragpulse sink

    Exit code: 0 when asked to stop; 1 it crashed; 2 settings; 3 a service refuses.
    """
    from stream.sink import run_sink

    raise typer.Exit(run_sink(load_settings()))


def export(
    destination: Annotated[
        str, typer.Argument(metavar="RECEIVER", help="otlp, langfuse or phoenix: one process for each.")
    ],
) -> None:
    """Send verdicts back to where the traces live: OTLP, Langfuse or Phoenix.

    Off unless you start it, and reads with a consumer group of its own: a receiver that is slow or away
    holds up nothing else. What is not taken is tried again, and given up and counted in the end. No text
    of a trace is sent unless RAGPULSE_EXPORT__INCLUDE_TEXT is set. The first start begins with the oldest
    verdicts that the broker has.

    \b
    Examples:
      RAGPULSE_EXPORT__OTLP_URL=http://collector:4318 ragpulse export otlp
      RAGPULSE_EXPORT__PHOENIX_URL=http://phoenix:6006 ragpulse export phoenix

    Exit code: 0 when asked to stop; 1 it crashed; 2 settings; 3 the broker refuses.
    """
    from stream.export import run_export

    raise typer.Exit(run_export(load_settings(), destination))


def migrate(
    as_json: Annotated[bool, typer.Option("--json", help="What was applied, as one JSON object.")] = False,
) -> None:
    """Create or upgrade the ClickHouse schema. Running it twice is safe.

    Prints what was applied. A schema that is newer than this version is refused.

    \b
    Examples:
      ragpulse migrate
      RAGPULSE_CLICKHOUSE__DSN=http://localhost:8123/ragpulse ragpulse migrate --json

    Exit code: 0; 1 the schema is newer, or a migration was changed; 2 settings; 3 ClickHouse is away.
    """
    from sinks.clickhouse.client import connect
    from sinks.clickhouse.distributed import make_distributed
    from sinks.clickhouse.migrate import load_migrations
    from sinks.clickhouse.migrate import migrate as apply_migrations

    store = load_settings().clickhouse
    dsn = store.dsn.get_secret_value()
    client = connect(dsn, store.timeout_s, store.tls)
    try:
        applied = apply_migrations(
            client,
            cluster=store.cluster,
            retention_days=store.retention_days,
            text_retention_days=store.text_retention_days,
            rollup_retention_days=store.rollup_retention_days,
        )
        if store.cluster and store.distributed_database:
            whole = connect(dsn, store.timeout_s, store.tls, database=store.distributed_database)
            with closing(whole):
                make_distributed(client, whole, store.cluster, load_migrations())
    finally:
        client.close()
    if as_json:
        print_json({"database": client.address, "applied": applied})
    elif applied:
        note(f"applied at {client.address}: {', '.join(applied)}")
    else:
        note(f"nothing to do at {client.address}: the schema is up to date")


__all__ = ["export", "migrate", "sink", "worker"]
