"""`ragpulse judge --local`: a demonstration without a key, on this machine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from stream.cli.shell import note, print_json
from stream.errors import PartMissing

if TYPE_CHECKING:
    from stream.local.demonstrate import Demonstration
    from stream.local.fit import Tell

_SEED: Final = 7
_INTERRUPTED: Final = 130


def judge_locally(model: Path | None, each: int, fit: bool, as_json: bool) -> None:
    """Judge simulated traces in both languages, and print how far that agrees with what was injected."""
    from stream.local.demonstrate import facts
    from stream.local.show import demonstration_lines

    file = find_local_model(model)
    try:
        with _progress() as tell:
            found = asyncio.run(_demonstrate(file, each, fit, tell))
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None
    if as_json:
        print_json(facts(found))
    else:
        for line in demonstration_lines(found):
            print(line)


def run_local_lane(model: Path | None) -> int:
    """The lane itself, with the local model as its judge; returns its exit code."""
    from stream.cli.shell import load_settings
    from stream.judging.main import Chosen, run_judge
    from stream.local.bench import identity_of_local, open_local_bench

    settings = load_settings()
    file = find_local_model(model)

    def tell(what: str, done: int, total: int) -> None:
        if done == total:
            note(f"{what}: {total} of {total}")

    chosen = Chosen(identity_of_local(file), lambda observe: open_local_bench(file, tell))
    return run_judge(settings, chosen=chosen)


def find_local_model(model: Path | None) -> Path:
    """The file to serve. Raises PartMissing, saying what to install."""
    from judges.llm.local.parts import ModelMissing, find_model, require_runtime

    try:
        require_runtime()
        note("looking for the model")
        return find_model(model)
    except ModelMissing as error:
        raise PartMissing(str(error)) from error


async def _demonstrate(file: Path, each: int, fit_anew: bool, tell: Tell) -> Demonstration:
    from judges.llm.local.fitted import FITTED
    from stream.local.bench import open_local
    from stream.local.demonstrate import demonstrate
    from stream.local.traces import known_traces

    if fit_anew or file.stem not in FITTED:
        note("fitting the boundary of this model first, on other traces")
    async with open_local(file, tell, fit_anew=fit_anew) as judge:
        if fit_anew:
            for language, boundary in judge.boundaries.items():
                note(f"{language}: {boundary}")
        return await demonstrate(judge, known_traces(_SEED, each), tell)


@contextmanager
def _progress() -> Iterator[Tell]:
    """A bar on a terminal's standard error; a line now and then elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:<22}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as progress:
        tasks = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done)
            if not shown and (done % 8 == 0 or done == total):
                note(f"{what}: {done} of {total}")

        yield tell


__all__ = ["find_local_model", "judge_locally", "run_local_lane"]
