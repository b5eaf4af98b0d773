"""Dead letters after the fix: replayed by the command, scored, stored, and counted once."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.broker import EmbeddedBroker
from stream.settings import Settings
from tests.support.kafka import environment, isolated_settings
from tests.support.sink import QUICK, running_sink, wait_for_rows
from tests.support.worker import names, publish_traces, running_worker

pytestmark = [pytest.mark.broker, pytest.mark.engine]


def ragpulse(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stream.cli", *arguments]
    return subprocess.run(
        command,
        env=os.environ | environment(settings),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def test_what_a_wrong_limit_buried_is_stored_once_after_it_was_raised(
    embedded_broker: EmbeddedBroker, dsn: str
) -> None:
    broken = isolated_settings(
        embedded_broker.address,
        worker={"max_trace_bytes": 1_024},
        sink=QUICK,
        clickhouse={"dsn": dsn, "timeout_s": 10.0},
    )
    migrate(connect(dsn))
    small, large = names(5), names(4)
    publish_traces(broken, small)
    publish_traces(broken, large, question="How many days does a refund take? " * 60)
    with running_worker(broken) as worker, running_sink(broken) as sink:
        worker.wait_for("ragpulse_dead_letters_total", len(large))
        sink.wait_for("ragpulse_rows_inserted_total", len(large), table="dead_letters")
        wait_for_rows(broken, len(small))

    listed = ragpulse(broken, "dead", "list", "--reason", "too_large", "--json")
    assert len(listed.stdout.splitlines()) == len(large), listed.stderr
    tried = ragpulse(broken, "dead", "replay", "--reason", "too_large", "--dry-run", "--json")
    assert json.loads(tried.stdout)["sent"] == len(large), tried.stderr

    mended = broken.model_copy(
        update={"worker": broken.worker.model_copy(update={"max_trace_bytes": 100_000})}
    )
    with running_worker(mended), running_sink(mended) as sink:
        for expected in (len(large), 0):
            done = ragpulse(broken, "dead", "replay", "--reason", "too_large", "--json")
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["sent"] == expected
        sink.wait_for("ragpulse_rows_inserted_total", len(large), table="traces")
        again = ragpulse(broken, "dead", "replay", "--again", "--json")
        assert json.loads(again.stdout)["sent"] == len(large)
        sink.wait_for("ragpulse_rows_inserted_total", 2 * len(large), table="traces")
        counts = wait_for_rows(mended, len(small) + len(large))
    assert counts.final == counts.distinct == len(small) + len(large)
    store = connect(dsn)
    found = {row["trace_id"] for row in store.query("SELECT trace_id FROM traces FINAL")}
    assert found == {*small, *large}
    (kept,) = store.query("SELECT count() AS n FROM dead_letters FINAL")
    assert kept["n"] == len(large), "what was buried stays in the books, once"
