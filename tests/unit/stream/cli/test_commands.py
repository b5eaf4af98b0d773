"""The command line as a whole: help, settings, services that are away."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest
from typer.main import get_command

from stream.cli import app
from stream.cli.dead import parse_since
from tests.unit.stream.cli.test_files_commands import run

NOWHERE = {
    "RAGPULSE_KAFKA__BROKERS": "127.0.0.1:9",
    "RAGPULSE_CLICKHOUSE__DSN": "http://someone:verysecret@127.0.0.1:9/ragpulse",
}
TRACE = b'{"trace_id":"t","question":"q","answer":"a"}'


def commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", {})
        found += [(name, one) for one in inner] if inner else [(name,)]
    return found


def test_the_commands_of_today_are_there_and_no_others() -> None:
    assert {" ".join(name) for name in commands()} == {
        "demo", "publish", "convert", "score", "worker", "judge", "sink", "export", "calibrate", "migrate",
        "doctor", "dead list", "dead replay", "rescore", "distill", "scorer list", "scorer show",
        "scorer promote", "scorer rollback", "scorer shadow", "watch", "release mark", "release list",
        "report release", "report gaps", "report week", "annotate export", "annotate fill", "annotate import",
        "annotate pull", "annotate push", "annotate stats", "console", "gate", "golden build", "golden check",
        "golden diff", "golden export", "golden import", "golden list",
    }  # fmt: skip


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_each_command_teaches_with_examples_and_exit_codes(command: tuple[str, ...]) -> None:
    done = run(*command, "--help")
    assert done.returncode == 0
    text = done.stdout.decode()
    assert re.search(rf"Examples:\n(.*\n)*.*ragpulse {' '.join(command)}", text), text
    assert "Exit code: 0" in text
    assert not re.search(r"<(list|\w+ range)", text), "a metavar says what is meant, not its type"


@pytest.mark.parametrize("option", [("--each", "9"), ("--model", "m.gguf"), ("--fit",), ("--lane",)])
def test_options_of_the_local_judge_alone_start_no_judge(option: tuple[str, ...]) -> None:
    settings = NOWHERE | {"RAGPULSE_JUDGE__BASE_URL": "http://127.0.0.1:9/v1", "RAGPULSE_JUDGE__MODEL": "m"}
    done = run("judge", *option, env=settings)
    assert done.returncode == 2
    assert b"--local, which is missing" in re.sub(rb"\s+", b" ", done.stderr)


def test_help_without_a_command_says_where_to_begin() -> None:
    done = run("--help")
    assert b"ragpulse demo" in done.stdout
    assert b"Exit codes" in done.stdout


def test_help_loads_none_of_the_heavy_parts() -> None:
    """A quick command line stays quick: what is not imported costs nothing."""
    import subprocess
    import sys

    code = "import sys, stream.cli; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"numpy", "confluent_kafka", "clickhouse_connect", "pydantic", "rich", "chdb", "faust", "openai"}
    assert not heavy & set(loaded)


def test_the_version_is_printed() -> None:
    assert run("--version").stdout.startswith(b"ragpulse 0.")


@pytest.mark.parametrize(
    ("command", "setting"),
    [
        (("publish", "-"), "RAGPULSE_KAFKA__BROKERS"),
        (("dead", "list"), "RAGPULSE_KAFKA__BROKERS"),
        (("dead", "replay"), "RAGPULSE_KAFKA__BROKERS"),
        (("migrate",), "RAGPULSE_CLICKHOUSE__DSN"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_service_that_is_away_is_one_sentence_and_exit_3(command: tuple[str, ...], setting: str) -> None:
    done = run(*command, stdin=TRACE, env=NOWHERE)
    assert done.returncode == 3
    said = done.stderr.decode().strip()
    assert len(said.splitlines()) == 1, said
    assert "127.0.0.1:9" in said
    assert setting in said
    assert "verysecret" not in said
    assert done.stdout == b""


def test_doctor_names_what_is_away_and_what_to_do_and_exits_3() -> None:
    done = run("doctor", "--json", env=NOWHERE)
    assert done.returncode == 3
    assert b"verysecret" not in done.stdout + done.stderr
    report = orjson.loads(done.stdout)
    assert report["ok"] is False
    away = {check["name"]: check for check in report["checks"] if check["state"] == "unreachable"}
    assert set(away) == {"broker", "clickhouse"}
    assert "127.0.0.1:9 (RAGPULSE_KAFKA__BROKERS)" in away["broker"]["detail"]
    assert "RAGPULSE_CLICKHOUSE__DSN" in away["clickhouse"]["todo"]
    assert all(check["todo"] for check in away.values())


@pytest.mark.parametrize("command", [("doctor",), ("publish", "-"), ("migrate",), ("worker",), ("sink",)])
def test_a_variable_that_nobody_reads_is_refused_by_every_command(command: tuple[str, ...]) -> None:
    done = run(*command, stdin=TRACE, env={**NOWHERE, "RAGPULSE_KAFKA_BROKERS": "one-underscore:9092"})
    assert done.returncode == 2
    said = done.stderr.decode()
    assert len(said.strip().splitlines()) == 1
    assert "RAGPULSE_KAFKA_BROKERS is no setting" in said
    assert "RAGPULSE_KAFKA__BROKERS" in said


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RAGPULSE_WORKER__BATCH_SIZE", "many"),
        ("RAGPULSE_KAFKA__PARTITIONS", "0"),
        ("RAGPULSE_KAFKA__SOURCES", "not-json"),
        ("RAGPULSE_KAFKA__OPTIONS", "not-json"),
        ("RAGPULSE_WORKER", "not-json"),
        ("RAGPULSE_KAFKA__SOURCES", "[]"),
        ("RAGPULSE_KAFKA__SOURCES", '[{"name": "spans", "format": "morse"}]'),
        ("RAGPULSE_TELEMETRY__PORT", "99999"),
        ("RAGPULSE_TELEMETRY__PORT", "-1"),
        ("RAGPULSE_KAFKA__BROKERS", ""),
        ("RAGPULSE_KAFKA__TOPIC_PREFIX", "a b "),
        ("RAGPULSE_CLICKHOUSE__CLUSTER", "a;b"),
        ("RAGPULSE_CLICKHOUSE__TIMEOUT_S", "inf"),
        ("RAGPULSE_CONFIG", "/nonexistent/mine.toml"),
        ("RAGPULSE_CONFIG", "/"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_without_its_value(variable: str, value: str) -> None:
    done = run("doctor", env={variable: value})
    assert done.returncode == 2
    said = done.stderr.decode()
    assert len(said.strip().splitlines()) == 1
    assert variable in said
    assert "Traceback" not in said


def test_a_configuration_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "mine.toml"
    broken.write_text("[kafka\n")
    done = run("doctor", env={"RAGPULSE_CONFIG": str(broken)})
    assert done.returncode == 2
    assert b"mine.toml is no TOML" in done.stderr


def test_since_is_a_time_or_an_age() -> None:
    from datetime import UTC, datetime

    now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    assert parse_since("90m", now) == datetime(2026, 12, 1, 10, 30, tzinfo=UTC)
    assert parse_since("7d", now) == datetime(2026, 11, 24, 12, tzinfo=UTC)
    assert parse_since("2026-11-30", now) == datetime(2026, 11, 30, tzinfo=UTC)
    assert parse_since("2026-12-01T09:00:00+01:00", now) == datetime(2026, 12, 1, 8, tzinfo=UTC)


def test_doctor_names_a_setting_that_the_kafka_client_refuses() -> None:
    done = run("doctor", "--json", env={**NOWHERE, "RAGPULSE_KAFKA__SECURITY_PROTOCOL": "BANANA"})
    (broker,) = [c for c in orjson.loads(done.stdout)["checks"] if c["name"] == "broker"]
    assert broker["state"] == "problem"
    assert "BANANA" in broker["detail"] or "security.protocol" in broker["detail"]


def test_a_folder_to_keep_that_cannot_be_made_is_named() -> None:
    done = run("demo", "--keep", "/proc/mine")
    assert done.returncode == 2
    assert done.stderr.startswith(b"ragpulse: /proc/mine cannot be made (--keep)")
