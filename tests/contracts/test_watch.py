"""The watch on a real engine: what it finds, what it leaves alone, and what a restart costs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from sinks.alerts import SIGNATURE, sign
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.settings import Settings
from stream.watch.main import look_once, run_watch
from tests.support.stand_in_receiver import Answer, StandInReceiver
from tests.support.watch import Moment, open_loop, store_traffic, store_verdicts, watch_settings

pytestmark = pytest.mark.engine

MINUTES = 12
SPIKE_S = 90.0
RELEASED_S = 95.0


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    migrate(client)
    yield client
    client.close()


def spike(before: float, tenant: str) -> Moment:
    """One tenant's new prompt makes things up."""
    if tenant != "globex" or before > RELEASED_S:
        return Moment()
    return Moment(prompt="p8", hallucinated=0.05 if before > SPIKE_S else 0.5)


def incidents(store: ClickHouse, status: str = "open") -> list[dict[str, Any]]:
    began = "toUnixTimestamp64Milli(onset) / 1000 AS began"
    return store.query(f"SELECT *, {began} FROM incidents FINAL WHERE status = {{s:String}}", {"s": status})


def test_a_spike_after_a_release_is_one_incident_that_names_both(store: ClickHouse, dsn: str) -> None:
    end = time.time()
    stored = store_traffic(store, MINUTES, 5, spike, until=end)
    loop = open_loop(watch_settings(dsn))
    loop.replay()
    loop.look()
    (found,) = incidents(store)
    assert (found["segment"], found["measure"]) == ("app=helpdesk,tenant=globex", "hallucination")
    assert found["release"] == "prompt=p8"
    assert abs(found["began"] - (end - SPIKE_S)) < 30
    assert found["baseline"] < 0.25 < found["low"] < found["value"]
    assert len(found["cases"]) == 10
    assert sum(case in stored.bad for case in found["cases"]) >= 8
    assert {stored.tenants[case] for case in found["cases"]} == {"globex"}
    explained = orjson.loads(found["explanation"])
    assert explained["releases"][0]["previous"] == "p7"
    assert explained["onset"]["low"] <= end - SPIKE_S <= explained["onset"]["high"]
    assert explained["onset"]["high"] - explained["onset"]["low"] < 60
    assert found["began"] == pytest.approx(explained["onset"]["at"], abs=0.1)
    assert "prompt=p8 (was p7)" in explained["text"]
    parts = incidents(store, "absorbed")
    assert {part["parent"] for part in parts} <= {found["incident_id"]}


def test_rates_of_every_window_are_kept_with_their_intervals(store: ClickHouse, dsn: str) -> None:
    store_traffic(store, MINUTES, 5, lambda before, tenant: Moment())
    loop = open_loop(watch_settings(dsn))
    loop.replay()
    loop.look()
    rows = store.query(
        "SELECT window_s, traces, measured, low, value, high FROM rates "
        "WHERE measure = 'hallucination' AND segment = 'app=helpdesk,tenant=acme' ORDER BY window_s"
    )
    assert [row["window_s"] for row in rows] == [300, 3600, 86400]
    assert all(0 < row["low"] < row["value"] < row["high"] < 1 for row in rows)
    (held,) = store.query(
        "SELECT avg(hallucination) AS p FROM traces "
        "WHERE tenant = 'acme' AND timestamp >= now() - INTERVAL 1 HOUR"
    )
    assert rows[1]["value"] == pytest.approx(held["p"], abs=0.005)


def test_verdicts_of_a_calibrated_judge_correct_rates_and_the_cheap_one_stays_beside(
    store: ClickHouse, dsn: str
) -> None:
    stored = store_traffic(store, MINUTES, 5, lambda before, tenant: Moment(hallucinated=0.1))
    store_verdicts(store, stored, languages=("en",))
    loop = open_loop(watch_settings(dsn))
    loop.replay()
    loop.look()
    rates = {
        row["segment"]: row
        for row in store.query("SELECT * FROM rates WHERE measure = 'hallucination' AND window_s = 3600")
    }
    english = rates["app=helpdesk,language=en"]
    assert english["method"] == "prediction_powered"
    assert english["judged"] > 100
    assert english["low"] < 0.1 < english["high"]
    assert english["high"] - english["low"] < 0.1
    assert english["cheap_value"] > english["value"] + 0.05
    (agreed,) = store.query(
        "SELECT * FROM rates WHERE measure = 'judged_agreement' AND window_s = 3600 "
        "AND segment = 'app=helpdesk,language=en'"
    )
    assert agreed["low"] < 0.1 * 0.8 + 0.9 * 0.95 < agreed["high"]
    assert (agreed["method"], agreed["cheap_value"]) == ("weighted", None)
    assert agreed["measured"] == agreed["judged"] > 100
    for unchecked in ("app=helpdesk,language=zh", "app=helpdesk"):
        assert rates[unchecked]["method"] == "cheap"
        assert rates[unchecked]["value"] == rates[unchecked]["cheap_value"]


