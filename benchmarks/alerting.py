"""How soon a rise of the hallucination rate is told, and how often wolf is cried: bets, and what others do.

    $ .venv/bin/python -m benchmarks.alerting                 # 30 days of 60 segments: about ten minutes
    $ .venv/bin/python -m benchmarks.alerting --days 3

Two kinds of traffic (benchmarks/_simulated_stream.py): independent traces, and real ones. Each method is
given the lowest threshold with at most one false incident in all segments over all days, and is then timed on
rises. A baseline of a week is there before anything is counted. The floor is ln(traces between false alarms)
/ information a trace (Lorden 1971), for independent traces.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks._simulated_stream import BIN_S, USUAL_RATE, Floats, World, information
from stream.watch.baseline import BLOCK_S, Baseline
from stream.watch.betting import BUCKETS, Bets, mean_of_counts

TRAFFIC = (20.0, 5.0, 1.0)
EACH = 20
WEEK_S = 7 * 86_400.0
STEP = 12
"""Bins simulated at once: a minute."""
WINDOW = 60
"""Bins of the methods that look at five minutes."""
CALM = 8.0
"""Evidence below which a block may be learned from."""
CASES = ((20.0, 0.15), (20.0, 0.08), (1.0, 0.25))
RUNS = 200
METHODS = ("bets", "mean", "sigmas")


@dataclass
class Watched:
    """Segments under all three methods at once."""

    world: World
    now: float = 0.0
    block: list[Floats] = field(init=False)
    recent: Floats = field(init=False)
    window: Floats = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.world.per_second)
        self.baseline, self.bets = Baseline(count), Bets(count)
        self.block, self.window = [], np.zeros((count, BUCKETS))
        self.recent = np.zeros((WINDOW, count, BUCKETS))
        while self.now < WEEK_S:
            width = BLOCK_S / 10
            self.baseline.add(
                self.world.bins(self.now, 10, width_s=width), self.now, np.ones(count, dtype=np.bool_)
            )
            self.now += BLOCK_S
        self.baseline.learn()

    def minute(self, rate: float = USUAL_RATE) -> Iterator[dict[str, Floats]]:
        """The next minute, bin by bin: the statistic of each method, by segment."""
        bins = self.world.bins(self.now, STEP, rate)
        usual, effect = self.baseline.usual(self.now), self.baseline.design_effect
        guarded = usual + self.baseline.guard
        for counts in bins:
            evidence = self.bets.observe(counts, guarded, effect, self.now)
            slot = round(self.now / BIN_S) % WINDOW
            self.window += counts - self.recent[slot]
            self.recent[slot] = counts
            yield {"bets": evidence} | self._windows(usual)
            self.now += BIN_S
        self.block.append(bins.sum(axis=0))
        if len(self.block) == BLOCK_S / (STEP * BIN_S):
            calm = self.bets.evidence < CALM
            self.baseline.add(np.stack(self.block), self.now - BLOCK_S, calm)
            self.baseline.learn()
            self.block = []

    def _windows(self, usual: Floats) -> dict[str, Floats]:
        total = np.maximum(self.window.sum(axis=1), 1.0)
        mean = np.nan_to_num(mean_of_counts(self.window))
        return {"mean": mean, "sigmas": (mean - usual) * np.sqrt(total)}


def false_incidents(days: float, real: bool, seed: int = 1) -> dict[str, NDArray[np.float64]]:
    """The highest that each method came, by hour and segment, while nothing changed."""
    rng = np.random.default_rng(seed)
    watched = Watched(World(np.repeat(TRAFFIC, EACH), rng, real))
    _let_pass(watched, 10)
    peaks: dict[str, list[Floats]] = {name: [] for name in METHODS}
    for _ in range(round(days * 24)):
        highest = {name: np.zeros(len(TRAFFIC) * EACH) for name in METHODS}
        for _ in range(60):
            for said in watched.minute():
                for name in METHODS:
                    np.maximum(highest[name], said[name], out=highest[name])
        for name in METHODS:
            peaks[name].append(highest[name])
    return {name: np.stack(values) for name, values in peaks.items()}


def _let_pass(watched: Watched, minutes: int) -> None:
    for _ in range(minutes):
        for _ in watched.minute():
            pass


def threshold(peaks: Floats, segments: slice | None = None) -> float:
    """The lowest with at most one false incident: an hour above it, in one segment, is one."""
    ordered = np.sort(peaks[:, segments or slice(None)].ravel())
    return float(ordered[-2]) + 1e-9


def delays(
    per_second: float, after: float, real: bool, limits: dict[str, float], seed: int = 2
) -> dict[str, Floats]:
    """Seconds from a rise to each method's alarm, in `RUNS` segments; two hours where there was none."""
    rng = np.random.default_rng(seed)
    watched = Watched(World(np.full(RUNS, per_second), rng, real))
    _let_pass(watched, 60)
    found = {name: np.full(RUNS, np.inf) for name in METHODS}
    started = watched.now
    for _ in range(120):
        for said in watched.minute(after):
            for name in METHODS:
                alarm = (said[name] > limits[name]) & np.isinf(found[name])
                found[name][alarm] = watched.now + BIN_S - started
        if all(np.isfinite(values).all() for values in found.values()):
            break
    return {name: np.minimum(values, 7_200.0) for name, values in found.items()}


def main() -> None:
    """Print thresholds and delays of each kind of traffic."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--days", type=float, default=30.0)
    parser.add_argument("--traffic", choices=("independent", "real", "both"), default="both")
    given = parser.parse_args()
    days = given.days
    for real in [name == "real" for name in ("independent", "real") if given.traffic in (name, "both")]:
        print(
            f"\n{'real' if real else 'independent'} traffic, {days:g} days of {len(TRAFFIC) * EACH} segments"
        )
        peaks = false_incidents(days, real)
        _tell(peaks, real, days)


def _tell(peaks: dict[str, Floats], real: bool, days: float) -> None:
    print(
        f"  false incidents of bets at 16, 20, 24: {[int((peaks['bets'] > t).sum()) for t in (16, 20, 24)]}"
    )
    bets = threshold(peaks["bets"])
    print(f"  bets: threshold {bets:.1f} for at most one")
    for per_second, after in CASES:
        group = slice(TRAFFIC.index(per_second) * EACH, (TRAFFIC.index(per_second) + 1) * EACH)
        limits = {"bets": bets} | {name: threshold(peaks[name], group) for name in ("mean", "sigmas")}
        found = delays(per_second, after, real, limits)
        traces = days * 86_400 * per_second * EACH * len(TRAFFIC)
        floor = math.log(traces) / information(USUAL_RATE, after) / per_second
        said = "; ".join(
            f"{name} {np.median(found[name]):.0f} ({np.quantile(found[name], 0.95):.0f})" for name in METHODS
        )
        print(
            f"  {per_second:g}/s, 5 to {100 * after:.0f} %: median (p95) in s: {said}; floor {floor:.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
