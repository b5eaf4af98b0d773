"""Settings of the watch that cannot be used are refused with one sentence, before anything starts."""

from __future__ import annotations

import math

import pytest
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

from stream.errors import SettingRefused
from stream.settings import WatchSettings
from stream.telemetry import WatchMetrics
from stream.watch.bins import BIN_S
from stream.watch.main import open_couriers, open_watcher, tuning_of
from stream.watch.measures import ALERTED
from stream.watch.records import Measure


@pytest.mark.parametrize("setting", ["objectives", "budgets"])
def test_a_measure_that_does_not_exist_is_named(setting: str) -> None:
    with pytest.raises(SettingRefused, match=rf"RAGPULSE_WATCH__{setting.upper()}.*happiness.*hallucination"):
        open_watcher(WatchSettings.model_validate({setting: {"happiness": 0.1}}))


@pytest.mark.parametrize("setting", ["alertmanager_url", "webhook_url"])
def test_an_address_that_is_none_is_refused_without_being_shown(setting: str) -> None:
    settings = WatchSettings.model_validate({setting: "ftp://host/t0ken"})
    with pytest.raises(SettingRefused, match=rf"RAGPULSE_WATCH__{setting.upper()}") as refused:
        open_couriers(settings, WatchMetrics(CollectorRegistry()))
    assert "t0ken" not in str(refused.value)


def test_addresses_of_webhooks_may_have_a_query_and_are_never_shown() -> None:
    settings = WatchSettings(webhook_url=SecretStr("https://example.com/hook?token=t0ken"))
    (courier,) = open_couriers(settings, WatchMetrics(CollectorRegistry()))
    assert courier.name == "webhook"
    assert "t0ken" not in repr(settings)


def test_nobody_is_told_unless_there_is_an_address() -> None:
    assert open_couriers(WatchSettings(), WatchMetrics(CollectorRegistry())) == []


def test_the_threshold_follows_from_the_time_between_false_incidents() -> None:
    month, year = (tuning_of(WatchSettings(false_incidents_days=days)) for days in (30, 365))
    few, many, later = (
        tuning.threshold(Measure.HALLUCINATION, alike, wide=True)
        for tuning, alike in ((month, 2), (month, 8), (year, 8))
    )
    assert 15 < few < many < later < 20


def test_all_bets_together_are_wrong_as_rarely_as_is_wanted() -> None:
    """Each is wrong once in exp(threshold) bins at most; together, once in the time that was set."""
    tuning = tuning_of(WatchSettings(false_incidents_days=30))
    wide, narrow = 3, 57
    rate = sum(
        alike * math.exp(-tuning.threshold(measure, alike, wide=is_wide))
        for measure in ALERTED
        for alike, is_wide in ((wide, True), (narrow, False))
    )
    assert 1 / rate == pytest.approx(30 * 86_400 / BIN_S)
