"""Probes over real HTTP into real tables: a judge that stays itself, and one that is replaced in silence."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson
import pytest
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from typer.testing import CliRunner

from judges.llm.material import PromptLimits
from judges.llm.probes import Probe, Signal, load_probes
from schemas.taxonomy import HEALTHY, Failure
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.cli import app
from stream.judging.opening import limits_of, open_bench
from stream.judging.probe_rows import read_runs
from stream.judging.probing import Probed, ProbeSchedule, identity_of_run
from stream.settings import JudgeSettings
from stream.telemetry.probes import ProbeMetrics
from tests.support.stand_in_answers import fill_schema_of
from tests.support.stand_in_llm import StandIn

pytestmark = pytest.mark.engine

DAY = timedelta(days=1)


class Model:
    """What the stand-in's model writes: the truth of each probe, or with `lenient` that all is well."""

    def __init__(self) -> None:
        self.lenient = False

    def __call__(self, body: dict[str, Any]) -> Any:
        probe = _probe_in(body["messages"][-1]["content"])
        expected = HEALTHY if self.lenient else probe.expected
        written = fill_schema_of(body)
        if "claims" in written:
            supported = expected == HEALTHY
            quote = _nearest_text(probe) if supported else ""
            label = "supported" if supported else "not_found"
            facts = {"reasoning": "r", "document": 1, "quote": quote, "label": label}
            written["claims"] = [{"claim": probe.trace.answer, "cited": [], "cited_holding": [], **facts}]
        else:
            lacking = expected in (Failure.POOR_RETRIEVAL, Failure.REWRITE_FAILURE)
            declines = expected == Failure.OVER_REFUSAL or probe.kind in ("declined", "follow_up")
            written |= {
                "failure": expected,
                "refusal": declines and not self.lenient,
                "confidence": "certain",
            }
            written |= {"sufficiency": "no" if lacking else "yes"}
        return written


def _nearest_text(probe: Probe) -> str:
    """The document that shares most characters, two by two, with the answer."""
    pairs = set(pairwise(probe.trace.answer or ""))
    texts = [chunk.text or "" for chunk in probe.trace.retrieval.chunks or ()]  # type: ignore[union-attr]
    return max(texts, key=lambda text: len(pairs & set(pairwise(text))))


def _probe_in(text: str) -> Probe:
    return next(probe for probe in load_probes() if (probe.trace.question or "") in text)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def llm(model: Model) -> Iterator[StandIn]:
    with StandIn(answer=model) as stand_in:
        yield stand_in


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    migrate(client)
    yield client
    client.close()


def settings(llm: StandIn, tmp_path: Path) -> JudgeSettings:
    return JudgeSettings(
        base_url=llm.base_url, model="m-1", api_key=SecretStr("k"), state_file=tmp_path / "judge.sqlite"
    )


