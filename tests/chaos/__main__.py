"""Round after round of faults on real parts:

    python -m tests.chaos --rounds 100 --seed 1 --report docs/PROOF.md

Nine rounds in ten run on Apache Kafka, the others on the embedded broker. All of it runs in a network of its
own where the machine allows that (as root, or where users may make namespaces; it needs `ip`). A seed that
found something finds it again as far as timing allows: `--seed 1 --first 37 --rounds 1`. Exit code: 0 all
held; 1 something did not, or nothing could be tried; 2 usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from confluent_kafka import KafkaException

from benchmarks._options import at_least_one, document_to_write
from sinks.errors import SinkError
from tests.chaos.checking import Outcome
from tests.chaos.faults import FAULTS, Fault
from tests.chaos.network import enter_namespace
from tests.chaos.report import show, write_report
from tests.chaos.rounds import run_round
from tests.chaos.traces import expected_rates
from tests.chaos.world import World
from tests.support.kafka import missing_reason

_ROUNDS_A_WORLD: Final = 9
_FAILURES: Final = (AssertionError, RuntimeError, OSError, KafkaException, SinkError)
"""What a round may end with without ending all of them: it is noted, and the next begins in a new world."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=at_least_one, default=100)
    parser.add_argument(
        "--seed", default=str(random.randrange(10_000)), help="printed; the same again for the same faults"
    )
    parser.add_argument("--first", type=at_least_one, default=1, help="number of the first round")
    parser.add_argument("--traces", type=at_least_one, default=200, help="published a round")
    parser.add_argument(
        "--only", action="append", help="this fault alone; may be repeated", choices=[f.name for f in FAULTS]
    )
    parser.add_argument("--json", action="store_true", help="one JSON line a round on standard output")
    parser.add_argument(
        "--report", type=document_to_write, help="write the table into this document, between its marks"
    )
    parser.add_argument("--keep", type=Path, help="folder for the logs of rounds that found something")
    given = parser.parse_args(arguments)
    chosen = [fault for fault in FAULTS if not given.only or fault.name in given.only]
    if (reason := missing_reason()) is not None:
        print(f"{reason}: all rounds run on the embedded broker", file=sys.stderr)
    print(f"seed {given.seed}", file=sys.stderr)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)  # also where the shell had it ignored
    outcomes: list[Outcome] = []
    began = time.monotonic()
    try:
        expected_rates(given.traces)  # compiles the scorer, which would keep the workers of the first world
        _run(given, chosen, reason is None, outcomes)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    finally:
        print(show(outcomes, time.monotonic() - began), file=sys.stderr)
    if not outcomes:
        return 1
    if given.report:
        write_report(given.report, outcomes, time.monotonic() - began)
    return 1 if any(outcome.wrong for outcome in outcomes) else 0


def _run(given: argparse.Namespace, chosen: list[Fault], apache: bool, outcomes: list[Outcome]) -> None:
    """Worlds of up to nine rounds on Apache Kafka, each followed by one round on the embedded broker."""
    number, last = given.first, given.first + given.rounds
    while number < last:
        alone = not apache or number % (_ROUNDS_A_WORLD + 1) == 0
        upto = (
            number + 1 if alone else min(last, number - number % (_ROUNDS_A_WORLD + 1) + _ROUNDS_A_WORLD + 1)
        )
        number = _run_world(given, chosen, not alone, range(number, upto), outcomes)


def _run_world(
    given: argparse.Namespace, chosen: list[Fault], apache: bool, numbers: range, outcomes: list[Outcome]
) -> int:
    """One world, until its rounds are done or one of them has found something; returns what is next."""
    folder = Path(tempfile.mkdtemp(prefix="ragpulse-chaos-"))
    number = numbers.start
    try:
        with World(folder, apache=apache) as world:
            if numbers.start == given.first:
                _tell_what_is_left_out(world, chosen)
            for number in numbers:
                if all(fault.needs(world) is not None for fault in chosen):
                    print(f"round {number} is left out: none of these faults is possible", file=sys.stderr)
                    continue
                outcome = _one_round(world, number, given, chosen)
                outcomes.append(outcome)
                _tell(outcome, given)
                if outcome.wrong:
                    break
    finally:
        if given.keep and outcomes and outcomes[-1].wrong:
            kept = given.keep / f"{given.seed}-{number}"
            shutil.copytree(
                folder, kept, ignore=shutil.ignore_patterns("disk", "kafka", "engine"), dirs_exist_ok=True
            )
        shutil.rmtree(folder, ignore_errors=True)
    return number + 1


def _one_round(world: World, number: int, given: argparse.Namespace, chosen: list[Fault]) -> Outcome:
    chance = random.Random(f"{given.seed}-{number}")
    possible = [fault for fault in chosen if fault.needs(world) is None]
    many = min(len(possible), chance.choices([1, 2, 3], [0.5, 0.35, 0.15])[0])
    faults = chance.sample(possible, many)
    try:
        return run_round(world, number, given.seed, faults, given.traces, chance)
    except _FAILURES as error:
        broker = "Apache Kafka" if world.apache else "embedded"
        names = tuple(fault.name for fault in faults)
        return Outcome(number, given.seed, broker, names, wrong=[f"{type(error).__name__}: {error}"])


def _tell_what_is_left_out(world: World, chosen: list[Fault]) -> None:
    for fault in chosen:
        if (reason := fault.needs(world)) is not None:
            print(f"left out: {fault.name}: {reason}", file=sys.stderr)


def _tell(outcome: Outcome, given: argparse.Namespace) -> None:
    if given.json:
        print(json.dumps(asdict(outcome), ensure_ascii=False), flush=True)
    said = "held" if not outcome.wrong else "; ".join(outcome.wrong)
    print(
        f"round {outcome.number} ({outcome.broker}: {', '.join(outcome.faults)}): {said}; "
        f"{outcome.published} traces, {outcome.again} rows again, {outcome.judged} judged, "
        f"settled after {outcome.settled_s:.1f} s",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    enter_namespace()
    sys.exit(main())
