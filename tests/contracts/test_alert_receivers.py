"""From a spike in the table to whoever is on call: Alertmanager and Prometheus themselves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.child import find_free_port
from stream.watch.main import run_watch
from tests.contracts.test_watch import MINUTES, incidents, run_until, spike
from tests.support.alerting import ALERTMANAGER, PROMETHEUS, alertmanager, ask_prometheus, prometheus
from tests.support.stand_in_receiver import Answer, StandInReceiver
from tests.support.watch import Moment, store_traffic, watch_settings

pytestmark = pytest.mark.engine


@pytest.mark.skipif(ALERTMANAGER is None, reason="Alertmanager is not installed")
def test_a_spike_reaches_a_webhook_through_alertmanager_and_so_does_its_end(dsn: str, tmp_path: Path) -> None:
    store, end = connect(dsn), time.time()
    migrate(store)
    store_traffic(store, MINUTES, 5, spike, until=end - 20)
    receiver = StandInReceiver([], Answer())
    receiver.start()

    def said(status: str) -> list[dict[str, Any]]:
        bodies = [orjson.loads(request.body) for request in receiver.received]
        return [alert for body in bodies for alert in body["alerts"] if alert["status"] == status]

    try:
        with alertmanager(tmp_path, receiver.url) as url:
            settings = watch_settings(dsn, alertmanager_url=url, resolve_after_s=0.5)
            run_until(settings, lambda: bool(said("firing")))
            (incident,) = incidents(store)
            store_traffic(store, 0.3, 150, lambda before, tenant: Moment(), seed=1, until=time.time())
            run_until(settings, lambda: bool(said("resolved")))
    finally:
        receiver.stop()
    first = said("firing")[0]
    assert first["labels"] == {
        "alertname": "RagpulseIncident", "incident": incident["incident_id"], "kind": "change",
        "measure": "hallucination", "segment": "app=helpdesk,tenant=globex", "app": "helpdesk",
        "tenant": "globex", "severity": "page",
    }  # fmt: skip
    assert "prompt=p8" in first["annotations"]["summary"]
    assert "prompt=p8 (was p7)" in first["annotations"]["description"]
    assert "question" not in str(first["annotations"])
    assert {alert["labels"]["incident"] for alert in said("resolved")} == {incident["incident_id"]}


@pytest.mark.skipif(PROMETHEUS is None, reason="Prometheus is not installed")
def test_prometheus_scrapes_the_incident_and_its_rate(dsn: str, tmp_path: Path) -> None:
    store, port = connect(dsn), find_free_port()
    migrate(store)
    store_traffic(store, MINUTES, 5, spike)
    settings = watch_settings(dsn)
    settings.telemetry.port = port
    stop = threading.Event()
    thread = threading.Thread(target=run_watch, args=(settings, stop))
    thread.start()
    where = '{segment="app=helpdesk,tenant=globex",measure="hallucination"}'
    try:
        with prometheus(tmp_path, {"watch": f"127.0.0.1:{port}"}) as url:
            (one,) = _wait_for(lambda: ask_prometheus(url, "ragpulse_incidents_open == 1"))
            assert one["metric"]["severity"] == "page"
            query = f"ragpulse_watch_evidence{where} > ragpulse_watch_threshold"
            assert _wait_for(lambda: ask_prometheus(url, query))
            bounds = ask_prometheus(url, f"ragpulse_rate{where[:-1]},window='5m'}}")
            rate = {found["metric"]["bound"]: float(found["value"][1]) for found in bounds}
            assert rate["low"] < rate["value"] < rate["high"]
    finally:
        stop.set()
        thread.join(20)
    assert incidents(store)[0]["incident_id"] == one["metric"]["incident"]


def _wait_for(ask: Callable[[], list[dict[str, Any]]], seconds: float = 30) -> list[dict[str, Any]]:
    until = time.monotonic() + seconds
    while True:
        found = ask()
        if found or time.monotonic() > until:
            return found
        time.sleep(0.3)
