"""Inputs by chance, of every kind that comes from outside: messages, spans, answers, files, requests, command
lines, rows. Each kind is a function of how many, and of chance."""

from __future__ import annotations

import gzip
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.engine import EmbeddedEngine
from stream.files.lines import FileDamaged, FileProblem, Reader
from stream.files.opening import open_any
from tests.fuzz.api import Asked, ask_anything, ask_as_described
from tests.fuzz.commands import try_commands
from tests.fuzz.report import Tried
from tests.fuzz.rows import fill_hostile, read_by_commands, read_pages
from tests.fuzz.targets import TARGETS, Target, seeds
from tests.support.console import Browser, Heard, open_console
from tests.support.console_site import open_site
from tests.support.time_limit import no_longer_than
from tests.unit.schemas.formats.test_hostile_bytes import hurt

SLOWEST_S: Final = 1.0
"""Processor time that one input of these sizes (all well under a megabyte) may take."""
MOST_FAILURES: Final = 20
_BYTES: Final = 1_000_000


def hurt_inputs(name: str, times: int, chance: Random, target: Target | None = None) -> Tried:
    """Good inputs of a target, damaged."""
    target = target or TARGETS[name]
    good = list(seeds(name))
    began, slowest, failures = time.monotonic(), 0.0, []
    for _ in range(times):
        one = chance.choice(good)
        data = one[:1] + hurt(one[1:], chance)
        before = time.process_time()
        try:
            with no_longer_than(SLOWEST_S, name):
                target(data)
        except Exception as error:
            failures.append(_words(error, data))
            if len(failures) == MOST_FAILURES:
                break
        slowest = max(slowest, time.process_time() - before)
    came = f"slowest {slowest * 1_000:.0f} ms"
    return Tried(name, times, time.monotonic() - began, came, tuple(failures))


def hurt_files(folder: Path, times: int, chance: Random) -> Tried:
    """Files of lines, documents and packed ones, damaged, read in a format that is told or found out."""
    good = [seed[1:] for seed in seeds("messages")]
    came: Counter[str] = Counter()
    path = folder / "file"

    def read(data: bytes) -> None:
        path.write_bytes(data[1:])
        format = ("auto", "ragpulse", "otlp_json", "otlp_proto", "langfuse")[data[0]]
        try:
            with open_any(str(path), format, _BYTES) as lines:
                came["items"] += sum(1 for _ in Reader(lines, lambda _: came.update(["complaints"])).items())
        except (FileProblem, FileDamaged) as error:
            came[type(error).__name__] += 1

    began, failures = time.monotonic(), []
    for _ in range(times):
        data = b"\n".join(
            hurt(one, chance) if chance.random() < 0.6 else one
            for one in chance.sample(good, chance.randrange(1, 5))
        )
        if chance.random() < 0.3:
            data = gzip.compress(data, 1)
            data = hurt(data, chance) if chance.random() < 0.5 else data
        data = bytes([chance.choice((0, 0, 0, 1, 2, 3, 4))]) + data
        try:
            with no_longer_than(SLOWEST_S, "a file"):
                read(data)
        except Exception as error:
            failures.append(_words(error, data))
            if len(failures) == MOST_FAILURES:
                break
    said = ", ".join(f"{count:,} {name}" for name, count in came.most_common())
    return Tried("files", times, time.monotonic() - began, said, tuple(failures))


def ask_console(engine: EmbeddedEngine, times: int, seed: int) -> list[Tried]:
    """Requests to the console over HTTP: half by its description, half by nothing."""
    found, heard = [], Heard()
    with open_site(engine, f"fuzz_api_{seed}", traces=120, grows=True, observer=heard) as site:
        app = open_console(site.dsn, grows=True)
        kinds: list[tuple[str, Callable[[Asked], Any]]] = [
            ("requests as described", lambda asked: ask_as_described(site, app, times // 2, seed, asked)),
            ("requests of any kind", lambda asked: ask_anything(site, times - times // 2, seed, asked)),
        ]
        for kind, ask in kinds:
            asked, began, failures = Asked(), time.monotonic(), []
            try:
                ask(asked)
            except AssertionError as error:
                failures += [_words(cause, b"") for cause in (error, *heard.crashes)]
            said = ", ".join(f"{count:,} × {status}" for status, count in asked.statuses.most_common())
            came = f"{said}; slowest {asked.slowest_s:.1f} s"
            found.append(Tried(kind, asked.inputs, time.monotonic() - began, came, tuple(failures)))
    return found


def read_back(engine: EmbeddedEngine, folder: Path, times: int, seed: int) -> Tried:
    """Hostile rows in every table, read by every page, operation and command."""
    dsn, began, failures = engine.dsn_of(f"fuzz_rows_{seed}"), time.monotonic(), []
    store = connect(dsn)
    migrate(store)
    rows = fill_hostile(store, times, Random(seed))
    heard = Heard()
    browser = Browser(open_console(dsn, observer=heard, grows=True), "adam")
    most = min(max(rows.values()), max(6, times // 200))
    readers = 0
    reads: tuple[Callable[[], int], ...] = (
        lambda: read_pages(browser, heard.crashes, range(most)),
        lambda: read_by_commands(dsn, folder),
    )
    for read in reads:
        try:
            readers += read()
        except AssertionError as error:
            failures.append(_words(error, b""))
    store.close()
    came = f"in {len(rows)} tables, read by {readers:,} pages, operations and commands"
    return Tried("rows read back", sum(rows.values()), time.monotonic() - began, came, tuple(failures))


def run_commands(folder: Path, times: int, chance: Random) -> Tried:
    """Command lines, without a broker and a store."""
    began, failures = time.monotonic(), []
    codes: Counter[int] = Counter()
    try:
        codes = try_commands(folder, times, chance)
    except Exception as error:
        failures.append(_words(error, b""))
    said = ", ".join(f"{count:,} × exit {code}" for code, count in codes.most_common())
    return Tried("command lines", codes.total(), time.monotonic() - began, said, tuple(failures))


def _words(error: BaseException, data: bytes) -> str:
    return f"{''.join(traceback.format_exception(error))[-700:]} on {data[:300]!r}"


__all__ = ["ask_console", "hurt_files", "hurt_inputs", "read_back", "run_commands"]
