"""`python -m tests.fuzz [--inputs N] [--minutes M] [--seed S] [--report FILE]`: fuzz all that comes in.

First so many inputs by chance, then so many minutes guided by coverage. What fails is printed, and
kept in the folder that is named. Exit code 1 where anything failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from stream.embedded.engine import EmbeddedEngine
from tests.fuzz.by_chance import ask_console, hurt_files, hurt_inputs, read_back, run_commands
from tests.fuzz.guided import Guided, is_there, run_guided
from tests.fuzz.report import FUZZ, GUIDED, Tried, show_guided, show_tried, write_report
from tests.fuzz.targets import TARGETS

SHARES: Final = {"messages": 0.5, "attributes": 0.2, "segmentation": 0.2, "files": 0.06, "rows": 0.03}
"""Of all inputs; requests and command lines, which cost most, share what remains, two to one."""


def fuzz_by_chance(inputs: int, seed: int, folder: Path) -> Iterator[Tried]:
    """Every kind of input, in its share."""
    for name in TARGETS:
        yield hurt_inputs(name, round(inputs * SHARES[name]), Random(f"{seed} {name}"))
    yield hurt_files(folder, round(inputs * SHARES["files"]), Random(f"{seed} files"))
    rest = inputs - sum(round(inputs * share) for share in SHARES.values())
    yield run_commands(folder, rest // 3, Random(f"{seed} commands"))
    with EmbeddedEngine() as engine:
        yield read_back(engine, folder, round(inputs * SHARES["rows"]), seed)
        yield from ask_console(engine, rest - rest // 3, seed)


def main(given: list[str] | None = None) -> int:
    """Run as a program; the exit code."""
    wanted = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    wanted.add_argument("--inputs", type=int, default=100_500)
    wanted.add_argument("--minutes", type=float, default=10.0)
    wanted.add_argument("--seed", type=int, default=1)
    wanted.add_argument("--report", type=Path)
    wanted.add_argument("--folder", type=Path, help="where failing inputs are kept")
    asked = wanted.parse_args(given)
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    if asked.inputs:
        tried = []
        for one in fuzz_by_chance(asked.inputs, asked.seed, folder):
            tried.append(one)
            failed += len(one.failures)
            print(
                f"{one.kind}: {one.inputs:,} in {one.seconds:.0f} s; {one.came}",
                *one.failures,
                sep="\n",
                flush=True,
            )
        _tell(asked.report, FUZZ, show_tried(tried, asked.seed))
    if asked.minutes:
        guided = list(_guided(asked.minutes, asked.seed, folder))
        failed += sum(bool(one.failure) for one in guided)
        _tell(asked.report, GUIDED, show_guided(guided, asked.seed))
    return int(failed > 0)


def _guided(minutes: float, seed: int, folder: Path) -> Iterator[Guided]:
    if not is_there():
        raise SystemExit("guided by coverage: needs the extra: pip install -e '.[fuzz]'; or say --minutes 0")
    for target in TARGETS:
        found = run_guided(target, round(60 * minutes / len(TARGETS)), seed, folder)
        print(f"{target}: {found.inputs:,} inputs, {found.edges[1]:,} edges", found.failure or "", flush=True)
        yield found


def _tell(report: Path | None, name: str, text: str) -> None:
    print(text, flush=True)
    if report:
        write_report(report, name, text)


if __name__ == "__main__":
    sys.exit(main())
