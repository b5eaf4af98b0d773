"""The embedded ClickHouse engine: its data in one folder, shared over HTTP by a child process.

`EmbeddedEngine` starts and stops that child; `python -m stream.embedded.engine --path DIR --port N`
is the child. The data stays in the folder when it ends.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

from stream.embedded import child
from stream.embedded.scratch import Scratch
from stream.errors import PartMissing, RagpulseError

DATABASE = "ragpulse"
_ATTEMPTS = 3
_READY_S = 60.0


class EmbeddedEngine(child.Part):
    """An engine of our own on loopback: `with EmbeddedEngine() as engine: … engine.dsn`.

    `path` is the data's folder (default: a temporary one that is removed at the end); `port` 0 picks a
    free one; `log` is where its output goes (default: a file in that folder's parent, or a temporary one);
    `config` is a configuration file as servers have it, for backups or clusters.
    """

    def __init__(
        self,
        path: Path | None = None,
        port: int = 0,
        log: Path | None = None,
        config: Path | None = None,
    ) -> None:
        super().__init__()
        self._folder = Scratch("engine") if path is None or log is None else None
        folder = self._folder.path if self._folder else Path()
        self._path = path or folder / "data"
        self._wanted_port = port
        self._log = log or folder / "engine.log"
        self._config = config
        self._port = port

    @property
    def address(self) -> str:
        """host:port of the front."""
        return f"{child.LOOPBACK}:{self._port}"

    @property
    def dsn(self) -> str:
        """For clients (`RAGPULSE_CLICKHOUSE__DSN`)."""
        return self.dsn_of(DATABASE)

    def dsn_of(self, database: str) -> str:
        """The same engine, another database (which need not exist yet)."""
        return f"http://{self.address}/{database}"

    def start(self) -> Self:
        """Start it and wait until it answers. Raises PartMissing, or RagpulseError with its last words.

        Started again after `stop` or `kill`, it serves the same data at the same address.
        """
        require_engine()
        self._path.mkdir(parents=True, exist_ok=True)
        for _ in range(1 if self._port else _ATTEMPTS):
            port = self._port or child.find_free_port()
            command = [sys.executable, "-m", __name__, "--path", str(self._path), "--port", str(port)]
            command += ["--config", str(self._config)] if self._config else []
            self._process = child.spawn(command, self._log)
            if self._wait_until_ready(port):
                self._port = port
                return self
            self.stop()
        raise RagpulseError(
            f"The embedded engine did not start on {self._path}. Its last words:\n{child.tail(self._log)}"
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if self._folder:
            self._folder.cleanup()

    def _wait_until_ready(self, port: int) -> bool:
        until = time.monotonic() + _READY_S
        while time.monotonic() < until and self.alive:
            if _pings(port):
                return self.alive  # another process may have won the port
            time.sleep(0.02)
        return False


def require_engine() -> None:
    """Raises PartMissing, saying what to install, where the engine is not there."""
    from importlib.util import find_spec

    if find_spec("chdb") is None:
        raise PartMissing(
            "The embedded ClickHouse engine is not installed: run `pip install 'ragpulse[embedded]'`, "
            "or name a server of your own in RAGPULSE_CLICKHOUSE__DSN."
        )


def _pings(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{child.LOOPBACK}:{port}/ping", timeout=1.0) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def main(arguments: list[str] | None = None) -> int:
    """Serve the engine until SIGTERM or SIGINT; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stream.embedded.engine", description=__doc__)
    parser.add_argument("--path", type=Path, required=True, help="folder of the data")
    parser.add_argument("--host", default=child.LOOPBACK)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--database", default=DATABASE, help="created if missing")
    parser.add_argument("--config", type=Path, help="a configuration file, as servers have it")
    parser.add_argument("--max-queries", type=int, default=8, help="running at once")
    parser.add_argument("--wait-s", type=float, default=30.0, help="how long a query waits for its turn")
    options = parser.parse_args(arguments)
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        require_engine()
        return _serve(options)
    except RagpulseError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def _serve(options: argparse.Namespace) -> int:
    from stream.embedded.front import Front
    from stream.embedded.handle import open_engine

    path = str(options.path.resolve())
    if options.config:
        path += f"?config-file={options.config.resolve()}"
    try:
        engine = open_engine(path)  # held open, so that the engine outlives the requests' handles
    except RuntimeError as error:
        raise RagpulseError(
            f"The embedded engine cannot open {path}: another process may hold it. It said: {error}"
        ) from error
    engine.query(f"CREATE DATABASE IF NOT EXISTS `{options.database}` ENGINE = Atomic")
    try:
        front = Front((options.host, options.port), path, options.max_queries, options.wait_s)
    except OSError as error:
        raise RagpulseError(
            f"Port {options.port} of {options.host} cannot be used: {error.strerror}."
        ) from error
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: threading.Thread(target=front.shutdown, daemon=True).start())
    front.serve_forever(poll_interval=0.05)
    front.server_close()
    front.drain(budget_s=child.Part.stop_budget_s / 2)
    engine.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
