"""A store that answers and does not let us in, or that is none: said in one sentence, with the setting."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import orjson
import pytest

from tests.unit.stream.cli.test_files_commands import run

Answer = tuple[int, dict[str, str], bytes]
DENIED: Answer = (
    403,
    {"X-ClickHouse-Exception-Code": "516"},
    b"Code: 516. DB::Exception: Authentication failed",
)
STRANGER: Answer = (404, {}, b"no such page")
NOBODY: Answer = (200, {}, b"<html>welcome</html>")


@pytest.fixture
def answering(request: pytest.FixtureRequest) -> Iterator[str]:
    """Address of a server that gives one answer (the parameter) to everything."""
    status, headers, body = request.param

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def store_at(address: str) -> dict[str, str]:
    return {
        "RAGPULSE_CLICKHOUSE__DSN": f"http://ann:verysecret@{address}/ragpulse",
        "RAGPULSE_KAFKA__BROKERS": "127.0.0.1:9",
    }


@pytest.mark.parametrize("answering", [DENIED, STRANGER, NOBODY], indirect=True, ids=["516", "404", "page"])
def test_migrate_names_the_setting_and_exits_3(answering: str) -> None:
    done = run("migrate", env=store_at(answering))
    said = done.stderr.decode().strip()
    assert done.returncode == 3, said
    assert len(said.splitlines()) == 1
    assert "orrect RAGPULSE_CLICKHOUSE__DSN" in said
    assert answering in said
    assert "verysecret" not in said


@pytest.mark.parametrize("answering", [DENIED, STRANGER], indirect=True, ids=["516", "404"])
def test_doctor_blames_the_store_and_not_the_schema(answering: str) -> None:
    done = run("doctor", "--json", env=store_at(answering))
    checks = {check["name"]: check for check in orjson.loads(done.stdout)["checks"]}
    assert done.returncode == 3
    assert "schema" not in checks
    assert checks["clickhouse"]["state"] == "unreachable"
    assert "RAGPULSE_CLICKHOUSE__DSN" in checks["clickhouse"]["todo"]


def test_a_port_that_accepts_and_stays_silent_does_not_answer() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        done = run("migrate", env=store_at(f"127.0.0.1:{silent.getsockname()[1]}"), timeout=25)
    assert done.returncode == 3
    assert b"does not answer" in done.stderr
