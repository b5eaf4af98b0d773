"""The local model as a process of its own: started for as long as somebody asks it, gone with them."""

from __future__ import annotations

import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from stream.embedded import child
from stream.embedded.scratch import Scratch
from stream.errors import RagpulseError

MODULE: Final = "judges.llm.local"
_READY_S: Final = 180.0
_POLL_S: Final = 0.1
_ATTEMPTS: Final = 3


class LocalModelServer(child.Part):
    """`with LocalModelServer(file) as server: … server.base_url`. On loopback, on a free port."""

    def __init__(self, model: Path, threads: int | None = None, module: str = MODULE) -> None:
        super().__init__()
        self._model = model
        self._threads = threads or len(os.sched_getaffinity(0))
        self._module = module
        self._folder = Scratch("local-judge")
        self._log = self._folder.path / "server.log"
        self.base_url = ""

    def start(self) -> Self:
        """Start it and wait until the model is loaded. Raises RagpulseError with its last words."""
        for _ in range(_ATTEMPTS):
            port = child.find_free_port()
            self._process = child.spawn(
                [sys.executable, "-m", self._module, "--model", str(self._model), "--port", str(port),
                 "--threads", str(self._threads)],
                self._log,
            )  # fmt: skip
            base_url = f"http://{child.LOOPBACK}:{port}/v1"
            if self._wait_until_ready(base_url):
                self.base_url = base_url
                return self
            self.stop()
        words = child.tail(self._log)
        self._folder.cleanup()
        raise RagpulseError(f"The local model did not start ({self._model}). Its last words:\n{words}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._folder.cleanup()

    def _wait_until_ready(self, base_url: str) -> bool:
        until = time.monotonic() + _READY_S
        while self.alive and time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"{base_url}/models", timeout=1):
                    return True
            except (urllib.error.URLError, OSError):
                time.sleep(_POLL_S)
        return False


__all__ = ["LocalModelServer"]
