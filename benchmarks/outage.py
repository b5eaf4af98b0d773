"""ClickHouse away while traces keep coming: nothing lost, memory flat, caught up quickly, as quick as before.

    python -m benchmarks.outage --away 600 --rate 300 --report docs/LOAD.md

The engine is killed (SIGKILL) while traces are published at a steady rate, stays away, and is started again
on its data. Exit code: 0 all held; 1 something did not; 2 usage; 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks._common import load_messages, machine
from benchmarks._deployment import Deployment, name_of, say
from benchmarks._documents import end_on_signals, picture, put, table
from benchmarks._drawing import Panel, Span, draw
from benchmarks._memory import Points, Watch, slope_mb_per_hour
from benchmarks._options import above_zero, at_least_one, document_to_write, file_to_read
from benchmarks._publishing import Publisher
from benchmarks._reading import EVERY_S, Latencies, Reader

COMMAND = "python -m benchmarks.outage"
GOAL_P99_S = 2.0
GOAL_CATCH_UP = 5.0
CAUGHT_UP_AGE_S = 2.0
"""Caught up: what the reader sees is younger than this."""
FLAT_SHARE = 0.10
"""Memory is called flat if its median over the last fifth is at most so much above that over the first."""
FILLED = 0.5
"""Of the outage, so much is left to the sink to fill its batches; memory has to be flat from then on."""
LEAST_AWAY_S = 20.0
"""Shorter, and nothing waits that could be caught up, nor are there samples of memory to judge by."""
_PROGRESS_S = 15.0
_LATE_S = 20.0
"""What was published before the engine goes may take so long to be queryable before it goes."""
_AT_MOST_BEHIND = 1.0
"""Catching up may take as long as the outage itself (and a minute): then the run is given up."""


@dataclass
class Outage:
    """What was seen. Times are times of day in seconds."""

    describes: str
    broker: str
    rate: float
    away_from: float = 0.0
    back_at: float = 0.0
    caught_up_at: float = 0.0
    caught_up_with: int = 0
    """Rows that went in from the return of the engine until it had caught up."""
    before: Latencies | None = None
    after: Latencies | None = None
    published: int = 0
    stored: int = 0
    again: int = 0
    dead: int = 0
    committed: int = 0
    memory: dict[str, tuple[Points, Points, Points]] = field(default_factory=dict)
    """By process: samples before the outage, during it, and from then on."""
    svg: str = ""

    @property
    def catch_up(self) -> float:
        """How many times as fast as traces arrive rows went in while it caught up."""
        return self.caught_up_with / (self.caught_up_at - self.back_at) / self.rate

    def wrong(self) -> list[str]:
        """What did not hold."""
        found = []
        if (
            not self.published
            or self.stored != self.published
            or self.dead
            or self.committed != self.published
        ):
            found.append("something is missing")
        if not self.memory or not all(later(away) for _, away, _ in self.memory.values()):
            found.append("nobody saw its memory")
        found += [
            f"the memory of {name} grew" for name, (_, away, _) in self.memory.items() if grew(later(away))
        ]
        if self.catch_up < GOAL_CATCH_UP:
            found.append(f"it caught up {self.catch_up:.1f} times as fast as traces came")
        if self.after is None or self.after.p99 >= GOAL_P99_S:
            found.append("it was slower afterwards")
        return found


def grew(points: Points) -> bool:
    """Whether the last fifth lies more than a tenth (and 10 MB) above the first, by their medians."""
    fifth = max(1, len(points) // 5)
    first, last = (middle([mb for _, mb in part]) for part in (points[:fifth], points[-fifth:]))
    return last > first * (1 + FLAT_SHARE) and last - first > 10


def later(away: Points) -> Points:
    """Those behind the part in which batches fill."""
    return away[int(len(away) * FILLED) :]


def middle(values: Sequence[float]) -> float:
    """The median; 0 of nothing."""
    return sorted(values)[len(values) // 2] if values else 0.0


def run(options: argparse.Namespace) -> Outage:
    """Before, away, catching up, afterwards; then everything published is looked for."""
    messages = load_messages(options.traces)
    describes = f"{machine()}. {messages.origin}"
    with Deployment(workers=options.workers, embedded=options.embedded) as here:
        found = Outage(describes, name_of(here.broker), options.rate)
        topic, dsn = here.traces_topic, here.engine.dsn
        publisher = Publisher(here.broker.address, topic, messages.bodies, options.rate, "outage")
        reader = Reader(dsn)
        more = {"published": lambda: publisher.count, "queryable": lambda: reader.seen}
        with reader:
            with publisher, Watch(here.pids, more) as watch:
                say(f"{options.rate:g} traces/s on {found.broker}; {options.before:g} s undisturbed")
                began = time.time()
                _wait(here, publisher, reader, options.before)
                undisturbed = time.time()
                reader.wait_for(publisher.count, _LATE_S)
                found.before = _latencies(publisher, reader, began + options.settle, undisturbed)
                say(f"before: {found.before.text()}")
                _take_away(here, found, publisher, reader, options.away)
                _catch_up(here, found, publisher, reader, options.away)
                _wait(here, publisher, reader, options.after)
                ended = time.time()
            if not have_all(here, publisher.count, budget_s=60):
                say("not all of it is there after a minute")
        found.after = _latencies(publisher, reader, found.caught_up_at, ended)
        say(f"after: {found.after.text()}")
        _look_for_everything(here, found, publisher.count)
        for name in watch.memory:
            settled = watch.began + options.settle
            found.memory[name] = (
                watch.between(name, settled, found.away_from),
                watch.between(name, found.away_from, found.back_at),
                watch.between(name, found.back_at, ended),
            )
        found.svg = _draw(watch, found)
    return found


def _wait(here: Deployment, publisher: Publisher, reader: Reader, seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _PROGRESS_S))
        here.complain_of_crashes()
        say(f"  published {publisher.count:,}, queryable {reader.seen:,}")


def _latencies(publisher: Publisher, reader: Reader, since: float, until: float) -> Latencies:
    return reader.latencies(since, until, publisher.due_between(since, until))


def _take_away(here: Deployment, found: Outage, publisher: Publisher, reader: Reader, away_s: float) -> None:
    here.engine.kill()
    found.away_from = time.time()
    say(f"ClickHouse is away for {away_s:g} s")
    _wait(here, publisher, reader, away_s)
    here.engine.start()
    found.back_at = time.time()


def _catch_up(here: Deployment, found: Outage, publisher: Publisher, reader: Reader, away_s: float) -> None:
    had = reader.seen
    say(f"ClickHouse is back; {publisher.count - had:,} traces behind")
    until = time.monotonic() + away_s * _AT_MOST_BEHIND + 60
    while publisher.count - reader.seen > found.rate * CAUGHT_UP_AGE_S:
        here.complain_of_crashes()
        if time.monotonic() > until:
            raise RuntimeError(f"Still {publisher.count - reader.seen:,} traces behind: given up")
        time.sleep(0.1)
    found.caught_up_at, found.caught_up_with = time.time(), reader.seen - had
    say(f"caught up after {found.caught_up_at - found.back_at:.1f} s: {found.catch_up:.1f} times as fast")


def have_all(here: Deployment, count: int, budget_s: float) -> bool:
    """Whether so many distinct traces are stored, and everything committed, within the budget."""
    until = time.monotonic() + budget_s
    while here.stored()[0] < count or here.committed("sink") < count:
        if time.monotonic() > until:
            return False
        time.sleep(0.5)
    time.sleep(3 * EVERY_S)  # for the reader
    return True


def _look_for_everything(here: Deployment, found: Outage, published: int) -> None:
    found.published = published
    found.stored, found.again = here.stored()
    found.dead, found.committed = here.dead(), here.committed("sink")


def _draw(watch: Watch, found: Outage) -> str:
    behind = [
        (at, published - seen)
        for (at, published), (_, seen) in zip(
            watch.values["published"], watch.values["queryable"], strict=True
        )
    ]
    away = Span(found.away_from - watch.began, found.back_at - watch.began, "ClickHouse away")
    return draw(
        [
            Panel("resident memory, MB", watch.memory),
            Panel("traces published and not yet queryable", {"behind": behind}),
        ],
        [away],
    )


def show(found: Outage) -> str:
    """The report in Markdown, without the picture."""
    assert found.before is not None
    assert found.after is not None
    away = found.back_at - found.away_from
    rows = [
        ["traces published", f"{found.published:,} at {found.rate:g}/s"],
        ["stored, distinct", f"{found.stored:,}"],
        ["rows inserted twice, dead letters", f"{found.again:,}, {found.dead:,}"],
        ["committed by the sink", f"{found.committed:,}"],
        ["ClickHouse away", f"{away:.0f} s"],
        ["caught up after", f"{found.caught_up_at - found.back_at:.1f} s"],
        ["catching up, times the arrival rate", f"{found.catch_up:.1f} (goal: {GOAL_CATCH_UP:g})"],
        ["publish to queryable before", found.before.text()],
        ["publish to queryable after it caught up", f"{found.after.text()} (goal: p99 {GOAL_P99_S:g} s)"],
    ]
    memory = [
        [
            name,
            f"{middle([mb for _, mb in before]):.0f}",
            f"{middle([mb for _, mb in during]):.0f}",
            f"{max((mb for _, mb in during), default=0):.0f}",
            f"{slope_mb_per_hour(later(during)):+.1f}",
            "no" if grew(later(during)) else "yes",
            f"{max((mb for _, mb in after), default=0):.0f}",
        ]
        for name, (before, during, after) in sorted(found.memory.items())
    ]
    head = [
        "resident memory",
        "before, MB",
        "away, MB (median)",
        "away, MB (most)",
        "slope of the second half, MB an hour",
        "flat there",
        "catching up and after, MB (most)",
    ]
    wrong = found.wrong()
    said = "All held." if not wrong else f"Did not hold: {'; '.join(wrong)}."
    about = f"{time.strftime('%-d %B %Y', time.gmtime(found.back_at))}, {found.describes}, on {found.broker}."
    return f"{about} **{said}**\n\n{table(['', ''], rows)}\n\n{table(head, memory)}"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--away", type=above_zero, default=600, help="seconds that ClickHouse is away")
    parser.add_argument("--rate", type=above_zero, default=300, help="traces a second, all the time")
    parser.add_argument("--before", type=above_zero, default=60, help="undisturbed seconds before")
    parser.add_argument("--after", type=above_zero, default=60, help="seconds measured once it has caught up")
    parser.add_argument(
        "--settle", type=above_zero, default=10, help="seconds at the beginning that do not count"
    )
    parser.add_argument("--workers", type=at_least_one, default=1)
    parser.add_argument("--embedded", action="store_true", help="the embedded broker, not Apache Kafka")
    parser.add_argument("--traces", type=file_to_read, help="a file of own JSON lines to repeat")
    parser.add_argument("--report", type=document_to_write, help="write table and picture into this document")
    options = parser.parse_args(arguments)
    if options.away < LEAST_AWAY_S:
        parser.error(f"--away must be {LEAST_AWAY_S:g} s or more, or there is nothing to tell")
    if options.before <= options.settle:
        parser.error(f"--before must be longer than --settle, which is {options.settle:g} s")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, write, return the exit code."""
    options = parse(arguments)
    end_on_signals()
    try:
        found = run(options)
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    text = show(found)
    print(text)
    if options.report:
        path = picture(options.report, "outage", found.svg)
        words = "Memory and backlog through the outage"
        put(options.report, COMMAND, "outage", f"{text}\n\n![{words}]({path})")
    return 1 if found.wrong() else 0


if __name__ == "__main__":
    sys.exit(main())
