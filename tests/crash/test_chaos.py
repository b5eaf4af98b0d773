"""`make chaos` in small: one round of it holds, and what it looks for it would find."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.chaos import checking
from tests.chaos.checking import Before, Outcome
from tests.chaos.faults import FAULTS
from tests.chaos.rounds import run_round
from tests.chaos.traces import Load, make_load
from tests.chaos.world import World

pytestmark = [pytest.mark.broker, pytest.mark.engine]
TRACES = 50


def test_a_round_holds_and_its_checks_would_have_seen_a_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    (fault,) = [fault for fault in FAULTS if fault.name == "engine answers lost"]
    with World(tmp_path / "world", apache=False, workers=1) as world:
        before = checking.look_before(world)
        outcome = run_round(world, 1, "small", [fault], TRACES, random.Random(1))
        assert outcome.wrong == []
        load = make_load("rsmall-1", TRACES)
        lost, doubted = min(load.traces), max(load.traces)

        _alter(world, "traces", "DELETE", lost)
        assert _complaints(world, load, before)[0] == f"1 traces lost, such as {lost}"
        _alter(world, "traces", "UPDATE faithfulness = 0.123, failure = 'hallucination'", doubted)
        assert any(said.startswith("rates are") for said in _complaints(world, load, before)[1:])
        world.store.command("ALTER TABLE dead_letters DELETE WHERE by = 'worker' SETTINGS mutations_sync = 1")
        assert any(said.startswith("dead letters of 0 messages") for said in _complaints(world, load, before))
    assert list(temporary.iterdir()) == [], "nothing is left behind"


def _alter(world: World, table: str, change: str, trace_id: str) -> None:
    world.store.command(
        f"ALTER TABLE {table} {change} WHERE trace_id = {{trace_id:String}} SETTINGS mutations_sync = 1",
        {"trace_id": trace_id},
    )


def _complaints(world: World, load: Load, before: Before) -> list[str]:
    outcome = Outcome(1, "small", "embedded", ())
    checking.check(world, load, before, outcome)
    return outcome.wrong
