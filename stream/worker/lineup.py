"""Who scores: the serving scorer and, where there is one, the candidate that is tried beside it.

A thread of its own follows the registry: it loads what the registry names, tries it, and puts it in
place. The loop asks for the `current` line-up once a batch, so a change falls between two batches and
costs the loop nothing. What cannot score is refused, and what served before goes on.
"""

from __future__ import annotations

import importlib.metadata
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from judges.distilled import load_scorer
from judges.distilled.heads.weights import WeightsRefused
from judges.registry import Registry, RegistryError, Stamp, State
from schemas.scored import Scorer
from stream import logs
from stream.endpoint import Clock
from stream.telemetry import WorkerMetrics
from stream.worker.trial import try_out

SERVING: Final = "serving"
CANDIDATE: Final = "candidate"
SWAPPED: Final = "swapped"
REFUSED: Final = "refused"
_TRY_AGAIN_S: Final = 60.0
_GOODBYE_S: Final = 5.0

Load = Callable[[Path | None], Scorer]
"""A scorer, warm, from a weights file; from null the one that ships with this version."""


@dataclass(slots=True, frozen=True)
class Lineup:
    """Who scores the next batch."""

    serving: Scorer
    candidate: Scorer | None = None


@dataclass(slots=True)
class _Seat:
    """One of the two places: what the registry wants in it, who is, and what came of the last attempt.

    Versions; null is the shipped scorer in the serving seat, and nobody in the candidate's.
    """

    role: str
    wanted: str | None = None
    holds: str | None = None
    refused: str = ""
    try_again: float = 0.0


