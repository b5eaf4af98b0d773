"""What the embedded parts have in common: a free port, a child of our own, a clean stop."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

LOOPBACK = "127.0.0.1"


class Part(ABC):
    """An embedded part: one child process, as a context manager. Subclasses say how it is started."""

    stop_budget_s = 10.0
    """How long it may take to end when asked."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Its process id, or null while it is not running."""
        return self._process.pid if self._process else None

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @abstractmethod
    def start(self) -> Self:
        """Start it and wait until it answers."""

    def stop(self) -> None:
        """End it cleanly. Stopping twice is fine."""
        if self._process:
            stop(self._process, budget_s=self.stop_budget_s)
            self._process = None

    def kill(self) -> None:
        """End it with SIGKILL, as a crash would."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


_PR_SET_PDEATHSIG = 1


def find_free_port() -> int:
    """A TCP port that was free on loopback a moment ago. Whoever binds it may still lose the race."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def spawn(
    command: Sequence[str], log: Path, *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a child in its own process group, with its output in `log` and `env` (default: ours).

    Its own group, because Ctrl-C in a terminal must reach the supervisor alone: the parts are stopped
    in order. It is killed with its parent, so that a parent that dies leaves nothing running.
    """
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=env,
            process_group=0,
            preexec_fn=_parent_guard(),
        )


def stop(child: subprocess.Popen[bytes], *, budget_s: float) -> int:
    """Ask the child to end, then insist. Returns its exit code."""
    with contextlib.suppress(ProcessLookupError):
        child.send_signal(signal.SIGTERM)
    try:
        return child.wait(budget_s)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def tail(log: Path, lines: int = 5) -> str:
    """The last lines of a child's output, for an error message."""
    try:
        return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


def _parent_guard() -> Callable[[], None] | None:
    """On Linux, have the kernel kill the child when the thread that started it ends."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def die_with_parent() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return die_with_parent


__all__ = ["LOOPBACK", "Part", "find_free_port", "spawn", "stop", "tail"]