@pytest.mark.parametrize(
    "moment",
    [
        lambda before, tenant: Moment(chinese=0.9 if before < 300 else 0.1),
        lambda before, tenant: Moment(scorer="s-2" if before < 300 else "s-1"),
        lambda before, tenant: Moment(prompt="p8" if before < 300 else "p7"),
    ],
    ids=["more Chinese", "another scorer", "a release that changes nothing"],
)
def test_what_changes_no_quality_is_no_incident(
    store: ClickHouse, dsn: str, moment: Callable[[float, str], Moment]
) -> None:
    store_traffic(store, MINUTES, 5, moment)
    loop = open_loop(watch_settings(dsn))
    loop.replay()
    loop.look()
    assert store.query("SELECT count() AS n FROM incidents") == [{"n": 0}]
    assert store.query("SELECT count() > 0 AS some FROM rates") == [{"some": True}]


def test_a_watch_that_starts_again_goes_on_with_its_incident_and_tells_nobody_twice(
    store: ClickHouse, dsn: str
) -> None:
    store_traffic(store, MINUTES, 5, spike)
    receiver = StandInReceiver([Answer(status=503)], Answer())
    receiver.start()
    settings = watch_settings(
        dsn, webhook_url=f"{receiver.url}/hook?token=t0ken", webhook_secret="s3cret", include_text=False
    )
    try:
        run_until(settings, lambda: told(store) == [1])
        assert len(receiver.taken) == 1
        first = incidents(store)
        run_until(settings, lambda: updates(store, first))
    finally:
        receiver.stop()
    (one,) = receiver.taken
    said = orjson.loads(one.body)
    assert [incident["incident_id"] for incident in incidents(store)] == [said["incident"]["incident_id"]]
    assert said["event"] == "opened"
    assert one.path == "/hook?token=t0ken"
    assert said["incident"]["segment"] == "app=helpdesk,tenant=globex"
    assert b"question" not in one.body
    at = int(one.headers[SIGNATURE].split(",")[0].removeprefix("t="))
    assert one.headers[SIGNATURE] == sign(one.body, "s3cret", at)
    assert [request.status for request in receiver.received] == [503, 200]


def test_rows_that_come_again_count_once(store: ClickHouse, dsn: str) -> None:
    until = time.time()

    def store_the_same() -> None:
        store_traffic(store, minutes=5, per_second=5, moment=lambda before, tenant: Moment(), until=until)

    store_the_same()
    loop = open_loop(watch_settings(dsn))
    loop.replay()
    store_the_same()
    loop.look()
    (row,) = store.query(
        "SELECT traces FROM rates WHERE measure = 'refusal' AND segment = '' AND window_s = 3600"
    )
    assert row["traces"] == 1_500


def test_an_incident_ends_when_all_is_as_usual_again(store: ClickHouse, dsn: str) -> None:
    end = time.time()
    settings = watch_settings(dsn, resolve_after_s=0.2)
    store_traffic(store, MINUTES, 5, spike, until=end - 20)
    loop = open_loop(settings)
    loop.replay()
    loop.look()
    (found,) = incidents(store)
    store_traffic(store, 0.3, 150, lambda before, tenant: Moment(), seed=1, until=end)
    loop.look()
    time.sleep(0.3)
    loop.look()
    (over,) = incidents(store, "resolved")
    assert over["incident_id"] == found["incident_id"]
    assert over["resolved_at"] is not None
    assert incidents(store) == []


def test_a_look_from_the_command_line_stores_nothing(store: ClickHouse, dsn: str) -> None:
    store_traffic(store, MINUTES, 5, spike)
    said = look_once(watch_settings(dsn))
    assert [incident["segment"] for incident in said["incidents"]] == ["app=helpdesk,tenant=globex"]
    assert "app=helpdesk,language=zh" in said["segments"]
    assert store.query("SELECT (SELECT count() FROM incidents) + (SELECT count() FROM rates) AS n") == [
        {"n": 0}
    ]


def run_until(settings: Settings, happened: Callable[[], bool], seconds: float = 40) -> None:
    """Run the process until something happened; it must end by itself then."""
    stop = threading.Event()
    thread = threading.Thread(target=run_watch, args=(settings, stop))
    thread.start()
    until = time.monotonic() + seconds
    try:
        while not happened():
            assert time.monotonic() < until, "it did not happen"
            assert thread.is_alive()
            time.sleep(0.1)
    finally:
        stop.set()
        thread.join(20)
    assert not thread.is_alive()


def told(store: ClickHouse) -> list[int]:
    return [int(incident["notifications"]) for incident in incidents(store)]


def updates(store: ClickHouse, before: list[dict[str, Any]]) -> bool:
    return bool(before) and incidents(store)[0]["updated_at"] > before[0]["updated_at"]
