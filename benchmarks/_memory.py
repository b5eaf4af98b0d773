"""Resident memory of processes, sampled each second, and whether it stays."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import numpy as np

EVERY_S = 1.0
Points = list[tuple[float, float]]
"""(seconds since the beginning, value) pairs."""


def resident_mb(pid: int) -> float | None:
    """Resident memory of a process in MB (10^6 bytes), or null where it is gone."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, IndexError):
        return None


def peak_mb(pid: int) -> float:
    """The most that was ever resident of a process, in MB. Raises where the process is gone."""
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"Process {pid} has ended")


def slope_mb_per_hour(points: Sequence[tuple[float, float]]) -> float:
    """Of the straight line that fits best (least squares); 0 for fewer than two points."""
    if len(points) < 2:
        return 0.0
    at, mb = np.array(points).T
    return float(np.polyfit(at, mb, 1)[0] * 3600)


class Watch:
    """Samples memory, and whatever else is asked for, each second in a thread while the body runs."""

    def __init__(
        self, pids: Callable[[], Mapping[str, int]], more: Mapping[str, Callable[[], float]] | None = None
    ) -> None:
        self._pids, self._more = pids, more or {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self.memory: dict[str, Points] = {}
        self.values: dict[str, Points] = {name: [] for name in self._more}
        self.began = 0.0
        """Time of day, in seconds."""

    def __enter__(self) -> Self:
        self.began = time.time()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(10)

    def between(self, name: str, since: float, until: float) -> Points:
        """The samples of a process from one time of day to another."""
        return [(at, mb) for at, mb in self.memory.get(name, []) if since <= self.began + at < until]

    def _run(self) -> None:
        while True:
            at = time.time() - self.began
            for name, pid in self._pids().items():
                if (mb := resident_mb(pid)) is not None:
                    self.memory.setdefault(name, []).append((at, mb))
            for name, ask in self._more.items():
                self.values[name].append((at, ask()))
            if self._stop.wait(EVERY_S):
                return