class Lineups:
    """The line-up that the registry asks for. Without a registry: the shipped scorer, for good.

    `current` may be read from any thread; `look` is for one thread alone.
    """

    def __init__(
        self,
        registry: Registry | None,
        metrics: WorkerMetrics,
        load: Load = load_scorer,
        clock: Clock = time.monotonic,
    ) -> None:
        self._registry = registry
        self._metrics = metrics
        self._load = load
        self._clock = clock
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._looked = False
        self._complaint = ""
        self._serving, self._candidate = _Seat(SERVING), _Seat(CANDIDATE)
        state = self._read() or State()
        chosen = self._fill(self._serving, state.serving) if state.serving else None
        self.current = Lineup(chosen or load(None))
        self._show(None)
        self._follow_candidate(state.candidate)

    @property
    def has_registry(self) -> bool:
        """Whether there is anything to follow."""
        return self._registry is not None

    def look(self) -> None:
        """Follow the registry where it has changed. Never raises: whatever is wrong, scoring goes on."""
        try:
            state = self._read()
            if state is not None:
                self._follow_serving(state.serving)
                self._follow_candidate(state.candidate)
        except Exception as error:
            self._complain(f"following the registry failed: {type(error).__name__}: {error}")

    def set_aside(self, candidate: Scorer) -> bool:
        """Take a candidate out, until the registry names another. False where it is out already."""
        with self._lock:
            if self.current.candidate is not candidate:
                return False
            self.current = replace(self.current, candidate=None)
            return True

    def _read(self) -> State | None:
        """What the registry wants; null where nothing has changed, or where it cannot be read."""
        if self._registry is None:
            return None
        try:
            stamp = self._registry.stamp()
            if self._looked and stamp == self._stamp and not self._is_due():
                return None
            if stamp is None and self._stamp is not None:  # a disk that is away asks for no other scorer
                raise RegistryError(f"The registry {self._registry.folder} is gone: bring it back.")
            state = self._registry.state()
        except (RegistryError, OSError) as error:
            self._complain(str(error))
            return None
        self._stamp, self._looked, self._complaint = stamp, True, ""
        return state

    def _is_due(self) -> bool:
        """Whether something that was refused is to be tried again: its files may have been mended."""
        return any(s.refused and self._clock() >= s.try_again for s in (self._serving, self._candidate))

    def _follow_serving(self, wanted: str | None) -> None:
        seat = self._serving
        if wanted == seat.holds:
            seat.wanted, seat.refused = wanted, ""
        elif not self._is_settled(seat, wanted):
            scorer = self._fill(seat, wanted)
            if scorer is not None:
                self._let_serve(scorer)

    def _let_serve(self, scorer: Scorer) -> None:
        with self._lock:
            before, beside = self.current.serving, self.current.candidate
            if beside is not None and beside.version == scorer.version:
                beside = None
            self.current = Lineup(scorer, beside)
        self._metrics.scorer_swaps.labels(SERVING, SWAPPED).inc()
        self._show(before)
        logs.get().info("the scorer changed", scorer=scorer.version, before=before.version)

    def _follow_candidate(self, wanted: str | None) -> None:
        if self._is_settled(self._candidate, wanted):
            return
        scorer = None
        if wanted is None or wanted == self._serving.holds:
            self._candidate = _Seat(CANDIDATE, wanted)
        else:
            scorer = self._fill(self._candidate, wanted)
        with self._lock:
            self.current = replace(self.current, candidate=scorer)
        if scorer is not None:
            self._metrics.scorer_swaps.labels(CANDIDATE, SWAPPED).inc()
            logs.get().info("a candidate scores beside", candidate=scorer.version)

    def _is_settled(self, seat: _Seat, wanted: str | None) -> bool:
        return seat.wanted == wanted and not (seat.refused and self._clock() >= seat.try_again)

    def _fill(self, seat: _Seat, wanted: str | None) -> Scorer | None:
        """The scorer that is wanted, loaded and tried; null, and said once, where it cannot score."""
        refused_before = seat.refused if seat.wanted == wanted else ""
        seat.wanted, seat.refused = wanted, ""
        try:
            scorer = self._load_named(wanted)
            seat.holds = wanted
            return scorer
        except (RegistryError, WeightsRefused) as error:
            seat.refused = str(error)
        except Exception as error:  # it has never scored: whatever it raises, nobody needs it yet
            seat.refused = f"it fails when it is tried: {type(error).__name__}: {error}"
        seat.try_again = self._clock() + _TRY_AGAIN_S
        if seat.refused != refused_before:
            self._metrics.scorer_swaps.labels(seat.role, REFUSED).inc()
            logs.get().error(
                f"{wanted or 'the shipped scorer'} is refused as {seat.role} scorer: {seat.refused}",
                setting="RAGPULSE_SCORER__REGISTRY",
            )
        return None

    def _load_named(self, version: str | None) -> Scorer:
        if version is None or self._registry is None:
            return self._load(None)
        path = self._registry.path(version)
        scorer = self._load(path)
        if scorer.version != version:
            raise RegistryError(
                f"{path} holds {scorer.version}, not {version}: its files were exchanged; put them back, "
                "or add the scorer to the registry again."
            )
        try_out(scorer)
        return scorer

    def _show(self, before: Scorer | None) -> None:
        """Let the build's gauge name the serving scorer."""
        build, ours = self._metrics.build, importlib.metadata.version("ragpulse")
        build.labels(ours, self.current.serving.version).set(1)
        if before is not None and before.version != self.current.serving.version:
            build.remove(ours, before.version)

    def _complain(self, text: str) -> None:
        """Say what is wrong with the registry itself, once."""
        if text != self._complaint:
            self._complaint = text
            logs.get().error(
                f"{text} Until then the scorers stay as they are.", setting="RAGPULSE_SCORER__REGISTRY"
            )


@contextmanager
def following(lineups: Lineups, poll_s: float) -> Iterator[None]:
    """Look at the registry every `poll_s` seconds, on a thread of its own, while the body runs."""
    if not lineups.has_registry:
        yield
        return
    ended = threading.Event()

    def follow() -> None:
        while not ended.wait(poll_s):
            lineups.look()

    thread = threading.Thread(target=follow, name="lineup", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(_GOODBYE_S)


__all__ = ["CANDIDATE", "REFUSED", "SERVING", "SWAPPED", "Lineup", "Lineups", "Load", "following"]
