"""A judge lane that is killed again and again, and what must hold of it afterwards."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judges.llm.state import open_state
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.settings import Settings
from tests.support.judging import JudgeProcess, judge_settings, publish_sampled
from tests.support.sink import running_sink
from tests.support.stand_in_llm import REFUSAL, Behaviour, StandIn, slowly
from tests.support.worker import names

REFUSED = "please refuse"
CONCURRENCY = 4
_LATEST_KILL_S = 15.0
_BOOKED = "SELECT SUM(tokens) FROM spent WHERE scope = '*' AND window = 'day'"


@dataclass
class Aftermath:
    """What was found when all was over."""

    traces: set[str]
    verdicts: Counter[str] = field(default_factory=Counter)
    """Rows of table `verdicts`, replaced ones gone, by trace."""
    over_budget: set[str] = field(default_factory=set)
    dead: Counter[str] = field(default_factory=Counter)
    """Letters by the original message, so that one written twice counts once."""
    asked: int = 0
    """Questions that reached the server."""
    asked_again: int = 0
    """Those among them that had reached it before."""
    billed_tokens: int = 0
    booked_tokens: int = 0
    """What the state file says was spent in this hour."""


def kill_and_count(
    broker: str,
    dsn: str,
    folder: Path,
    *,
    kills: int,
    traces: int,
    chance: random.Random,
    latency_s: float = 0.1,
    **judge: Any,
) -> Aftermath:
    """Have `traces` traces judged while the process is killed at random moments, then let it finish."""
    migrate(connect(dsn))
    ids = names(traces)

    def behave(body: dict[str, Any], number: int) -> Behaviour:
        return REFUSAL if REFUSED in str(body["messages"]) else slowly(latency_s)

    with StandIn(behave=behave, keep=100_000) as llm:
        settings = judge_settings(broker, llm, folder, concurrency=CONCURRENCY, **judge)
        settings = settings.model_copy(
            update={"clickhouse": settings.clickhouse.model_validate({"dsn": dsn})}
        )
        for number, one in enumerate(ids):
            wish = REFUSED if number % 10 == 9 else "say"
            publish_sampled(settings, [one], question=f"Would you {wish} which NPU board {one} has?")
        store = connect(dsn)
        with running_sink(settings):
            _kill(settings, folder, llm, kills, 2 * traces / (kills + 1), chance)
            last = JudgeProcess(settings, folder, "judge-last")
            try:
                _wait_for(lambda: "judge starts" in last.log.read_text(), "start", last)
                _wait_for(lambda: _ended(store) >= traces, f"{traces} endings", last)
                assert last.terminate() == 0, last.log.read_text()[-2000:]
            finally:
                last.kill()
            time.sleep(1.0)  # what the last process delivered twice, if anything, is stored as well
        return _count(store, set(ids), llm, settings)


def _kill(
    settings: Settings, folder: Path, llm: StandIn, kills: int, share: float, chance: random.Random
) -> None:
    """Kill so many processes, each after up to `share` questions, or where it asks nothing."""
    for number in range(kills):
        process = JudgeProcess(settings, folder, f"judge-{number}")
        asked, until = llm.calls.total() + chance.uniform(1, share), time.monotonic() + _LATEST_KILL_S
        while llm.calls.total() < asked and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.3))
        process.kill()


def _ended(store: ClickHouse) -> int:
    (row,) = store.query(
        "SELECT (SELECT uniqExact(trace_id) FROM verdicts) + (SELECT count() FROM dead_letters FINAL) AS n"
    )
    return int(row["n"])


def _count(store: ClickHouse, ids: set[str], llm: StandIn, settings: Settings) -> Aftermath:
    found = Aftermath(ids)
    for row in store.query("SELECT trace_id, error FROM verdicts FINAL"):
        found.verdicts[row["trace_id"]] += 1
        if row["error"] == "over_budget":
            found.over_budget.add(row["trace_id"])
    for row in store.query("SELECT topic, partition, offset, reason FROM dead_letters FINAL"):
        found.dead[f"{row['partition']}:{row['offset']}:{row['reason']}"] += 1
    bodies = Counter(str(request.body["messages"]) for request in llm.chats)
    found.asked = bodies.total()
    found.asked_again = bodies.total() - len(bodies)
    found.billed_tokens = llm.input_tokens + llm.output_tokens
    with open_state(settings.judge.state_file) as state:
        (row,) = state.file.run_now(lambda database: database.execute(_BOOKED).fetchall())
    found.booked_tokens = int(row[0])
    return found


def _wait_for(
    condition: Callable[[], bool], what: str, process: JudgeProcess, budget_s: float = 90.0
) -> None:
    until = time.monotonic() + budget_s
    while not condition():
        assert process.process.poll() is None, process.log.read_text()[-2000:]
        assert time.monotonic() < until, f"no {what} within {budget_s} s: {process.log.read_text()[-2000:]}"
        time.sleep(0.05)
