"""The judge lane under fire: killed at random moments, nothing is lost, nothing is paid for twice."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.judge_kills import CONCURRENCY, kill_and_count

pytestmark = [pytest.mark.broker, pytest.mark.engine]

MANY = int(os.environ.get("RAGPULSE_TEST_KILLS", "0"))


def test_every_sampled_trace_ends_once_however_often_the_lane_is_killed(
    embedded_broker: Any, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills, traces = 3, 40
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    found = kill_and_count(
        embedded_broker.address, dsn, tmp_path, kills=kills, traces=traces, chance=random.Random(6)
    )
    assert sum(found.verdicts.values()) == len(found.verdicts) == traces - traces // 10
    assert len(found.dead) == traces // 10
    assert found.verdicts.keys() <= found.traces
    assert found.asked_again <= kills * CONCURRENCY
    assert found.booked_tokens >= found.billed_tokens
    assert list(temporary.glob("ragpulse-judge-*")) == [], "the last to start swept up behind the killed"


def test_the_budget_holds_across_kills(embedded_broker: Any, dsn: str, tmp_path: Path) -> None:
    kills, traces, budget = 1, 40, 45_000
    found = kill_and_count(
        embedded_broker.address,
        dsn,
        tmp_path,
        kills=kills,
        traces=traces,
        chance=random.Random(7),
        budget_daily_tokens=budget,
    )
    assert 0 < found.billed_tokens <= budget
    assert found.booked_tokens <= budget
    assert found.over_budget
    assert sum(found.verdicts.values()) == len(found.verdicts)
    assert len(found.verdicts) + len(found.dead) == traces


@pytest.mark.kafka
@pytest.mark.timeout(1800)
@pytest.mark.skipif(not MANY, reason="takes minutes: `make kills` runs it")
def test_many_kills_lose_nothing_and_pay_nothing_twice(apache_kafka: str, dsn: str, tmp_path: Path) -> None:
    traces = 300
    found = kill_and_count(apache_kafka, dsn, tmp_path, kills=MANY, traces=traces, chance=random.Random(8))
    print(
        f"\n{MANY} kills: {traces} traces, {len(found.verdicts)} verdicts, {len(found.dead)} dead letters; "
        f"{found.asked} questions, {found.asked_again} of them again"
    )
    assert sum(found.verdicts.values()) == len(found.verdicts) == traces - traces // 10
    assert len(found.dead) == traces // 10
    assert found.asked_again <= MANY * CONCURRENCY
    assert found.booked_tokens >= found.billed_tokens
