"""`ragpulse console` as a process: over real HTTP, with and without its store, to its end."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.console.main import run_console
from stream.settings import AnnotationSettings, ConsoleSettings, Settings

pytestmark = pytest.mark.timeout(240)
_PATIENCE_S = 60.0


class Running:
    """A console that was started; `url` and `token` are what it told the person who did."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self._log = process, log
        said = self.wait_for(r"The console is at (http://\S+?)/login#token=(\S+)")
        self.url, self.token = said[1], said[2]
        self.metrics = self.wait_for(r'"url": "(http://\S+)/metrics"')[1]

    def wait_for(self, pattern: str) -> re.Match[str]:
        """What the log says."""
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until and self.process.poll() is None:
            found = re.search(pattern, self.log)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"{pattern} is not in the log:\n{self.log}")

    @property
    def log(self) -> str:
        """All of standard error."""
        return self._log.read_text()

    def get(self, url: str, **headers: str) -> tuple[int, str]:
        """Status and body; redirects are not followed into the page of the login."""
        request = urllib.request.Request(url, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def ask(self, path: str) -> tuple[int, Any]:
        """An operation of the API, with the token."""
        status, body = self.get(f"{self.url}{path}", Authorization=f"Bearer {self.token}")
        return status, json.loads(body)


@contextmanager
def running(folder: Path, dsn: str, **settings: str) -> Iterator[Running]:
    """Start it with a free port; stop it whatever happens."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAGPULSE_")}
    environment |= {
        "RAGPULSE_CLICKHOUSE__DSN": dsn,
        "RAGPULSE_CONSOLE__PORT": "0",
        "RAGPULSE_TELEMETRY__PORT": "0",
        "RAGPULSE_TELEMETRY__LOG_FORMAT": "json",
        "RAGPULSE_ANNOTATION__LEASE_FILE": str(folder / "leases.sqlite"),
        **settings,
    }
    log = folder / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "stream.cli", "console"], env=environment, stdout=errors, stderr=errors
        )
    try:
        yield Running(process, log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)


@pytest.mark.engine
def test_the_console_serves_counts_itself_and_ends_when_asked(dsn: str, tmp_path: Path) -> None:
    migrate(connect(dsn))
    with running(tmp_path, dsn) as console:
        assert console.ask("/api/v1/me") == (200, {"name": "admin", "role": "admin", "form_token": None})
        assert console.ask("/api/v1/queue/stats")[1]["states"] == {}
        until = time.monotonic() + _PATIENCE_S
        while console.get(f"{console.metrics}/readyz")[0] != 200 and time.monotonic() < until:
            time.sleep(0.2)
        assert console.get(f"{console.metrics}/readyz")[0] == 200
        metrics = console.get(f"{console.metrics}/metrics")[1]
        assert 'ragpulse_console_requests_total{method="GET",route="/api/v1/me",status="2xx"} 1.0' in metrics
        console.process.send_signal(signal.SIGTERM)
        assert console.process.wait(30) == 0
        lines = [line for line in console.log.splitlines() if line.startswith("{")]
        assert json.loads(lines[-1])["event"] == "console ended"
        assert not any(console.token in line for line in lines)
        assert console.log.count(console.token) == 1


def test_without_its_store_the_console_lives_and_says_so(tmp_path: Path) -> None:
    with running(tmp_path, "http://127.0.0.1:9/nothing") as console:
        status, problem = console.ask("/api/v1/queue/stats")
        assert (status, problem["title"]) == (
            503, "ClickHouse does not answer. The console goes on by itself as soon as it does.",
        )  # fmt: skip
        assert console.get(f"{console.metrics}/readyz")[0] == 503
        assert console.get(f"{console.metrics}/healthz")[0] == 200
        assert console.get(f"{console.url}/login")[0] == 200


def test_a_store_that_takes_connections_and_never_answers_holds_up_nobody(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.listen(64)
        dsn = f"http://127.0.0.1:{silent.getsockname()[1]}/nothing"
        with running(tmp_path, dsn, RAGPULSE_CONSOLE__QUERY_TIMEOUT_S="1") as console:
            assert console.ask("/api/v1/queue/stats")[0] == 503
            assert console.ask("/api/v1/me")[0] == 200
            assert console.ask("/api/v1/queue/agreement")[0] == 503
            console.process.send_signal(signal.SIGINT)
            assert console.process.wait(60) == 0


def test_requests_that_are_no_http_or_for_another_host_are_turned_away(tmp_path: Path) -> None:
    with running(tmp_path, "http://127.0.0.1:9/nothing") as console:
        host, port = console.url.removeprefix("http://").split(":")
        status, body = console.get(f"{console.url}/login", Host="evil.test")
        assert status == 421
        assert "RAGPULSE_CONSOLE__PUBLIC_URL" in body
        with socket.create_connection((host, int(port)), timeout=30) as raw:
            raw.sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 400")
        connection = http.client.HTTPConnection(host, int(port), timeout=30)
        connection.request("POST", "/login", body=b"x" * 400_000)
        assert connection.getresponse().status == 413
        assert console.get(f"{console.url}/login")[0] == 200
        assert console.process.poll() is None


def test_a_port_that_is_taken_is_a_sentence_and_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = Settings(
            console=ConsoleSettings(port=taken.getsockname()[1]),
            annotation=AnnotationSettings(lease_file=tmp_path / "leases.sqlite"),
        )
        assert run_console(settings, said.append) == 2
    assert "RAGPULSE_CONSOLE__PORT" in capsys.readouterr().err
    assert said == []


def test_a_new_token_is_printed_with_the_setting_that_lets_it_in() -> None:
    command = [
        sys.executable,
        "-m",
        "stream.cli",
        "console",
        "--new-token",
        "li",
        "--role",
        "viewer",
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    made = json.loads(done.stdout)
    assert made["setting"]["name"] == "li"
    assert made["setting"]["role"] == "viewer"
    assert made["token"] not in json.dumps(made["setting"])
    refused = subprocess.run([*command[:-2], "root"], capture_output=True, timeout=120, check=False)
    assert refused.returncode == 2
    assert b"--role" in refused.stderr
    nobody = [*command[:5], "", "--role", "viewer"]
    refused = subprocess.run(nobody, capture_output=True, timeout=120, check=False)
    assert refused.returncode == 2
    assert b"The name cannot be used" in refused.stderr
