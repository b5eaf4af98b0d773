"""Whether rates from boosted samples, weighted back, are what they say: in how many runs 95 % intervals hold.

    $ .venv/bin/python -m benchmarks.estimates                # 1,000 runs a line: minutes
    $ .venv/bin/python -m benchmarks.estimates --runs 100

Traffic is simulated (benchmarks/_simulated_rates.py), so that the truth is known: a scorer of AUROC 0.85,
calibrated or not; conversations of three turns, half of which share one fate; judges that are right. `naive`
is the share of bad verdicts in the sample, as it is without weights. `cover` is for the rate behind the
traffic, `verdicts` for the same from verdicts alone, `traffic` for the share among exactly these traces.
`saved` is how many fewer verdicts do for the same interval when cheap scores are used: 1 - (width with /
width without)².
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from benchmarks._simulated_rates import Floats, Traffic, Worker, rates_of, simulate
from stream.settings.sampling import SamplingSettings
from stream.watch.estimates import Estimate, estimate

RATES = (0.02, 0.05, 0.15)
SIZES = (5_000, 15_000, 50_000)
SCORERS = ("calibrated", "alarmist", "timid")
LIMITED_TRACES = 4_500
LIMITED = SamplingSettings(per_minute=5.0)
"""For half an hour of so many traces: about half of what the rates would choose."""
UNLIMITED = SamplingSettings(per_minute=0)
UNANSWERED = 0.05


@dataclass(slots=True)
class Tally:
    """What came of the runs of one line."""

    rate: float
    powered: list[Estimate] = field(default_factory=list)
    weighted: list[Estimate] = field(default_factory=list)
    of_traffic: list[tuple[float, Estimate]] = field(default_factory=list)
    naive: list[float] = field(default_factory=list)

    def add(self, traffic: Traffic, chosen: np.typing.NDArray[np.bool_], p: Floats) -> None:
        """One run: every estimate of it."""
        verdicts = np.where(chosen, traffic.truth, np.nan)
        clusters = traffic.conversation
        self.powered.append(estimate(verdicts, p, traffic.score, clusters))
        self.weighted.append(estimate(verdicts, p, None, clusters))
        exact = estimate(verdicts, p, traffic.score, clusters, target="traffic")
        self.of_traffic.append((float(traffic.truth.mean()), exact))
        self.naive.append(float(traffic.truth[chosen].mean()) if chosen.any() else 0.0)

    def line(self) -> str:
        """Judged, mean of the estimates, and coverage of each kind."""
        within = np.mean([one.low <= self.rate <= one.high for one in self.powered])
        plain = np.mean([one.low <= self.rate <= one.high for one in self.weighted])
        exact = np.mean([one.low <= truth <= one.high for truth, one in self.of_traffic])
        wide, narrow = (_width(kind) for kind in (self.weighted, self.powered))
        judged = np.mean([one.n_judged for one in self.powered])
        means = " ".join(f"{100 * np.mean(values):6.2f}" for values in (self.naive, _values(self.powered)))
        covered = " ".join(f"{100 * share:6.1f}" for share in (within, plain, exact))
        return f"{judged:7.0f} {means} {covered} {100 * narrow:7.2f} {100 * (1 - (narrow / wide) ** 2):6.0f}"


def coverage(tally: Tally) -> tuple[float, float]:
    """Share of runs whose interval holds the truth: prediction-powered, and verdicts alone."""
    both = [[one.low <= tally.rate <= one.high for one in kind] for kind in (tally.powered, tally.weighted)]
    return float(np.mean(both[0])), float(np.mean(both[1]))


def run(rate: float, traces: int, scorer: str, runs: int, seed: int = 1) -> Tally:
    """Boosts as by default, without limits; a few of the chosen traces get no verdict."""
    rng, tally = np.random.default_rng(seed), Tally(rate)
    for _ in range(runs):
        traffic = simulate(rng, traces, rate, scorer)
        p = rates_of(traffic, UNLIMITED)
        tally.add(traffic, (rng.random(traces) < p) & (rng.random(traces) >= UNANSWERED), p)
    return tally


def run_limited(rate: float, traces: int, scorer: str, runs: int, seed: int = 1) -> Tally:
    """The sampler itself, with a limit that bites, a new release and a rare tenant."""
    rng, tally, worker = np.random.default_rng(seed), Tally(rate), Worker(traces)
    for number in range(runs):
        traffic = simulate(rng, traces, rate, scorer)
        chosen, p = worker.choose(traffic, LIMITED.model_copy(update={"salt": f"{seed}-{number}"}))
        tally.add(traffic, chosen, p)
    return tally


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print(f"{runs} runs a line; all but the first four columns in percent\n")
    print("  rate  traces     scorer  judged  naive   mean  cover verdicts traffic  width  saved")
    for label, tally in _lines(runs):
        print(f"{label} {tally.line()}", flush=True)


def _lines(runs: int) -> Iterator[tuple[str, Tally]]:
    for rate in RATES:
        for traces in SIZES:
            for scorer in SCORERS:
                yield f"{100 * rate:6.0f} {traces:7} {scorer:>10}", run(rate, traces, scorer, runs)
    print("\nwith the sampler itself, limited to about half of what the rates would choose")
    for rate in RATES:
        yield (
            f"{100 * rate:6.0f} {LIMITED_TRACES:7} {'calibrated':>10}",
            run_limited(rate, LIMITED_TRACES, "calibrated", runs),
        )


def _values(estimates: list[Estimate]) -> list[float]:
    return [one.value or 0.0 for one in estimates]


def _width(estimates: list[Estimate]) -> float:
    return float(np.mean([one.high - one.low for one in estimates]))


if __name__ == "__main__":
    main()
