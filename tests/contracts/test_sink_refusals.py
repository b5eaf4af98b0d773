"""What the sink makes of a store that answers, and does not take the rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.engine import EmbeddedEngine
from stream.settings import Settings
from stream.sink import run_sink
from tests.support.proxy import Proxy, Refusal
from tests.support.rows import trace_line
from tests.support.sink import Counts, publish_rows, running_sink, sink_settings

pytestmark = [pytest.mark.engine, pytest.mark.broker]

SMALL = 50_000
WRONG_PASSWORD = Refusal(403, 516)


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


@pytest.fixture
def proxy(embedded_engine: EmbeddedEngine) -> Iterator[Proxy]:
    with Proxy(embedded_engine.address, lambda body: None) as proxy:
        yield proxy


@pytest.fixture
def settings(embedded_broker: EmbeddedBroker, store: ClickHouse, proxy: Proxy) -> Settings:
    return sink_settings(embedded_broker.address, f"http://{proxy.address}/{store.database}")


def lines(count: int) -> list[bytes]:
    return [trace_line(f"t-{number}") for number in range(count)]


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(Refusal(413), id="a proxy that limits bodies"),
        pytest.param(Refusal(500, 241), id="a memory limit"),
        pytest.param(Refusal(0), id="a connection that is cut"),
    ],
)
def test_what_is_too_much_at_once_is_sent_in_smaller_parts(
    settings: Settings, store: ClickHouse, proxy: Proxy, refusal: Refusal
) -> None:
    proxy.rule = lambda body: refusal if len(body) > SMALL else None
    publish_rows(settings, lines(300))
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 300)
        assert sink.count("ragpulse_dead_letters_total") == 0
    assert proxy.refused > 0
    assert Counts(store).final == 300


SERVER_FAULTS = [
    (Refusal(500, 252), "SinkOverloaded"),  # too many parts
    (Refusal(500, 242), "SinkOverloaded"),  # a replica without its keeper
    (Refusal(503), "SinkOverloaded"),  # a proxy without a server
    (WRONG_PASSWORD, "SinkDenied"),  # a wrong password
    (Refusal(500, 497), "SinkMisconfigured"),  # a missing right
    (Refusal(500, 49), "SinkMisconfigured"),  # an error nobody has heard of
]


def test_no_row_is_blamed_for_the_server(settings: Settings, store: ClickHouse, proxy: Proxy) -> None:
    with running_sink(settings) as sink:
        for number, (refusal, kind) in enumerate(SERVER_FAULTS):
            failures = sink.count("ragpulse_insert_failures_total", kind=kind)
            proxy.rule = lambda body, answer=refusal: answer if b"trace_id" in body else None  # type: ignore[misc]
            publish_rows(settings, [trace_line(f"t-{number}-{row}") for row in range(20)])
            sink.wait_for("ragpulse_insert_failures_total", failures + 2, kind=kind)
            assert sink.health.alive()[0]
            assert sink.health.ready() == (False, {"missing": ["clickhouse"]})
            assert Counts(store).raw == 20 * number
            proxy.rule = lambda body: None
            sink.wait_for("ragpulse_rows_inserted_total", 20 * (number + 1))
            assert sink.health.ready()[0]
        assert sink.count("ragpulse_dead_letters_total") == 0
        assert sink.count("ragpulse_insert_splits_total") == 0
    assert Counts(store).raw == 20 * len(SERVER_FAULTS)


def test_an_insert_that_was_stored_although_its_answer_got_lost_is_stored_once(
    settings: Settings, store: ClickHouse, proxy: Proxy
) -> None:
    lost: list[bytes] = []

    def lose_first_answer(body: bytes) -> Refusal | None:
        if b"trace_id" not in body or lost:
            return None
        lost.append(body)
        return Refusal(0)

    proxy.rule = lose_first_answer
    proxy.forward_refused = True
    publish_rows(settings, lines(50))
    with running_sink(settings) as sink:
        sink.wait_for("ragpulse_rows_inserted_total", 50)
    assert len(lost) == 1
    assert Counts(store).raw == 50


def test_a_wrong_password_at_the_start_ends_the_sink_with_3(settings: Settings, proxy: Proxy) -> None:
    proxy.rule = lambda body: WRONG_PASSWORD
    assert run_sink(settings) == 3
