"""What the pages show, for programs: over an hour of simulated traffic in a real engine."""

from __future__ import annotations

from typing import Any

import pytest

from sinks.clickhouse.client import connect
from stream.embedded.engine import EmbeddedEngine
from tests.support.console import Browser, Heard, bearer, open_console
from tests.support.console_data import INCIDENT, Filled, fill, just_now
from tests.support.console_people import fill_golden

pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]


class Site:
    """The console over a filled store."""

    def __init__(self, dsn: str) -> None:
        client = connect(dsn)
        self.data: Filled = fill(client, end=just_now(), traces=300)
        fill_golden(client, self.data.traces, self.data.end)
        self.heard = Heard()
        self.browser = Browser(open_console(dsn, observer=self.heard))

    def ask(self, path: str, name: str = "vera") -> Any:
        """The answer's JSON."""
        answer = self.browser.get(f"/api/v1{path}", headers=bearer(name))
        assert answer.status_code == 200, answer.text
        return answer.json()

    def status(self, path: str, name: str = "vera") -> int:
        """The answer's status."""
        return int(self.browser.get(f"/api/v1{path}", headers=bearer(name)).status_code)


@pytest.fixture(scope="module")
def site(embedded_engine: EmbeddedEngine) -> Site:
    return Site(embedded_engine.dsn_of("console_api"))


def test_rates_come_with_their_intervals_and_add_up(site: Site) -> None:
    live = site.ask("/live?period=1h")
    assert live["traces"] == len(site.data.traces)
    assert sum(one["traces"] for one in live["classes"].values()) <= live["traces"]
    hallucination = live["measures"]["hallucination"]
    assert hallucination["low"] < hallucination["value"] < hallucination["high"]
    assert site.ask("/live?tenant=lumen")["traces"] < live["traces"]
    assert site.ask("/live?tenant=nobody")["measures"]["hallucination"]["value"] is None
    assert site.status("/live?period=century") == 422


def test_an_incident_is_listed_and_told(site: Site) -> None:
    listed = site.ask("/incidents?status=open")["incidents"]
    assert INCIDENT in [one["incident_id"] for one in listed]
    assert site.ask(f"/incidents/{INCIDENT}")["incident"]["measure"] == "hallucination"
    assert site.status("/incidents/nobody") == 404


def test_a_case_is_redacted_for_all_but_an_admin_who_asks_and_is_written_down(site: Site) -> None:
    trace_id = site.data.traces[0]["trace_id"]
    for name in ("vera", "anna", "adam"):
        found = site.ask(f"/cases/{trace_id}", name)
        assert found["case"]["row"]["trace_id"] == trace_id
    assert not [one for one in site.heard.events if one["event"] == "original read"]
    for name in ("vera", "anna"):
        assert site.status(f"/cases/{trace_id}?original=true", name) == 403
    original = site.ask(f"/cases/{trace_id}?original=true", "adam")
    assert original["case"]["row"]["question"] == site.data.traces[0]["question"]
    assert [(one["by"], one["trace_id"]) for one in site.heard.events if one["event"] == "original read"] == [
        ("adam", trace_id)
    ]
    assert site.status("/cases/nobody") == 404


def test_golden_sets_judges_and_gaps_are_there(site: Site) -> None:
    versions = site.ask("/golden")["versions"]
    name = versions[0]["name"]
    assert len(site.ask(f"/golden/{name}")["cases"]) == versions[0]["cases"]
    assert site.status("/golden/nobody") == 404
    assert {one["judge"] for one in site.ask("/judges")["standings"]} >= {"strict", "careful"}
    assert site.ask("/gaps")["traces"] == len(site.data.traces)
