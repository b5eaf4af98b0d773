"""How soon the whole watch tells of a rise in its first hour, and how often it cries wolf then.

    $ .venv/bin/python -m benchmarks.watching                # about ten minutes on two cores
    $ .venv/bin/python -m benchmarks.watching --runs 8 --hours 0.75

What `ragpulse watch` does between its tables, trace by trace: strata, segments, every measure, incidents and
their names. Traffic as in benchmarks/_simulated_stream.py where it is `real`, at 20 traces a second, spread
over three tenants, two languages and four intents, which are not equally difficult. Nothing is known at the
start. Detection is the moment at which an incident on hallucination or faithfulness is opened.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks._simulated_stream import AUROC, USUAL_RATE
from stream.settings import WatchSettings
from stream.watch.main import open_watcher
from stream.watch.records import COLUMNS, Batch, Floats, Incident, Measure

PER_SECOND = 20.0
LOOK_S = 5.0
START = 1_700_000_000.0
_APART = 1.4657
_PRIOR = math.log(USUAL_RATE / (1 - USUAL_RATE))
_WAVE, _WANDER, _WANDER_S, _SHARED = 0.2, 0.1, 3_600.0, 0.5
_TURNS_S = (20.0, 45.0)
TENANTS, LANGUAGES, INTENTS = ("acme", "globex", "initech"), ("en", "zh"), ("a", "b", "c", "d")
DIFFICULTY = {"en": 0.85, "zh": 1.15, "a": 0.6, "b": 0.9, "c": 1.1, "d": 1.4}
LONGEST_S = 3_600.0
CASES = {"5 to 15 %": 0.15, "5 to 8 %": 0.08}


@dataclass
class Stream:
    """Traces of one app. `rate` is what the usual 5 % is."""

    rng: np.random.Generator

    def __post_init__(self) -> None:
        self._phase, self._drift = self.rng.random(2) * 2 * math.pi
        self._later: list[tuple[float, tuple[str, str, str]]] = []
        self._number = itertools.count()

    def look(self, at: float, rate: float) -> Batch:
        """The traces of the next five seconds."""
        due = [kind for when, kind in self._later if when < at + LOOK_S]
        self._later = [one for one in self._later if one[0] >= at + LOOK_S]
        count = max(int(self.rng.poisson(PER_SECOND * LOOK_S)) - len(due), 0)
        kinds = [self._kind() for _ in range(count)]
        rates = np.array([rate * self._swing(at) * self._difficulty(kind) for kind in kinds])
        alone = self.rng.random(count) < rates * (1 - _SHARED)
        starts = self.rng.random(count) < rates * _SHARED / (1 + len(_TURNS_S))
        for number in np.flatnonzero(starts & ~alone):
            self._later += [(at + turn_s, kinds[number]) for turn_s in _TURNS_S]
        bad = np.concatenate([alone | starts, np.ones(len(due), dtype=np.bool_)])
        return self._batch(at, kinds + due, bad)

    def _kind(self) -> tuple[str, str, str]:
        tenant, language, intent = self.rng.random(3)
        return (
            TENANTS[int(3 * tenant * tenant)], LANGUAGES[int(language < 0.4)], INTENTS[int(4 * intent)]
        )  # fmt: skip

    @staticmethod
    def _difficulty(kind: tuple[str, str, str]) -> float:
        return DIFFICULTY[kind[1]] * DIFFICULTY[kind[2]]

    def _swing(self, at: float) -> float:
        return (1 + _WAVE * math.sin(2 * math.pi * at / 86_400 + self._phase)) * (
            1 + _WANDER * math.sin(math.pi * (at - START) / _WANDER_S + self._drift)
        )

    def _batch(self, at: float, kinds: list[tuple[str, str, str]], bad: np.ndarray) -> Batch:
        n = len(kinds)
        shift = _APART * (bad - 0.5) * _APART
        p = 1 / (1 + np.exp(-(_PRIOR + shift + _APART * self.rng.normal(size=n))))

        def text(values: list[str]) -> np.ndarray:
            return np.array(values, dtype=np.object_)

        ids = text([f"t-{next(self._number)}" for _ in range(n)])
        columns = {name: text([""] * n) for name in COLUMNS} | {
            "app": text(["helpdesk"] * n), "environment": text(["prod"] * n),
            "release_prompt": text(["p7"] * n),
            "tenant": text([kind[0] for kind in kinds]), "language": text([kind[1] for kind in kinds]),
            "intent": text([kind[2] for kind in kinds]),
        }  # fmt: skip
        refused = self.rng.random(n) < 0.05
        other = self.rng.random(n)
        failure = np.where(p >= 0.5, "hallucination", np.where(other < 0.03, "poor_retrieval", "healthy"))
        return Batch(
            trace_id=ids, conversation=ids, timestamp=np.sort(at + LOOK_S * self.rng.random(n)),
            columns=columns,
            hallucination=p, faithfulness=np.clip(1 - p + 0.05 * self.rng.normal(size=n), 0, 1),
            failure=failure.astype(np.object_), refusal=refused,
            quadrant=text(["honest" if one else "faithful" for one in refused]), coverage=text(["full"] * n),
            scorer_version=text(["s-1"] * n),
        )  # fmt: skip


def incidents(seed: int, hours: float, after: float | None) -> tuple[list[Incident], float | None]:
    """Incidents before the rise (false ones), and seconds from the rise to the first one after it."""
    watcher = open_watcher(WatchSettings(budgets={}))
    stream = Stream(np.random.default_rng(seed))
    rise, false = START + hours * 3_600, []
    for at in _looks(START, rise + (LONGEST_S if after else 0.0)):
        watcher.watch(stream.look(at, USUAL_RATE if at < rise or after is None else after))
        opened = [one for event, one in watcher.turn(at + LOOK_S).news if event == "opened"]
        if at < rise:
            false += opened
        elif any(one.measure in (Measure.HALLUCINATION, Measure.FAITHFULNESS) for one in opened):
            return false, at + LOOK_S - rise
    return false, LONGEST_S if after else None


def _looks(start: float, end: float) -> Iterator[float]:
    at = start
    while at < end:
        yield at
        at += LOOK_S


def main() -> None:
    """Print delays and false incidents."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--hours", type=float, default=0.75, help="of calm before the rise")
    parser.add_argument("--calm", type=float, default=0.0, help="hours without any rise, in each run")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    print(f"the whole watch, {given.hours:g} hours after its start, {given.runs} runs each, AUROC {AUROC}")
    with ProcessPoolExecutor(given.processes) as pool:
        for name, after in CASES.items():
            found = list(pool.map(partial(incidents, hours=given.hours, after=after), range(given.runs)))
            delays: Floats = np.array([delay for _, delay in found], dtype=np.float64)
            print(
                f"{name}: median {np.median(delays):.0f} s, least {delays.min():.0f}, p95 "
                f"{np.quantile(delays, 0.95):.0f}, most {delays.max():.0f}; false incidents before: "
                f"{sum(len(false) for false, _ in found)} in {given.runs * given.hours:g} hours",
                flush=True,
            )
        if given.calm:
            calm = list(
                pool.map(partial(incidents, hours=given.calm, after=None), range(100, 100 + given.runs))
            )
            wrong = [one for false, _ in calm for one in false]
            print(f"nothing changes: {len(wrong)} false incidents in {given.runs * given.calm:g} hours")
            for one in wrong:
                print(f"  {one.measure.value} of {one.segment.text or 'all traffic'}: {one.summary}")


if __name__ == "__main__":
    main()
