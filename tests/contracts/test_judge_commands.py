"""`score --judge`, `rescore --judge`, `judge --dry-run`, against a stand-in for a judge and a real store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.cli import app
from stream.demo.traffic import Traffic
from stream.errors import RagpulseError
from stream.worker.cuts import CUT_SIGNAL
from tests.support.rows import trace_line
from tests.support.stand_in_llm import UNAUTHORIZED, StandIn

PERIOD = ("--since", "2026-11-30", "--until", "2026-12-01")
PRICES = '{"stand-in-1": {"input": 1.0, "output": 4.0}}'


@dataclass
class Done:
    """How a command ended."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run(*arguments: str | Path, env: dict[str, str] | None = None) -> Done:
    """A command, in this process. An error of ours is what `ragpulse` makes of it: a sentence and a code."""
    none = {name: None for name in os.environ if name.startswith("RAGPULSE_")}
    ended = CliRunner().invoke(app, [*map(str, arguments)], env={**none, **(env or {})})
    if isinstance(ended.exception, RagpulseError):
        return Done(ended.exception.exit_code, ended.stdout_bytes, str(ended.exception).encode())
    if ended.exception and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return Done(ended.exit_code, ended.stdout_bytes, ended.stderr_bytes)


@pytest.fixture
def llm() -> Iterator[StandIn]:
    with StandIn() as server:
        yield server


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"".join(message.value + b"\n" for message in Traffic(1).traces(8)))
    return path


def environment(llm: StandIn, folder: Path, **variables: str) -> dict[str, str]:
    return {
        "RAGPULSE_JUDGE__BASE_URL": llm.base_url,
        "RAGPULSE_JUDGE__MODEL": llm.model,
        "RAGPULSE_JUDGE__PRICES": PRICES,
        "RAGPULSE_JUDGE__STATE_FILE": str(folder / "judge.sqlite"),
        "RAGPULSE_CALIBRATION__PROBE_EVERY_H": "0",
        **variables,
    }


def lines_of(done: Done) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [orjson.loads(line) for line in done.stdout.splitlines()]


# --- score --judge ---


def test_score_puts_the_judges_opinion_beside_each_line_and_pays_for_it_once(
    llm: StandIn, traces: Path, tmp_path: Path
) -> None:
    settings = environment(llm, tmp_path)
    lines = lines_of(done := run("score", traces, "--judge", "--json", env=settings))
    assert [line["judge"]["judge"] for line in lines] == [llm.model] * 8
    assert {"failure", "ratings", "claims", "rationale", "not_measured", "usage"} <= lines[0]["judge"].keys()
    said = orjson.loads(done.stderr)["judge"]
    assert (said["judged"], said["unjudged"], said["requests"]) == (8, {}, llm.calls.total())
    assert said["cost_usd"] > 0
    asked = llm.calls.total()
    again = lines_of(run("score", traces, "--judge", env=settings))
    assert llm.calls.total() == asked
    assert [line["judge"]["failure"] for line in again] == [line["judge"]["failure"] for line in lines]


def test_score_says_which_lines_the_budget_did_not_allow(llm: StandIn, traces: Path, tmp_path: Path) -> None:
    settings = environment(llm, tmp_path, RAGPULSE_JUDGE__BUDGET_DAILY_TOKENS="12000")
    lines = lines_of(done := run("score", traces, "--judge", env=settings))
    errors = [line["judge"].get("error") for line in lines]
    assert "over_budget" in errors
    assert llm.input_tokens + llm.output_tokens <= 12_000
    assert b"over_budget" in done.stderr
    assert run("score", traces, "--judge", "--strict", env=settings).returncode == 1


def test_a_wrong_key_ends_the_command_with_one_sentence(llm: StandIn, traces: Path, tmp_path: Path) -> None:
    llm.behave = lambda body, number: UNAUTHORIZED
    out = tmp_path / "out.jsonl"
    done = run("score", traces, "--judge", "--out", out, env=environment(llm, tmp_path))
    assert done.returncode == 3
    assert b"RAGPULSE_JUDGE__API_KEY" in done.stderr
    assert not out.exists()


def test_a_judge_that_is_not_there_ends_the_command_with_one_sentence(traces: Path, tmp_path: Path) -> None:
    with StandIn() as gone:
        settings = environment(gone, tmp_path)
    quick = {"RAGPULSE_JUDGE__ATTEMPTS": "1"}
    done = run("score", traces, "--judge", env=settings | quick)
    assert done.returncode == 3
    assert b"RAGPULSE_JUDGE__BASE_URL" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("score", "{file}", "--judge"),
        ("rescore", "--since", "1d", "--judge"),
        ("judge", "--dry-run"),
    ],
)
def test_without_a_judge_every_command_says_how_to_name_one(command: tuple[str, ...], traces: Path) -> None:
    done = run(*(part.replace("{file}", str(traces)) for part in command))
    assert done.returncode == 2
    assert b"RAGPULSE_JUDGE__MODEL" in done.stderr
    assert b"ragpulse judge --local" in done.stderr


