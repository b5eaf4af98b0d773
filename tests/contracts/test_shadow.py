"""A candidate, or an encoder, beside the serving scorer, on the embedded broker and on Apache Kafka alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest
from confluent_kafka import Message
from structlog.testing import capture_logs

from judges.distilled import load_scorer
from judges.encoder import EncoderTier
from judges.registry import Registry
from schemas.scored import Scorer, Scores
from schemas.trace import Trace
from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.sampling import draw
from stream.settings import Settings
from tests.support.kafka import committed, headers_of, isolated_settings, read_all
from tests.support.sink import QUICK, running_sink, wait_for_rows
from tests.support.traces import StubScorer
from tests.support.weights import AT, registry_of
from tests.support.worker import ids, names, publish_traces, running_worker
from tests.unit.stream.test_second_look import Reader, Unsure


def settings_with(broker: str, registry: Registry, rate: float = 1.0, poll_s: float = 0.05) -> Settings:
    scorer = {"registry": registry.folder, "shadow_rate": rate, "poll_s": poll_s}
    return isolated_settings(broker, scorer=scorer)


def rows_by_table(settings: Settings) -> dict[str, list[Message]]:
    tables: dict[str, list[Message]] = {"traces": [], "scores": []}
    for message in read_all(settings.kafka.brokers, settings.kafka.topic(topics.SCORED)):
        (table,) = headers_of(message).values()
        tables[table.decode()].append(message)
    return tables


def test_a_sampled_share_is_scored_by_both_and_both_are_published(broker: str, tmp_path: Path) -> None:
    registry = registry_of(tmp_path, "s-1", "s-2")
    registry.promote("s-1", AT)
    registry.shadow("s-2", AT)
    settings = settings_with(broker, registry, rate=0.3)
    traces = names(400)
    expected = {name for name in traces if draw(name, settings.sampling.salt) < 0.3}
    publish_traces(settings, traces, app="helpdesk", timestamp="2026-11-30T12:00:00Z")
    with running_worker(settings) as worker:
        worker.wait_for("ragpulse_delivered_total", 400 + len(expected))
    tables = rows_by_table(settings)
    assert sorted(ids(tables["traces"])) == sorted(traces)
    assert {orjson.loads(m.value() or b"")["scorer_version"] for m in tables["traces"]} == {"s-1"}
    assert len(tables["scores"]) == len(expected)
    assert ids(tables["scores"]) == expected
    row = orjson.loads(tables["scores"][0].value() or b"")
    assert (row["scorer_version"], row["role"], row["app"]) == ("s-2", "shadow", "helpdesk")
    assert row["timestamp"] == "2026-11-30 12:00:00.000"
    assert sum(committed(settings, "worker").values()) == 400


class Failing(StubScorer):
    """A candidate that raises on some traces, or says what no row can hold."""

    version = "s-2"

    def __init__(self, how: str) -> None:
        super().__init__()
        self._how = how

    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        self.batches.append(len(batch))
        if any(trace.trace_id.startswith("trial") for trace in batch):
            return [Scores(self.version, hallucination=0.5) for _ in batch]
        match self._how:
            case "raises":
                raise RecursionError("no end to it")
            case "forgets one":
                return [Scores(self.version) for _ in batch][1:]
            case _:
                return [Scores(self.version, language=object()) for _ in batch]  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["raises", "forgets one", "talks nonsense"])
def test_a_candidate_that_fails_is_set_aside_and_serving_does_not_notice(
    broker: str, tmp_path: Path, how: str
) -> None:
    registry = registry_of(tmp_path, "s-2")
    registry.shadow("s-2", AT)
    settings = settings_with(broker, registry)
    candidate = Failing(how)

    def load(path: Path | None) -> Scorer:
        return candidate if path else load_scorer()

    traces = names(300)
    with capture_logs() as said, running_worker(settings, load=load) as worker:
        publish_traces(settings, traces[:150])
        worker.wait_for("ragpulse_candidate_failures_total", 1, scorer="s-2")
        publish_traces(settings, traces[150:])
        worker.wait_for("ragpulse_delivered_total", 300)
        assert worker.count("ragpulse_candidate_failures_total") == 1
        assert worker.count("ragpulse_dead_letters_total") == 0
    tables = rows_by_table(settings)
    assert sorted(ids(tables["traces"])) == sorted(traces)
    assert tables["scores"] == []
    assert len([line for line in said if "the candidate failed" in line["event"]]) == 1
    assert sum(committed(settings, "worker").values()) == 300


def test_a_candidate_named_while_the_worker_runs_begins_to_score(broker: str, tmp_path: Path) -> None:
    registry = registry_of(tmp_path, "s-1", "s-2")
    settings = settings_with(broker, registry)
    with running_worker(settings) as worker:
        publish_traces(settings, names(20))
        worker.wait_for("ragpulse_delivered_total", 20)
        registry.shadow("s-1", AT)
        worker.wait_for("ragpulse_scorer_swaps_total", 1, role="candidate")
        publish_traces(settings, names(20))
        worker.wait_for("ragpulse_scores_beside_total", 20, scorer="s-1", role="shadow")
        registry.shadow(None, AT)
        registry.shadow("s-2", AT)
        worker.wait_for("ragpulse_scorer_swaps_total", 2, role="candidate")
        publish_traces(settings, names(20))
        worker.wait_for("ragpulse_scores_beside_total", 20, scorer="s-2", role="shadow")
        worker.wait_for("ragpulse_delivered_total", 100)
    assert len(rows_by_table(settings)["traces"]) == 60


def test_an_encoder_reads_a_share_of_uncertain_traces_and_the_offsets_wait_for_it(broker: str) -> None:
    settings = isolated_settings(broker, encoder={"share": 0.25, "budget": 1.0})
    tier = EncoderTier(settings.encoder, Reader())
    traces = names(200)
    publish_traces(settings, traces)
    with running_worker(settings, Unsure(), tier=tier) as worker:
        worker.wait_for("ragpulse_encoder_skipped_total", 150, reason="share")
        worker.wait_for("ragpulse_scores_beside_total", 50, role="encoder", scorer="reader-1")
        worker.wait_for("ragpulse_delivered_total", 250)
    tables = rows_by_table(settings)
    assert sorted(ids(tables["traces"])) == sorted(traces)
    rows = [orjson.loads(message.value() or b"") for message in tables["scores"]]
    assert len({row["trace_id"] for row in rows}) == len(rows) == 50
    assert {(row["role"], row["scorer_version"]) for row in rows} == {("encoder", "reader-1")}
    assert sum(committed(settings, "worker").values()) == 200


@pytest.mark.engine
def test_the_sink_stores_both_scores_and_one_query_compares_them(
    embedded_broker: EmbeddedBroker, dsn: str, tmp_path: Path
) -> None:
    store = connect(dsn)
    migrate(store)
    registry = registry_of(tmp_path, "s-1", "s-2")
    registry.promote("s-1", AT)
    registry.shadow("s-2", AT)
    settings = isolated_settings(
        embedded_broker.address,
        sink=QUICK,
        clickhouse={"dsn": dsn},
        scorer={"registry": registry.folder, "shadow_rate": 0.5},
    )
    traces = names(200)
    publish_traces(settings, traces, app="helpdesk")
    chosen = [name for name in traces if draw(name, settings.sampling.salt) < 0.5]
    with running_worker(settings), running_sink(settings) as sink:
        wait_for_rows(settings, 200)
        wait_for_rows(settings, len(chosen), "scores")
        assert sink.count("ragpulse_dead_letters_total") == 0
    (row,) = store.query(
        "SELECT serving_version, scorer_version, role, count() AS n, sum(same_failure) AS same "
        "FROM score_comparison GROUP BY ALL"
    )
    assert row == {
        "serving_version": "s-1", "scorer_version": "s-2", "role": "shadow", "n": len(chosen),
        "same": len(chosen),
    }  # fmt: skip
