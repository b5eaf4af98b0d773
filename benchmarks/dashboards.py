"""How long the queries of the dashboards take over a week of traces, on two cores.

    $ .venv/bin/python -m benchmarks.dashboards                        # ten million traces: half an hour
    $ .venv/bin/python -m benchmarks.dashboards --traces 1000000
    $ .venv/bin/python -m benchmarks.dashboards --keep /var/tmp/week     # the tables are used again next time

Every query of every panel, variable and annotation is sent as Grafana sends it: with the interval that a
panel of 800 points has, over the last hour, day and week, with everything selected and with one app alone.
"""

from __future__ import annotations

import argparse
import os
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import orjson

from benchmarks._simulated_tables import DAYS, begin_of_week, fill
from grafana.asking import Shown, asked_of, dashboards, expand
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.engine import EmbeddedEngine
from stream.embedded.scratch import Scratch

RANGES = {"1 h": timedelta(hours=1), "24 h": timedelta(hours=24), "7 d": timedelta(days=DAYS)}
DATABASE = "week"
POINTS = 800
_STEPS = (1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600)
"""Intervals, in seconds, as Grafana rounds them."""
CHOSEN: dict[str, dict[str, str]] = {"all": {}, "one app": {"app": "helpdesk"}}
ALWAYS = {"part": "release_index", "incident": f"i-{24 * DAYS - 1}"}


@dataclass
class Timed:
    """One query over one range. Seconds of each round."""

    board: str
    where: str
    range: str
    seconds: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)
    """Seconds of processor time, of all of the engine's threads."""
    read: int = 0


def shown(until: datetime, length: timedelta, chosen: dict[str, str]) -> Shown:
    """What Grafana fills in."""
    wanted = length.total_seconds() / POINTS
    interval = next((step for step in _STEPS if step >= wanted), _STEPS[-1])
    return Shown(until - length, until, max(interval, 10), ALWAYS | chosen)


def worked(pid: int | None) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(address: str, database: str, sql: str) -> tuple[float, int]:
    """Seconds until the whole answer is here, and rows read."""
    where = {"database": database, "wait_end_of_query": "1", "default_format": "Native"}
    url = f"http://{address}/?{urllib.parse.urlencode(where)}"
    start = time.perf_counter()
    with urllib.request.urlopen(urllib.request.Request(url, data=sql.encode()), timeout=120) as answer:
        answer.read()
        summary = orjson.loads(answer.headers["X-ClickHouse-Summary"])
    return time.perf_counter() - start, int(summary.get("read_rows", 0))


def measure(engine: EmbeddedEngine, until: datetime, rounds: int, only: str) -> Iterator[Timed]:
    """Every query; rounds that differ in nothing but the moment, so that no cache of results helps."""
    known = set()
    for name, board in dashboards().items():
        for where, query in asked_of(board, "clickhouse"):
            if query in known or (only and only not in f"{name} {where}"):
                continue  # variables and annotations are the same on most dashboards
            known.add(query)
            for label, length in RANGES.items():
                timed = Timed(name.removesuffix(".json"), where, label)
                for round_ in range(rounds):
                    for chosen in CHOSEN.values():
                        sql = expand(query, shown(until - timedelta(seconds=7 * round_), length, chosen))
                        before = worked(engine.pid)
                        seconds, rows = ask(engine.address, DATABASE, sql)
                        timed.seconds.append(seconds)
                        timed.worked.append(worked(engine.pid) - before)
                        timed.read = max(timed.read, rows)
                yield timed


def main() -> None:
    """Fill the tables, unless they are kept, and print the table of times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--traces", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="queries whose dashboard or panel has this in its name")
    parser.add_argument("--keep", type=Path, help="folder of the engine's data")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = given.keep or stack.enter_context(Scratch("dashboards")).path
        engine = stack.enter_context(EmbeddedEngine(folder / "data", log=folder / "engine.log"))
        client = connect(engine.dsn_of(DATABASE), timeout_s=1_200.0)
        until = _filled(client, given.traces)
        found: list[Timed] = []
        print("| dashboard | query | 1 h | 24 h | 7 d | processor, 7 d | rows read, 7 d |")
        print("|---|---|---|---|---|---|---|")
        for timed in measure(engine, until, given.rounds, given.only):
            found.append(timed)
            if len(found) % len(RANGES) == 0:
                print(_line(found[-len(RANGES) :]), flush=True)
        if not found:
            print("no query has that in its name (--only)")
            return
        _sum_up(client, found)


def _filled(client: ClickHouse, traces: int) -> datetime:
    migrate(client)
    (held,) = client.query("SELECT count() AS rows, toUnixTimestamp(min(timestamp)) AS at FROM traces")
    if not held["rows"]:
        start, begin = time.monotonic(), begin_of_week(datetime.now(UTC))
        for step in fill(client, traces, begin):
            print(f"{time.monotonic() - start:7.0f} s  {step}", flush=True)
        return begin + timedelta(days=DAYS)
    return datetime.fromtimestamp(int(held["at"]), UTC) + timedelta(days=DAYS)


def _line(query: list[Timed]) -> str:
    """One query, over each of RANGES."""
    times = [
        " (".join(f"{1_000 * t:.0f}" for t in np.quantile(one.seconds, (0.5, 0.95))) + ")" for one in query
    ]
    longest = query[-1]
    work = 1_000 * float(np.median(longest.worked))
    name = f"| {longest.board} | {longest.where.removeprefix('panel ')} "
    return f"{name}| {' | '.join(times)} | {work:.0f} | {longest.read:,} |"


def _sum_up(client: ClickHouse, found: list[Timed]) -> None:
    print(f"load of the machine: {os.getloadavg()[1]:.0f}")
    for label in RANGES:
        every = np.concatenate([timed.seconds for timed in found if timed.range == label]) * 1_000
        p50, p95 = np.quantile(every, (0.5, 0.95))
        slow = sum(np.quantile(timed.seconds, 0.95) >= 1.0 for timed in found if timed.range == label)
        work = 1_000 * np.concatenate([one.worked for one in found if one.range == label])
        print(
            f"all queries over {label}: median {p50:.0f} ms, p95 {p95:.0f}, most {every.max():.0f}; "
            f"processor: p95 {np.quantile(work, 0.95):.0f}, most {work.max():.0f}; "
            f"{slow} queries with a p95 of 1 s and more"
        )
    for row in client.query(
        "SELECT table, sum(rows) AS n, round(sum(bytes_on_disk) / 1e6) AS mb, count() AS parts "
        "FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table "
        "ORDER BY mb DESC LIMIT 8"
    ):
        print(f"{row['table']}: {row['n']:,} rows, {row['mb']:,} MB, {row['parts']} parts")


if __name__ == "__main__":
    main()
