"""Options that would waste an hour, or make a report say what nobody measured, are refused at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import _deployment, load, outage, sizing
from benchmarks.outage import Outage
from stream.embedded.broker import EmbeddedBroker

MARKS = "".join(f"<!-- {name} begins -->\n<!-- {name} ends -->\n" for name in ("measured", "plan"))
NUMBERS = ("rate", "step", "minutes", "start", "confirm")
COUNTS = ("rounds", "messages", "most-workers", "workers")
NO_FILE = "--traces=/nowhere.jsonl"
WRONG = [
    *((load, f"--{name}={value}") for name in NUMBERS for value in (0, -1)),
    *((load, f"--{name}={value}") for name in COUNTS for value in (0, 1.5)),
    *((load, one) for one in ("--rate=inf", "--rate=nan", "--sizes=2,0", "--sizes=", NO_FILE)),
    *((module, "--report=/nowhere/LOAD.md") for module in (load, outage, sizing)),
    *((outage, one) for one in ("--rate=0", "--away=5", "--before=0", "--workers=0", NO_FILE)),
    *((sizing, one) for one in ("--rates=0", "--rates=x", "--busy=0", "--replicas=0", "--days=-3")),
]


@pytest.mark.parametrize(("module", "option"), WRONG)
def test_a_senseless_option_is_usage(module: object, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        module.parse([option])  # type: ignore[attr-defined]
    assert ended.value.code == 2
    assert option.split("=")[0] in capsys.readouterr().err


def test_too_few_traces_to_tell_the_stores_costs_are_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        sizing.parse(["--measure", f"--traces={sizing.ENOUGH - 1}"])
    assert "store" in capsys.readouterr().err


def test_a_document_without_a_place_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(MARKS)
    assert sizing.parse([f"--report={document}"]).report == document
    document.write_text(MARKS.replace("plan begins", "plan"))
    with pytest.raises(SystemExit):
        sizing.parse([f"--report={document}"])


def test_a_new_document_is_taken_where_its_folder_can_be_written(tmp_path: Path) -> None:
    assert load.parse([f"--report={tmp_path / 'LOAD.md'}"]).report == tmp_path / "LOAD.md"
    with pytest.raises(SystemExit):
        load.parse([f"--report={tmp_path}"])


def test_an_outage_of_which_nothing_was_seen_did_not_hold() -> None:
    nothing = Outage("made up", "no broker", 300.0, away_from=0.0, back_at=600.0, caught_up_at=601.0)
    assert "something is missing" in nothing.wrong()
    assert "nobody saw its memory" in nothing.wrong()


def test_a_broker_that_is_interrupted_while_it_starts_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []

    def interrupted(broker: EmbeddedBroker) -> EmbeddedBroker:
        raise KeyboardInterrupt

    monkeypatch.setattr(EmbeddedBroker, "start", interrupted)
    monkeypatch.setattr(EmbeddedBroker, "stop", lambda broker: stopped.append("stopped"))
    with pytest.raises(KeyboardInterrupt):
        _deployment.open_broker(tmp_path, embedded=True)
    assert stopped == ["stopped"]
