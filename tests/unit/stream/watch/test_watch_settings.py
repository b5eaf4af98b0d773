"""Settings of the watch that cannot be used are refused with one sentence, before anything starts."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry

from stream.errors import SettingRefused
from stream.settings import WatchSettings
from stream.telemetry import WatchMetrics
from stream.watch.main import open_couriers, open_watcher, tuning_of


@pytest.mark.parametrize("setting", ["objectives", "budgets"])
def test_a_measure_that_does_not_exist_is_named(setting: str) -> None:
    with pytest.raises(SettingRefused, match=rf"RAGPULSE_WATCH__{setting.upper()}.*happiness.*hallucination"):
        open_watcher(WatchSettings(**{setting: {"happiness": 0.1}}))


@pytest.mark.parametrize("setting", ["alertmanager_url", "webhook_url"])
def test_an_address_that_is_none_is_refused_without_being_shown(setting: str) -> None:
    settings = WatchSettings(**{setting: "ftp://host/t0ken"})
    with pytest.raises(SettingRefused, match=rf"RAGPULSE_WATCH__{setting.upper()}") as refused:
        open_couriers(settings, WatchMetrics(CollectorRegistry()))
    assert "t0ken" not in str(refused.value)


def test_addresses_of_webhooks_may_have_a_query_and_are_never_shown() -> None:
    settings = WatchSettings(webhook_url="https://example.com/hook?token=t0ken")
    (courier,) = open_couriers(settings, WatchMetrics(CollectorRegistry()))
    assert courier.name == "webhook"
    assert "t0ken" not in repr(settings)


def test_nobody_is_told_unless_there_is_an_address() -> None:
    assert open_couriers(WatchSettings(), WatchMetrics(CollectorRegistry())) == []


def test_the_threshold_follows_from_the_time_between_false_incidents() -> None:
    month, year = (tuning_of(WatchSettings(false_incidents_days=days)) for days in (30, 365))
    assert 17 < month.threshold(8) < 18
    assert month.threshold(8) < month.threshold(60) < year.threshold(60) < 23
