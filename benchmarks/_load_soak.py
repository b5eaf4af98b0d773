"""A steady rate for half an hour: does memory stay, does the time until a trace is queryable?"""

from __future__ import annotations

import argparse
import time
from math import ceil
from typing import Final

from benchmarks._common import Messages
from benchmarks._deployment import Deployment, name_of, say
from benchmarks._documents import table
from benchmarks._drawing import Panel, draw
from benchmarks._memory import Watch, slope_mb_per_hour
from benchmarks._publishing import Publisher
from benchmarks._reading import Latencies, Reader
from benchmarks.outage import grew, have_all, middle

GOAL_S: Final = 2.0
_TENTHS: Final = 10
_LAST_S: Final = 3.0
"""A stretch is looked at so much after its end (and once more when all is over)."""


def measure(options: argparse.Namespace, messages: Messages) -> tuple[str, str]:
    """Returns the table and the picture."""
    length = options.minutes * 60
    minute = min(60.0, length / _TENTHS)
    with Deployment(workers=options.workers, embedded=options.embedded) as here:
        broker = name_of(here.broker)
        publisher = Publisher(here.broker.address, here.traces_topic, messages.bodies, options.rate, "soak")
        with Reader(here.engine.dsn) as reader:
            with publisher, Watch(here.pids) as watch:
                begin = time.time()
                stretches = [
                    (begin + n * minute, begin + (n + 1) * minute) for n in range(ceil(length / minute))
                ]
                for since, until in stretches:
                    time.sleep(max(0.0, until + _LAST_S - time.time()))
                    here.complain_of_crashes()
                    _tell(publisher, _latencies(publisher, reader, since, until), watch)
            whole = have_all(here, publisher.count, budget_s=60)
        looks = [(until - begin, _latencies(publisher, reader, since, until)) for since, until in stretches]
        stored, again = here.stored()
        dead = here.dead()
    said = f"{stored:,} of {publisher.count:,} traces stored, {again:,} rows twice, {dead:,} dead letters"
    svg = draw(
        [
            Panel("resident memory, MB", watch.memory),
            Panel(
                "publish to queryable, seconds",
                {
                    "p99": [(at, late.p99) for at, late in looks],
                    "p50": [(at, late.p50) for at, late in looks],
                },
                (GOAL_S, "goal for p99"),
            ),
        ]
    )
    p99s = [late.p99 for _, late in looks]
    held = sum(1 for _, late in looks if late.p99 < GOAL_S)
    about = (
        f"{options.minutes:g} minutes at {options.rate:g} traces/s on {broker}, workers: {options.workers}, "
        f"one sink. {said}{'' if whole else ' (**not all of it**)'}. In {held} of {len(looks)} stretches of "
        f"{minute:.0f} s the p99 from publish to queryable was under {GOAL_S:g} s; the median of the p99s "
        f"was {middle(p99s):.2f} s, the highest {max(p99s):.2f} s."
    )
    return f"{about}\n\n{_memory(watch, length)}", svg


def _latencies(publisher: Publisher, reader: Reader, since: float, until: float) -> Latencies:
    return reader.latencies(since, until, publisher.due_between(since, until))


def _tell(publisher: Publisher, late: Latencies, watch: Watch) -> None:
    memory = ", ".join(f"{name} {points[-1][1]:.0f} MB" for name, points in watch.memory.items())
    say(f"{publisher.count:,} published; {late.text()}; {memory}")


def _memory(watch: Watch, length: float) -> str:
    head = [
        "resident memory",
        "first tenth, MB",
        "middle tenth",
        "last tenth",
        "most",
        "slope of the last two thirds, MB an hour",
        "flat",
    ]
    rows = []
    for name, points in sorted(watch.memory.items()):
        tenth = length / _TENTHS
        means = [
            middle([mb for at, mb in points if start * tenth <= at < (start + 1) * tenth])
            for start in (0, 5, 9)
        ]
        later = [(at, mb) for at, mb in points if at >= length / 3]
        slope = slope_mb_per_hour(later)
        rows.append(
            [name, *(f"{mb:.0f}" for mb in means), f"{max(mb for _, mb in points):.0f}", f"{slope:+.1f}",
             "no" if grew(later) else "yes"]
        )  # fmt: skip
    return table(head, rows)
