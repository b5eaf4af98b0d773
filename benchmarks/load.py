"""Load: the highest rate, more workers, half an hour of it, and others on the same messages.

    python -m benchmarks.load --report docs/LOAD.md                    # all four: about an hour
    python -m benchmarks.load --only latency --sizes 2,8 --step 10
    python -m benchmarks.load --only scaling --most-workers 2
    python -m benchmarks.load --only soak --minutes 5 --rate 100
    python -m benchmarks.load --only peers --rounds 1

Each part is written as soon as it is done. Apache Kafka is used where it can be run, the embedded broker
elsewhere. Exit code: 0 measured; 2 usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import _load_latency, _load_peers, _load_scaling, _load_soak
from benchmarks._common import Messages, load_messages, machine
from benchmarks._deployment import say
from benchmarks._documents import end_on_signals, picture, put
from benchmarks._options import above_zero, at_least_one, document_to_write, file_to_read

COMMAND = "python -m benchmarks.load"


def _soak(options: argparse.Namespace, messages: Messages) -> str:
    text, svg = _load_soak.measure(options, messages)
    if not options.report:
        return text
    return f"{text}\n\n![Memory and latency through the soak]({picture(options.report, 'soak', svg)})"


PARTS: dict[str, Callable[[argparse.Namespace, Messages], str]] = {
    "latency": _load_latency.measure,
    "scaling": _load_scaling.measure,
    "soak": _soak,
    "peers": _load_peers.measure,
}
"""Peers come last: that part keeps this process on one core from then on."""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--only", choices=list(PARTS), action="append", help="this part; may be repeated")
    add("--workers", type=at_least_one, default=1, help="latency, soak: workers that share the cores")
    add("--sizes", type=_sizes, default=[2.0, 8.0, 32.0], help="latency: KB of traces, e.g. 2,8,32")
    add("--start", type=above_zero, default=100, help="latency: first rate tried, traces/s")
    add("--step", type=above_zero, default=20, help="latency: seconds a rate is tried")
    add("--confirm", type=above_zero, default=60, help="latency: seconds the highest is held for")
    add("--most-workers", type=at_least_one, default=4, help="scaling: from one to so many")
    add("--rounds", type=at_least_one, default=3, help="scaling, peers")
    add("--messages", type=at_least_one, default=12_000, help="scaling, peers: traces a run")
    add("--minutes", type=above_zero, default=30, help="soak: how long")
    add("--rate", type=above_zero, default=200, help="soak: traces a second")
    add("--peers-python", type=Path, default=Path(".peers/bin/python"), help="peers: where quixstreams is")
    add("--embedded", action="store_true", help="the embedded broker, not Apache Kafka")
    add("--traces", type=file_to_read, help="a file of own JSON lines to repeat")
    add("--report", type=document_to_write, help="write tables and pictures into this document")
    return parser.parse_args(arguments)


def _sizes(text: str) -> list[float]:
    return [above_zero(size) for size in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts, print and write each, return the exit code."""
    options = parse(arguments)
    end_on_signals()
    try:
        for part in PARTS:
            if not options.only or part in options.only:
                _measure(part, options)
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    return 0


def _measure(part: str, options: argparse.Namespace) -> None:
    messages = load_messages(options.traces)
    describes = f"{time.strftime('%-d %B %Y', time.gmtime())}, {machine()}. {messages.origin}."
    say(f"{part} begins")
    text = f"{describes}\n\n{PARTS[part](options, messages)}"
    print(f"{text}\n", flush=True)
    if options.report:
        put(options.report, f"{COMMAND} --only {part}", part, text)


if __name__ == "__main__":
    sys.exit(main())
