"""How often the gate blocks the same system for noise, and how great a regression of how many cases it finds.

    $ .venv/bin/python -m benchmarks.gate                # some minutes
    $ .venv/bin/python -m benchmarks.gate --runs 1000    # for figures to one in a thousand

A simulated judge measures a system twice; what it says of a case wavers, of some cases more than of others.
The baseline is measured by it as well. Then the system fails on a share of one kind of questions.
"""

from __future__ import annotations

import argparse
import sys
from typing import Final

from benchmarks._noisy_judge import KINDS, SUITE, Desk, Noise, baseline
from judges.gate.decide import decide
from judges.intervals import wilson

_PLANTED: Final = "multi_hop"
_ONCE, _AGAIN = 1_000_000, 2_000_000
"""Where the seeds of the two measurements begin."""
NOISES: Final = {
    "2 % of what it says": Noise(0.02),
    "5 %": Noise(0.05),
    "10 %": Noise(0.1),
    "10 %, alike on all cases": Noise(0.1, spread=50.0),
    "10 %, three times as much on multi-hop": Noise(0.1, worse_on=_PLANTED),
    "20 %": Noise(0.2),
}
SIZES: Final = (40, 120)
LOST: Final = (0.25, 0.5, 0.75, 1.0)


def count_false_alarms(cases: int, noise: Noise, runs: int) -> int:
    """How many of `runs` block a system that did not change, each with a set and a baseline of its own."""
    blocked = 0
    for run in range(runs):
        desk = Desk(cases, noise, run)
        blocked += decide(SUITE, desk.measure(_AGAIN + run), baseline(desk.measure(_ONCE + run))).blocked
    return blocked


def count_found(cases: int, noise: Noise, lost: float, runs: int) -> tuple[int, int]:
    """How many of `runs` block a system that fails on a share of one kind, and how many name the kind."""
    blocked = named = 0
    for run in range(runs):
        desk = Desk(cases, noise, run)
        worse = desk.measure(_AGAIN + run, {_PLANTED: lost})
        decision = decide(SUITE, worse, baseline(desk.measure(_ONCE + run)))
        blocked += decision.blocked
        named += any(str(one.stratum) == f"kind {_PLANTED}" for one in decision.findings)
    return blocked, named


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100)
    runs: int = parser.parse_args().runs
    print(f"The same system, {runs} runs each:\n\n| the judge wavers in | cases | blocked | 95 % interval |")
    print("|---|---|---|---|")
    for name, noise in NOISES.items():
        for cases in SIZES:
            blocked = count_false_alarms(cases, noise, runs)
            interval = wilson(blocked, runs)
            told = f"{interval.low:.1%} to {interval.high:.1%}"
            print(f"| {name} | {cases} | {blocked} of {runs} | {told} |", flush=True)
    tried = max(runs // 4, 10)
    print(f"\nA system that fails on a share of its {_PLANTED} questions, {tried} runs each:\n")
    print("| cases, of them multi-hop | noise | lost | blocked | with that reason |\n|---|---|---|---|---|")
    for cases in (*SIZES, 240):
        for name, noise in (("none", Noise(0.0, jitter=0.0)), ("5 %", Noise(0.05))):
            for lost in LOST:
                blocked, named = count_found(cases, noise, lost, tried)
                size = f"{cases}, {round(KINDS[_PLANTED] * cases)}"
                print(
                    f"| {size} | {name} | {lost:.0%} | {blocked / tried:.0%} | {named / tried:.0%} |",
                    flush=True,
                )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
