"""Secrets stay where they are set: not in logs, metrics, pages, errors, the doctor's output, or `ps`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.cli.shell import load_settings
from stream.embedded import child
from stream.embedded.broker import EmbeddedBroker
from stream.embedded.engine import EmbeddedEngine
from stream.errors import RagpulseError
from stream.settings import Settings
from tests.support import planted
from tests.support.kafka import create_our_topics, publish
from tests.support.traces import trace_json
from tests.unit.stream.cli.test_files_commands import COMMAND, run

PROCESSES = {
    "worker": ["worker"], "sink": ["sink"], "judge": ["judge"], "watch": ["watch"], "console": ["console"],
    "annotate": ["annotate", "fill"], "otlp": ["export", "otlp"],
}  # fmt: skip
AWAY = {"kafka__brokers": "127.0.0.1:9", "clickhouse__dsn": planted.store_dsn("127.0.0.1:9")}
READY_S = 90.0


class Process:
    """A process of ours with secrets in its environment, a port for its metrics, and a log."""

    def __init__(self, arguments: list[str], log: Path, variables: dict[str, str]) -> None:
        self.port = child.find_free_port()
        self._log = log
        clean = {name: value for name, value in os.environ.items() if not name.startswith("RAGPULSE_")}
        env = {**clean, **variables, "RAGPULSE_TELEMETRY__PORT": str(self.port)}
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [*COMMAND, *arguments], env=env, stdout=output, stderr=output, cwd=log.parent
            )

    def answers(self, path: str) -> str:
        """What its endpoint says; empty while there is none."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return str(error.read().decode())
        except OSError:
            return ""

    def wait(self, log: str) -> str:
        """Wait until it has said this; returns its metrics and all else that it serves."""
        until = time.monotonic() + READY_S
        while log not in self.said() or not (metrics := self.answers("/metrics")):
            assert self._process.poll() is None, self.said()
            assert time.monotonic() < until, self.said()
            time.sleep(0.1)
        return metrics + self.answers("/healthz") + self.answers("/readyz")

    def end(self) -> str:
        """Stop it; returns all that it said."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        finally:
            self._process.kill()
            self._process.wait()
        return self.said()

    def said(self) -> str:
        return self._log.read_text(errors="replace")


def test_every_setting_that_may_hold_a_secret_is_planted() -> None:
    names = {".".join(name.split(".")[:2]) for name in planted.secret_settings(Settings)}
    assert names <= {*planted.PLANTED, "clickhouse.dsn"}
    for name, value in planted.PLANTED.items():
        if name in names:
            assert planted.MARK in json.dumps(value)


def test_settings_that_are_printed_show_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in planted.variables(**AWAY).items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert settings.kafka.sasl_password is not None
    assert settings.kafka.sasl_password.get_secret_value() == planted.secret("sasl")
    assert planted.leaks(f"{settings!r}\n{settings}\n{settings.clickhouse.tls!r}") == []


WRONG = {
    "RAGPULSE_CLICKHOUSE__DSN": f"http://ann:{planted.secret('a/b')}@host:1/x",
    "RAGPULSE_KAFKA__BROKERS": f"SASL_SSL://ann:{planted.secret('brokers')}@kafka:9093",
    "RAGPULSE_KAFKA__OPTIONS": f'{{"sasl.password": "{planted.secret("json")}"',
    f"RAGPULSE_{'KAFKA__SASL_PASSWORDS'}": planted.secret("name"),  # one letter too many
    "RAGPULSE_JUDGE__API_KEY": f"{planted.secret('key')}\n",
    "RAGPULSE_JUDGE__HEADERS": json.dumps({"X-Key": f"{planted.secret('header')}\n"}),
    "RAGPULSE_JUDGE__BASE_URL": f"http://ann:{planted.secret('base')}@host/v1",
    "RAGPULSE_JUDGE__JUDGES": json.dumps([{"api_key": planted.secret("judges")}]),
    "RAGPULSE_EXPORT__OTLP_HEADERS": planted.secret("no-json"),
    "RAGPULSE_CONSOLE__TOKENS": json.dumps([{"name": "a", "role": "king", "token": planted.secret("role")}]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_setting_that_cannot_be_used_is_named_and_not_repeated(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, WRONG[name])
    if name.endswith("__DSN"):
        with pytest.raises(Exception, match="DSN") as refused:
            connect(load_settings().clickhouse.dsn.get_secret_value())
    else:
        with pytest.raises(RagpulseError, match=name) as refused:
            load_settings()
    assert planted.leaks(str(refused.value)) == []


def test_a_file_of_settings_that_is_no_toml_is_not_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ragpulse.toml"
    file.write_text(f'[kafka]\nsasl_password = "{planted.secret("toml")}\n')
    monkeypatch.setenv("RAGPULSE_CONFIG", str(file))
    with pytest.raises(RagpulseError, match="is no TOML") as refused:
        load_settings()
    assert planted.leaks(str(refused.value)) == []


@pytest.mark.parametrize(
    "name",
    [
        "EXPORT__OTLP_URL", "EXPORT__LANGFUSE_URL", "EXPORT__PHOENIX_URL", "WATCH__ALERTMANAGER_URL",
        "WATCH__GRAFANA_URL", "CONSOLE__PUBLIC_URL",
    ],
)  # fmt: skip
def test_an_address_with_a_password_in_it_is_refused_without_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"RAGPULSE_{name}", f"http://ann:{planted.secret('url')}@127.0.0.1:9")
    with pytest.raises(RagpulseError, match=name) as refused:
        load_settings()
    assert planted.leaks(str(refused.value)) == []


@pytest.mark.parametrize("command", ["doctor", "migrate", "dead list"])
def test_a_command_whose_services_are_away_shows_none(command: str) -> None:
    env = planted.variables(**AWAY, telemetry__log_level="debug")
    done = run(*command.split(), env=env)
    assert done.returncode == 3, done.stderr
    assert planted.leaks(done.stdout + done.stderr) == []


@pytest.fixture
def stores(embedded_broker: EmbeddedBroker, embedded_engine: EmbeddedEngine, dsn: str) -> dict[str, str]:
    """Settings by which processes reach a broker and a store, with topics, tables and one trace."""
    client = connect(dsn)
    migrate(client)
    client.close()
    settings = Settings.model_validate(
        {
            "kafka": {
                "brokers": embedded_broker.address,
                "topic_prefix": "planted.",
                "session_timeout_ms": 3000,
            }
        }
    )
    create_our_topics(settings)
    publish(embedded_broker.address, "planted.traces", [trace_json("t-planted")])
    return {
        "kafka__brokers": embedded_broker.address,
        "kafka__topic_prefix": "planted.",
        "kafka__session_timeout_ms": "3000",
        "clickhouse__dsn": planted.store_dsn(embedded_engine.address, dsn.rpartition("/")[2]),
        "sampling__base_rate": "1.0",
    }


@pytest.mark.broker
@pytest.mark.engine
def test_no_process_shows_any_in_logs_metrics_pages_or_the_list_of_processes(
    stores: dict[str, str], tmp_path: Path
) -> None:
    """All of them at work, chatty, in the form of logs that shows most."""
    port = child.find_free_port()
    env = planted.variables(
        **stores, console__port=str(port), telemetry__log_level="debug", telemetry__log_format="console"
    )
    seen: dict[str, str] = {}
    with ExitStack() as stack:
        running: dict[str, Process] = {}
        for name, arguments in PROCESSES.items():
            running[name] = Process(arguments, tmp_path / f"{name}.log", env)
            stack.callback(running[name].end)
        for name, process in running.items():
            seen[f"{name}: endpoint"] = process.wait("starts")
        seen["processes"] = planted.command_lines()
        seen["console: pages"] = pages(f"http://127.0.0.1:{port}", planted.secret("token"))
        for name, process in running.items():
            seen[f"{name}: log"] = process.end()
    assert {where: planted.leaks(text) for where, text in seen.items() if planted.leaks(text)} == {}
    assert "stream.cli" in seen["processes"], "they are seen at all"
    assert "ragpulse" in seen["worker: endpoint"]


def pages(address: str, token: str) -> str:
    """What the console says to an admin and to a stranger."""
    said = []
    for path in ("/login", "/", "/api/v1/me", "/api/v1/live", "/api/openapi.json", "/nowhere"):
        for headers in ({}, {"Authorization": f"Bearer {token}"}):
            request = urllib.request.Request(address + path, headers=headers)
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    said.append(f"{answer.headers}{answer.read().decode()}")
            except urllib.error.HTTPError as error:
                said.append(f"{error.headers}{error.read().decode()}")
    assert any('"ann"' in one for one in said), "the admin was let in"
    return "\n".join(said)
