"""Every query to Prometheus, of dashboards and rules, against Prometheus itself, which scrapes every process.

Worker, sink, judge, watch and export run as processes of their own on an embedded broker and engine, on the
demo's traffic, with a stand-in for the judge's server and for the receivers.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import yaml

from grafana.asking import FOLDER, asked_by_alerts, asked_of, dashboards
from stream import topics
from stream.demo.publisher import TrafficPublisher
from stream.demo.traffic import Traffic
from stream.embedded import child
from stream.embedded.supervisor import Supervisor
from tests.support.alerting import PROMETHEUS, ask_prometheus, prometheus
from tests.support.stand_in_llm import BROKEN, EMPTY, KEY, StandIn
from tests.support.stand_in_receiver import Answer, stand_in_receiver

pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.broker,
    pytest.mark.engine,
    pytest.mark.skipif(PROMETHEUS is None, reason="Prometheus is not installed"),
]

RULES = FOLDER.parent / "rules" / "ragpulse.yml"
SHOWN = [
    (name, where, query)
    for name, board in dashboards().items()
    for where, query in asked_of(board, "prometheus")
] + [("alerting", where, query) for where, query in asked_by_alerts("prometheus")]
RULED = [
    (rule.get("alert") or rule["record"], rule["expr"])
    for group in yaml.safe_load(RULES.read_text())["groups"]
    for rule in group["rules"]
]
ONLY_WHEN_IT_HAPPENS = {
    "ragpulse_lost_by_retention_total": "the broker deleted what was not read",
    "ragpulse_insert_failures_total": "ClickHouse refused an insert",
    "ragpulse_scorer_swaps_total": "another scorer was promoted",
    "ragpulse_alert_receiver_up": "an incident was told",
    "ragpulse_judge_circuit_open": "an endpoint failed too often",
    "ragpulse_judge_probe_drift": "the probe set was put to a judge twice",
    'ragpulse_commits_total{result="failed"}': "the broker refused a commit",
}
"""Series whose labels say what happened: without it there are none."""
SECONDS = 120
"""At most, until all are up and have done something."""
PATIENCE_S = 20


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a Prometheus that has scraped all processes at work for a while."""
    folder = tmp_path_factory.mktemp("scraped")
    with ExitStack() as stack:
        llm = stack.enter_context(StandIn())
        llm.script(BROKEN, EMPTY)
        receiver = stack.enter_context(stand_in_receiver(usual=Answer()))
        pulse = stack.enter_context(Supervisor(folder, judge=True, watch=True, overrides={
            "RAGPULSE_JUDGE__BASE_URL": llm.base_url, "RAGPULSE_JUDGE__API_KEY": KEY,
            "RAGPULSE_JUDGE__MODEL": "stand-in-1", "RAGPULSE_JUDGE__BUDGET_HOURLY_TOKENS": "100000000",
            "RAGPULSE_JUDGE__STATE_FILE": str(folder / "judge.sqlite"), "RAGPULSE_SAMPLING__BASE_RATE": "0.2",
            "RAGPULSE_WATCH__INTERVAL_S": "1", "RAGPULSE_WATCH__RATES_INTERVAL_S": "2",
            "RAGPULSE_EXPORT__OTLP_URL": receiver.url,
        }))  # fmt: skip
        port = child.find_free_port()
        export = child.spawn(
            [sys.executable, "-m", "stream.cli", "export", "otlp"], folder / "export.log", cwd=folder,
            env={**pulse.environment(), "RAGPULSE_TELEMETRY__PORT": str(port)},
        )  # fmt: skip
        stack.callback(_stop, export)
        targets = {one.name.split("-")[0]: f"{child.LOOPBACK}:{one.port}" for one in pulse.children}
        targets["export"] = f"{child.LOOPBACK}:{port}"
        url = stack.enter_context(prometheus(folder, targets, RULES))
        publisher = TrafficPublisher(Traffic(5), pulse.kafka, topics.TRACES, seconds=600, rate=40)
        publisher.start()
        stack.callback(publisher.stop)
        _wait_for(url, 'count(up{job="ragpulse"} == 1) == 5', SECONDS)
        _wait_for(url, "ragpulse_judge_verdicts_total and on () ragpulse_judge_spent", SECONDS)
        yield url


def _stop(process: subprocess.Popen[bytes]) -> None:
    child.stop(process, budget_s=10.0)


def _wait_for(url: str, query: str, seconds: float = PATIENCE_S) -> None:
    until = time.monotonic() + seconds
    while not ask_prometheus(url, query):
        assert time.monotonic() < until, f"nothing: {query}"
        time.sleep(0.3)


def metrics_of(query: str) -> set[str]:
    """Names of the metrics, recorded ones among them, that a query names."""
    return set(re.findall(r"\b(?:ragpulse[_:]|process_|up\b)[a-z0-9_:]*", query))


def test_every_process_is_scraped(scraped: str) -> None:
    found = {one["metric"]["process"] for one in ask_prometheus(scraped, "up == 1")}
    assert found == {"worker", "sink", "judge", "watch", "export"}


@pytest.mark.parametrize(
    "query", [pytest.param(q, id=f"{name}: {where} {q[:60]}") for name, where, q in SHOWN]
)
def test_every_query_of_a_dashboard_finds_something(scraped: str, query: str) -> None:
    if any(series in query for series in ONLY_WHEN_IT_HAPPENS):
        assert ask_prometheus(scraped, query) == []
    else:
        _wait_for(scraped, query)


@pytest.mark.parametrize(("name", "query"), [pytest.param(*rule, id=rule[0]) for rule in RULED])
def test_every_rule_is_understood_and_all_that_it_asks_for_is_there(
    scraped: str, name: str, query: str
) -> None:
    ask_prometheus(scraped, query)
    for metric in metrics_of(query) - ONLY_WHEN_IT_HAPPENS.keys():
        _wait_for(scraped, metric)
    if ":" in name:
        _wait_for(scraped, name)


def test_nothing_but_the_dead_mans_switch_fires_while_all_is_well(scraped: str) -> None:
    firing = ask_prometheus(scraped, 'ALERTS{alertstate="firing"}')
    assert {alert["metric"]["alertname"] for alert in firing} == {"RagpulseDeadMansSwitch"}