class Lane:
    """A schedule on a clock that a test moves, over judges that are opened for each look."""

    def __init__(self, settings: JudgeSettings, store: ClickHouse) -> None:
        self.registry = CollectorRegistry()
        self._settings, self._store = settings, store
        self._metrics = ProbeMetrics(self.registry)
        self.now = datetime(2026, 12, 1, 8, tzinfo=UTC)

    def look(self) -> Probed | None:
        return asyncio.run(asyncio.wait_for(self._look(), 60))

    async def _look(self) -> Probed | None:
        async with open_bench(self._settings) as bench:
            schedule = ProbeSchedule(
                bench.judges, limits_of(self._settings), self._store, self._metrics, DAY,
                now=lambda: self.now, chance=lambda: 0.0,
            )  # fmt: skip
            return await schedule.look(bench.judges[0])

    def gauge(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(
            f"ragpulse_judge_probe_{name}", {"judge": "m-1", "model": "m-1", **labels}
        )


def test_a_judge_is_probed_when_its_time_has_come_and_heard_anew_each_time(
    llm: StandIn, store: ClickHouse, tmp_path: Path
) -> None:
    lane = Lane(settings(llm, tmp_path), store)
    first = lane.look()
    assert first is not None
    assert first.run.agreement() == 1.0
    assert first.run.begins_baseline
    asked = llm.calls["/v1/chat/completions"]
    assert asked >= 48

    lane.now += DAY / 2
    assert lane.look() is None, "not yet due"
    assert lane.gauge("agreement", language="zh") == 1.0, "shown all the same"
    assert llm.calls["/v1/chat/completions"] == asked

    lane.now += DAY
    second = lane.look()
    assert second is not None
    assert not second.run.begins_baseline
    assert second.drift.signals == {}
    assert llm.calls["/v1/chat/completions"] == 2 * asked, "what the cache holds does not count"
    stored = read_runs(store, identity_of_run(second.run))
    assert [run.at for run in stored] == [lane.now - DAY * 1.5, lane.now]
    assert stored[1].answers == sorted(second.run.answers, key=lambda one: one.probe)


def test_a_model_that_is_replaced_without_a_word_is_noticed(
    llm: StandIn, model: Model, store: ClickHouse, tmp_path: Path
) -> None:
    lane = Lane(settings(llm, tmp_path), store)
    for _ in range(3):
        lane.look()
        lane.now += DAY
    model.lenient = True
    found = lane.look()
    assert found is not None
    assert set(found.drift.signals) == {Signal.ANSWERS, Signal.SCORES}
    assert found.run.agreement() == pytest.approx(8 / 24)
    assert lane.gauge("drift", signal="answers") == 1.0
    assert lane.gauge("drift", signal="model") == 0.0
    assert lane.gauge("agreement", language="all") == pytest.approx(8 / 24)
    llm.model = "stand-in-2"
    lane.now += DAY
    found = lane.look()
    assert found is not None
    assert found.drift.signals[Signal.MODEL] == "stand-in-2 answers instead of stand-in-1"


def test_an_endpoint_that_answers_nobody_is_told_from_a_judge_that_is_wrong(
    llm: StandIn, store: ClickHouse, tmp_path: Path
) -> None:
    closed = settings(llm, tmp_path).model_copy(update={"base_url": "http://127.0.0.1:9/v1", "attempts": 1})
    lane = Lane(closed, store)
    found = asyncio.run(asyncio.wait_for(_once(closed, store), 60))
    assert found.run.agreement() is None
    assert not found.run.begins_baseline
    assert sum(found.run.errors.values()) == 24
    assert lane.gauge("agreement", language="all") is None


async def _once(settings: JudgeSettings, store: ClickHouse) -> Probed:
    from stream.judging.patience import Patience
    from stream.judging.probing import probe

    async with open_bench(settings, Patience(waits=False)) as bench:
        return await probe(bench.judges[0], PromptLimits(), store, datetime(2026, 12, 1, tzinfo=UTC))


def test_the_command_says_what_is_wrong_and_exits_one_where_a_judge_has_changed(
    llm: StandIn, model: Model, store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    env = {
        "RAGPULSE_CLICKHOUSE__DSN": dsn,
        "RAGPULSE_JUDGE__BASE_URL": llm.base_url,
        "RAGPULSE_JUDGE__MODEL": "m-1",
        "RAGPULSE_JUDGE__STATE_FILE": str(tmp_path / "judge.sqlite"),
    }
    for expected_baseline in (True, False, False):
        done = CliRunner().invoke(app, ["judge", "--probe", "--json"], env=env)
        (said,) = orjson.loads(done.stdout)["judges"]
        assert (done.exit_code, said["begins_baseline"], said["agreement"]["all"]) == (
            0,
            expected_baseline,
            1.0,
        )
    model.lenient = True
    done = CliRunner().invoke(app, ["judge", "--probe"], env=env)
    assert done.exit_code == 1
    assert "zh-over-refusal: healthy instead of over_refusal" in done.stderr
    assert "has changed: 16 of 24 probes" in done.stderr
    done = CliRunner().invoke(app, ["judge", "--probe", "--new-baseline"], env=env)
    assert done.exit_code == 0
    assert "later runs are compared with this one" in done.stderr


def test_a_store_that_is_away_is_said_and_looked_for_again(
    llm: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lane goes on meanwhile: its probes are beside it."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            raise asyncio.CancelledError

    async def watch() -> None:
        away = connect("http://127.0.0.1:9/nothing")
        async with open_bench(settings(llm, tmp_path)) as bench:
            await ProbeSchedule(
                bench.judges, {}, away, ProbeMetrics(CollectorRegistry()), DAY,
                now=lambda: datetime(2026, 12, 1, tzinfo=UTC), sleep=sleep, chance=lambda: 0.5,
            ).run()  # fmt: skip

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(watch(), 60))
    assert waits == [45.0, 330.0, 330.0]
    assert "The probe set has to wait" in "".join(capsys.readouterr())
    assert not llm.calls