def test_options_that_do_not_go_together_are_refused() -> None:
    assert run("judge", "--since", "1d").returncode == 2
    assert run("rescore", "--since", "1d", "--all").returncode == 2
    assert run("rescore", "--since", "1d", "--judge", "--scorer", "rules").returncode == 2


# --- judge --dry-run, rescore --judge ---


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    """Ten traces: six sampled, of which one has lost its texts and one did not fit its row."""
    client = connect(dsn)
    migrate(client)
    lines = []
    for number in range(10):
        fields: dict[str, Any] = {"sampled": number < 6, "sample_probability": 0.5}
        fields |= {"sample_reasons": ["control"], "question": f"它支持第 {number} 种吗？"}
        if number == 4:
            fields["history"] = ""
        if number == 5:
            fields["signals"] = orjson.dumps({CUT_SIGNAL: "chunks"}).decode()
        lines.append(trace_line(f"t-{number}", **fields))
    client.insert_raw("traces", b"\n".join(lines))
    return client


def with_store(llm: StandIn, dsn: str, folder: Path, **variables: str) -> dict[str, str]:
    return environment(llm, folder, RAGPULSE_CLICKHOUSE__DSN=dsn, **variables)


@pytest.mark.engine
def test_a_dry_run_says_what_it_would_cost_and_asks_nobody(
    llm: StandIn, store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    settings = with_store(llm, dsn, tmp_path)
    (found,) = lines_of(run("judge", "--dry-run", *PERIOD, "--json", env=settings))
    assert llm.calls.total() == 0
    assert (found["sampled"], found["judged"], found["left"]) == (6, 0, 4)
    assert found["left_out"] == {"expired": 1, "cut": 1}
    (judge,) = found["judges"]
    assert judge["asks"] >= 4
    assert 0 < judge["likely_usd"] < judge["most_usd"]
    assert run("rescore", *PERIOD, "--judge", env=settings).returncode == 0
    assert llm.input_tokens < 1.3 * judge["input_tokens"]
    assert llm.input_tokens + llm.output_tokens <= judge["most_tokens"]
    (after,) = lines_of(run("judge", "--dry-run", *PERIOD, "--json", env=settings))
    assert (after["judged"], after["left"], after["likely_usd"]) == (4, 0, 0)


@pytest.mark.engine
def test_a_past_period_is_judged_once_and_the_next_run_goes_on_where_a_budget_ended_the_first(
    llm: StandIn, store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    rich = with_store(llm, dsn, tmp_path)
    (cost,) = lines_of(run("judge", "--dry-run", *PERIOD, "--json", env=rich))
    budget = 1.5 * cost["judges"][0]["most_tokens"] / cost["left"]
    poor = rich | {"RAGPULSE_JUDGE__BUDGET_DAILY_TOKENS": str(round(budget))}
    done = run("rescore", *PERIOD, "--judge", "--json", env=poor)
    first = orjson.loads(done.stdout)
    assert done.returncode == 1
    assert 0 < first["judged"] < 4
    assert first["unjudged"] == {"over_budget": 4 - first["judged"]}
    (second,) = lines_of(run("rescore", *PERIOD, "--judge", "--json", env=rich))
    assert (second["already"], second["judged"]) == (first["judged"], 4 - first["judged"])
    rows = store.query("SELECT trace_id, error, sample_probability FROM verdicts FINAL ORDER BY trace_id")
    assert [tuple(row.values()) for row in rows] == [(f"t-{n}", None, 0.5) for n in range(4)]
    asked = llm.calls.total()
    (third,) = lines_of(run("rescore", *PERIOD, "--judge", "--again", "--json", env=rich))
    assert (third["judged"], third["requests"], llm.calls.total()) == (4, 0, asked)


@pytest.mark.engine
def test_all_traces_of_a_period_are_judged_with_probability_one(
    llm: StandIn, store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    settings = with_store(llm, dsn, tmp_path)
    run("rescore", *PERIOD, "--judge", env=settings)
    (found,) = lines_of(run("rescore", *PERIOD, "--judge", "--all", "--json", env=settings))
    assert found["judged"] == 8
    rows = store.query("SELECT sample_probability AS p, count() AS n FROM verdicts FINAL GROUP BY p")
    assert rows == [{"p": 1.0, "n": 8}]
