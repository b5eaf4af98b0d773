"""From the topic to the table: real workers and real sinks as processes, and what a crash costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from tests.contracts.test_worker_groups import SLOW_WORKER
from tests.support.kafka import isolated_settings
from tests.support.sink import QUICK, SinkProcess, wait_for_rows
from tests.support.worker import WorkerProcess, names, publish_traces

pytestmark = [pytest.mark.engine, pytest.mark.broker]

TRACES = 2_000


def test_a_worker_and_a_sink_killed_amid_their_batches_cost_no_trace(
    broker: str, dsn: str, tmp_path: Path
) -> None:
    store = connect(dsn)
    migrate(store)
    settings = isolated_settings(
        broker,
        partitions=4,
        worker={"batch_size": 20, "commit_interval_s": 0.5},
        sink=QUICK,
        clickhouse={"dsn": dsn, "timeout_s": 10.0},
    )
    traces = names(TRACES)
    workers = [WorkerProcess(settings, tmp_path, f"worker{n}", program=SLOW_WORKER) for n in range(2)]
    sinks = [SinkProcess(settings, tmp_path, "sink0")]
    try:
        for worker in workers:
            worker.wait_for_log("partitions assigned")
        publish_traces(settings, traces)
        wait_for_rows(settings, 200)
        workers[0].kill()
        sinks[0].kill()
        sinks.append(SinkProcess(settings, tmp_path, "sink1"))
        counts = wait_for_rows(settings, TRACES)
        assert workers[1].terminate() == 0
        assert sinks[1].terminate() == 0
    finally:
        for worker in workers:
            worker.kill()
        for sink in sinks:
            sink.kill()
    assert (counts.final, counts.distinct) == (TRACES, TRACES)
    stored = store.query("SELECT DISTINCT trace_id FROM traces")
    assert {row["trace_id"] for row in stored} == set(traces)
    assert store.query("SELECT count() AS n FROM dead_letters") == [{"n": 0}]
