"""Walk-through 2: a scorer learns from what judges said of your traffic, and lies teach it nothing.

The demo's traffic lies in ClickHouse, scored by the shipped scorer. A *simulated* judge has looked at all
of it: a noisy oracle that knows what was injected and errs in one label of ten. `ragpulse distill` makes a
candidate of that, which beats the shipped scorer on later traffic. Then three labels of ten are flipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import numpy as np
import orjson
import pytest

from judges.distillation.metrics import auroc, brier, f1
from judges.distilled import load_scorer
from judges.registry import Registry, State
from schemas.formats.own import decode
from schemas.row import Provenance, Sampling
from schemas.scored import Scorer
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.demo.traffic import Traffic
from stream.pipeline import judge_batch
from stream.worker.outputs import encode_judged
from tests.unit.stream.cli.test_files_commands import run

pytestmark = pytest.mark.engine

QUESTIONS = 4_000
LATER = 1_000
WRONG = 0.1
FLIPPED = 0.3
NOW = datetime.now(UTC)


@dataclass
class Asked:
    trace: Trace
    failure: str
    """What was injected."""


def simulate(count: int) -> list[Asked]:
    """The demo's traffic of the last two days: one tenant's new prompt makes things up in the second half."""
    moment = [NOW - timedelta(days=2)]
    source = Traffic(11, lambda: moment[0])
    found = []
    for number in range(count):
        moment[0] += timedelta(days=2) / (count + 1)
        for message in source.next(spiking=number > QUESTIONS // 2):
            if message.truth:
                (trace,) = decode(message.value)
                assert isinstance(trace, Trace)
                found.append(Asked(trace, str(message.truth.failure)))
    return found


def store_traces(store: ClickHouse, asked: Sequence[Asked]) -> None:
    """As worker and sink would."""
    judged = judge_batch([one.trace for one in asked], load_scorer())
    rows = [
        encode_judged(one, Provenance("rag.traces", 0, number, NOW), Sampling(True, 1.0, ("all",)), NOW).row
        for number, one in enumerate(judged)
    ]
    store.insert_raw("traces", b"\n".join(rows))


def store_verdicts(store: ClickHouse, asked: Sequence[Asked], flipped: float, at: datetime) -> None:
    """What the simulated judge says; what it said before of the same traces is replaced."""
    random = Random(17)
    known = (Failure.HALLUCINATION.value, HEALTHY)
    rows = []
    for one in asked:
        says = one.failure
        if says in known:
            wrong = random.random() < WRONG
            wrong ^= random.random() < flipped
            says = known[(says == HEALTHY) ^ wrong]
        rows.append(
            orjson.dumps(
                {
                    "trace_id": one.trace.trace_id,
                    "timestamp": f"{one.trace.timestamp:%F %T}.000",
                    "app": one.trace.app,
                    "tenant": one.trace.tenant,
                    "judge": "simulated",
                    "model": "noisy-oracle",
                    "failure": says,
                    "hallucination": float(says == known[0]) if says in known else None,
                    "sample_probability": 1.0,
                    "created_at": f"{at:%F %T}.000",
                }
            )
        )
    store.insert_raw("verdicts", b"\n".join(rows))


def examine(scorer: Scorer, asked: Sequence[Asked]) -> dict[str, float]:
    """How well a scorer tells hallucinations from healthy answers, by what was injected."""
    told = [one for one in asked if one.failure in (Failure.HALLUCINATION, HEALTHY)]
    scores = scorer.score([one.trace for one in told])
    bad = np.array([float(one.failure == Failure.HALLUCINATION) for one in told])
    chances = np.array([0.0 if s.hallucination is None else s.hallucination for s in scores])
    alike = np.ones((1, len(told)))
    return {measure.__name__: float(measure(bad, chances, alike)[0]) for measure in (auroc, f1, brier)}


def test_a_scorer_learns_from_verdicts_and_not_from_lies(dsn: str, tmp_path: Path) -> None:
    asked = simulate(QUESTIONS + LATER)
    taught, later = asked[:QUESTIONS], asked[QUESTIONS:]
    store = connect(dsn)
    migrate(store)
    store_traces(store, taught)
    store_verdicts(store, taught, flipped=0.0, at=NOW)
    registry = Registry(tmp_path / "scorers")
    settings = {
        "RAGPULSE_CLICKHOUSE__DSN": dsn,
        "RAGPULSE_SCORER__REGISTRY": str(registry.folder),
    }

    # One command: labels out of the store, a candidate, a comparison, and the promotion.
    done = run("distill", "--since", "3d", "--name", "ours", "--promote", "--json", env=settings, timeout=200)
    assert done.returncode == 0, done.stderr.decode()
    report = orjson.loads(done.stdout)
    assert report["promotion"] == {"allowed": True, "objections": []}
    assert report["labels"]["by_source"]["judge"] == report["labels"]["traces"] > 0.99 * QUESTIONS
    assert registry.state() == State("ours", None)

    # On traffic that came afterwards, by what was injected and not by what the judge said: more is
    # decided rightly, and probabilities are nearer to the truth, while the ranking is as good.
    before = examine(load_scorer(), later)
    after = examine(load_scorer(registry.path("ours")), later)
    assert after["auroc"] > before["auroc"] - 0.01, (before, after)
    assert after["f1"] > before["f1"], (before, after)
    assert after["brier"] < before["brier"], (before, after)

    # Three labels of ten are turned round, those that teach and those that examine alike.
    store_verdicts(store, taught, flipped=FLIPPED, at=NOW + timedelta(seconds=5))
    poisoned = run(
        "distill", "--since", "3d", "--name", "lies", "--promote", "--json", env=settings, timeout=200
    )
    assert poisoned.returncode == 1, poisoned.stderr.decode()
    report = orjson.loads(poisoned.stdout)
    assert report["promoted"] is False
    against = {objection["slice"]: objection for objection in report["promotion"]["objections"]}
    assert "labels" in against
    assert against["labels"]["numbers"]["labelled_bad_though_good"] == pytest.approx(0.34, abs=0.08)
    assert b"Not promoted" in poisoned.stderr

    # It is kept, with its report, and neither serves nor is tried; and there is always a way back.
    assert {entry.version for entry in registry.entries()} == {"ours", "lies"}
    assert registry.state() == State("ours", None)
    assert run("scorer", "rollback", env=settings).returncode == 0
    assert registry.state() == State(None, None)
