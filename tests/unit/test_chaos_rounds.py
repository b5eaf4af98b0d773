"""What `make chaos` makes of rounds that cannot be run, or end before their checks: never that they held."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any, Self

import pytest
from confluent_kafka import KafkaException

from sinks.errors import SinkUnreachable
from tests.chaos import __main__ as chaos
from tests.chaos.faults import Fault


class Nowhere:
    """A world in which nothing runs."""

    apache = False

    def __init__(self, folder: Path, *, apache: bool) -> None: ...
    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chaos, "World", Nowhere)
    monkeypatch.setattr(chaos, "expected_rates", lambda count: None)
    monkeypatch.setattr(chaos, "missing_reason", lambda: "not here")
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)


def fault(possible: bool) -> Fault:
    return Fault(
        "sink killed", lambda world, chance: iter(()), lambda world: None if possible else "not here"
    )


@pytest.mark.parametrize("option", ["--rounds=0", "--traces=0", "--first=-1", "--report=/nowhere/PROOF.md"])
def test_a_senseless_option_is_usage(option: str) -> None:
    with pytest.raises(SystemExit) as ended:
        chaos.main([option])
    assert ended.value.code == 2


def test_rounds_in_which_no_fault_is_possible_did_not_hold(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chaos, "FAULTS", (fault(possible=False),))
    report = tmp_path / "PROOF.md"
    assert chaos.main(["--rounds", "2", f"--report={report}"]) == 1
    assert "round 2 is left out" in capsys.readouterr().err
    assert not report.exists()


@pytest.mark.parametrize("error", [KafkaException("away"), SinkUnreachable("away"), TimeoutError("late")])
def test_a_round_that_ends_with_an_error_is_noted_and_the_next_is_run(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(chaos, "FAULTS", (fault(possible=True),))
    monkeypatch.setattr(chaos, "run_round", fail)
    assert chaos.main(["--rounds", "2"]) == 1
    assert "0 held" in capsys.readouterr().err
