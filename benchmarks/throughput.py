"""Throughput side by side in one run, the measured process on a core of its own.

    python -m benchmarks.throughput [--rounds 3] [--messages 6000] [--rows 60000] [--json] [--report FILE.md]

a  the worker: consume, decode, score, triage, produce        ratios  a/c, a/b
b  a confluent-kafka loop that passes the same messages on
c  a Faust agent that passes the same messages on
s  the sink: consume rows, insert them into ClickHouse        ratio   s/d
d  ClickHouse reading the same rows from a file by itself

Absolute figures belong to the machine and the minute; the ratios are what to compare. They are
taken round by round, and each round runs all five one after another.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from benchmarks import profile_worker
from benchmarks._common import (
    PARTITIONS,
    SESSION_TIMEOUT_MS,
    Cores,
    Flow,
    Messages,
    Spread,
    choose_cores,
    create_topics,
    fill_topic,
    load_messages,
    machine,
    pinned,
    ratios,
    watch,
)
from benchmarks._documents import put
from benchmarks.sink import measure_direct, measure_sink, scored_rows
from judges.distilled import load_scorer
from stream import topics
from stream.embedded.broker import EmbeddedBroker

WARM_PART = 6
"""One message in so many is let through before the clock starts."""
PLAIN_FACTOR = 4
"""The plain pass-through gets so many times the messages, or it would be over in a blink."""

COMMAND = "python -m benchmarks.throughput"
CASES = {
    "a": "worker: consume, score, produce",
    "b": "confluent-kafka pass-through",
    "c": "Faust pass-through agent",
    "s": "sink: consume, insert",
    "d": "ClickHouse reads the rows from a file",
}
RATIOS = (("a", "c"), ("a", "b"), ("s", "d"))
BY_PROCESSOR_TIME = RATIOS[:2]
"""Where both did the same with their core, so that what they used of it can be compared as well: that
ratio hardly moves when somebody else is busy on the machine. (d is measured at the engine, s is not.)"""


@dataclass(slots=True)
class Report:
    """All rounds, and what they were measured on."""

    machine: str
    cores: Cores
    messages: str
    message_bytes: float = 0.0
    row_bytes: float = 0.0
    flows: dict[str, list[Flow]] = field(default_factory=lambda: {case: [] for case in CASES})

    def rates(self, case: str) -> list[float]:
        """Messages or rows a second, one a round."""
        return [flow.rate for flow in self.flows[case]]

    def costs(self, case: str) -> list[float]:
        """Processor seconds of the measured process for 1,000 messages, one a round."""
        return [flow.cpu_s_per_1000 for flow in self.flows[case]]


def worker_command(brokers: str) -> tuple[list[str], dict[str, str]]:
    """The real process, as anybody starts it; only the addresses and the join time differ."""
    command = [str(Path(sys.executable).with_name("ragpulse")), "worker"]
    return [sys.executable, *command], {
        "RAGPULSE_KAFKA__BROKERS": brokers,
        "RAGPULSE_KAFKA__PARTITIONS": str(PARTITIONS),
        "RAGPULSE_KAFKA__SESSION_TIMEOUT_MS": str(SESSION_TIMEOUT_MS),
        "RAGPULSE_TELEMETRY__LOG_LEVEL": "warning",
    }


def plain_command(brokers: str) -> tuple[list[str], dict[str, str]]:
    """The confluent-kafka pass-through."""
    return _program("passthrough_confluent", brokers), {}


def faust_command(brokers: str) -> tuple[list[str], dict[str, str]]:
    """The Faust pass-through."""
    return _program("passthrough_faust", brokers), {}


def _program(name: str, brokers: str) -> list[str]:
    return [sys.executable, "-m", f"benchmarks.{name}", brokers, topics.TRACES, topics.SCORED]


Command = Callable[[str], tuple[list[str], dict[str, str]]]


def measure_flow(command: Command, messages: Messages, count: int, cores: Cores, folder: Path) -> Flow:
    """Fill a fresh broker, start the process, watch what comes out."""
    log = folder / "measured.log"
    with EmbeddedBroker() as broker:
        create_topics(broker.address, [topics.TRACES, topics.SCORED, topics.JUDGE, topics.DEAD])
        fill_topic(broker.address, topics.TRACES, messages.take(count))
        line, env = command(broker.address)
        with pinned(cores.measured, line, log, env) as process:
            return watch(
                broker.address, topics.SCORED, process, warm=count // WARM_PART, total=count, log=log
            )


def run(options: argparse.Namespace, say: Callable[[str], None]) -> Report:
    """All rounds of all cases."""
    describes = machine()
    cores = choose_cores()
    messages = load_messages(options.traces)
    report = Report(describes, cores, messages.origin)
    rows = scored_rows(messages)
    report.message_bytes = sum(len(value) for _, value in messages.take(len(messages.bodies))) / len(
        messages.bodies
    )
    report.row_bytes = rows.mean_bytes
    streams: dict[str, tuple[Command, int]] = {
        "a": (worker_command, options.messages),
        "b": (plain_command, options.messages * PLAIN_FACTOR),
        "c": (faust_command, options.messages),
    }
    with tempfile.TemporaryDirectory(prefix="ragpulse-bench-") as name:
        folder = Path(name)
        for number in range(1, options.rounds + 1):
            for case, (command, count) in streams.items():
                if case in options.only:
                    _note(report, case, number, say, measure_flow(command, messages, count, cores, folder))
            if "s" in options.only:
                _note(report, "s", number, say, measure_sink(rows, options.rows, cores, folder))
            if "d" in options.only:
                _note(report, "d", number, say, measure_direct(rows, options.rows, cores, folder))
    return report


def _note(report: Report, case: str, number: int, say: Callable[[str], None], flow: Flow) -> None:
    report.flows[case].append(flow)
    say(f"round {number}  {case}  {flow.rate:>9,.0f}/s   {flow.messages:,} in {flow.seconds:.2f} s")


def table(report: Report) -> str:
    """The report for people."""
    lines = [
        f"machine   {report.machine}",
        f"cores     {report.cores.text()}",
        f"messages  {report.messages}",
        f"bytes     {report.message_bytes:,.0f} a message, {report.row_bytes:,.0f} a scored row (means)",
        "",
        f"{'':3}{'median (least–most) of the rounds':42}{'messages/s':>26}{'CPU s per 1,000':>24}",
    ]
    for case, title in CASES.items():
        if report.flows[case]:
            cpu = Spread.over(report.costs(case))
            rate = Spread.over(report.rates(case))
            lines.append(f"{case:3}{title:42}{rate.text():>26}{cpu.text(4):>24}")
    lines.append("")
    for ours, theirs in RATIOS:
        if report.flows[ours] and report.flows[theirs]:
            line = f"{ours}/{theirs}  {ratios(report.rates(ours), report.rates(theirs)).text(2)}"
            if (ours, theirs) in BY_PROCESSOR_TIME:
                line += f"   by processor time {ratios(report.costs(theirs), report.costs(ours)).text(3)}"
            lines.append(line)
    return "\n".join(lines)


def as_json(report: Report, hot: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The report for scripts: every round, then medians and ratios."""
    return {
        "machine": report.machine,
        "messages": report.messages,
        "message_bytes": round(report.message_bytes),
        "row_bytes": round(report.row_bytes),
        "rounds": {
            case: [
                {**asdict(flow), "rate": flow.rate, "cpu_s_per_1000": flow.cpu_s_per_1000} for flow in flows
            ]
            for case, flows in report.flows.items()
        },
        "rates": {case: asdict(Spread.over(report.rates(case))) for case in CASES if report.flows[case]},
        "ratios": {
            f"{ours}/{theirs}": asdict(ratios(report.rates(ours), report.rates(theirs)))
            for ours, theirs in RATIOS
            if report.flows[ours] and report.flows[theirs]
        },
        "ratios_by_processor_time": {
            f"{ours}/{theirs}": asdict(ratios(report.costs(theirs), report.costs(ours)))
            for ours, theirs in BY_PROCESSOR_TIME
            if report.flows[ours] and report.flows[theirs]
        },
        "profile": hot,
        "seconds": round(seconds, 1),
    }


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--messages", type=int, default=6_000, help="for each of a and c, a round")
    parser.add_argument("--rows", type=int, default=60_000, help="for each of s and d, a round")
    parser.add_argument("--traces", type=Path, help="a file of own JSON lines to repeat")
    parser.add_argument("--only", default="abcsd", help="some of the cases, for instance ac")
    parser.add_argument("--report", type=Path, help="write the tables into this document, between its marks")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout, progress on stderr")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run, print, return the exit code."""
    options = parse(arguments)
    started = time.monotonic()
    report = run(options, lambda line: print(line, file=sys.stderr, flush=True))
    hot = profile_worker.profile(load_messages(options.traces), count=2_000)
    seconds = time.monotonic() - started
    text = f"{table(report)}\n\n{profile_worker.text(hot)}\n\n{seconds:.0f} s in all"
    print(orjson.dumps(as_json(report, hot, seconds)).decode() if options.json else f"\n{text}")
    if options.report:
        about = f"{time.strftime('%-d %B %Y', time.gmtime())}, scorer `{load_scorer().version}`, "
        put(options.report, COMMAND, "throughput", f"{about}{options.rounds} rounds.\n\n```text\n{text}\n```")
    return 0


if __name__ == "__main__":
    sys.exit(main())
