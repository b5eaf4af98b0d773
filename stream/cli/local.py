"""`ragpulse judge --local`: a demonstration without a key, on this machine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from stream.cli.shell import note, print_json
from stream.errors import PartMissing

if TYPE_CHECKING:
    from judges.llm.local.boundary import Boundary
    from judges.llm.local.client import LocalClient
    from stream.local.demonstrate import Demonstration, Tell

_SEED: Final = 7
_INTERRUPTED: Final = 130


def judge_locally(model: Path | None, each: int, fit: bool, as_json: bool) -> None:
    """Judge simulated traces in both languages, and print how far that agrees with what was injected."""
    from judges.llm.local.parts import ModelMissing, find_model, require_runtime
    from stream.local.demonstrate import facts
    from stream.local.server import LocalModelServer
    from stream.local.show import demonstration_lines

    try:
        require_runtime()
        note("looking for the model")
        file = find_model(model)
    except ModelMissing as error:
        raise PartMissing(str(error)) from error
    try:
        with _progress() as tell, LocalModelServer(file) as server:
            found = asyncio.run(_run(server.base_url, file.stem, each, fit, tell))
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None
    if as_json:
        print_json(facts(found))
    else:
        for line in demonstration_lines(found):
            print(line)


async def _run(base_url: str, name: str, each: int, fit_anew: bool, tell: Tell) -> Demonstration:
    from judges.llm.local.client import LocalClient
    from judges.llm.local.fitted import FITTED
    from judges.llm.local.opine import LocalJudge
    from stream.local.demonstrate import demonstrate
    from stream.local.traces import known_traces

    client = LocalClient(base_url)
    boundaries: Mapping[str, Boundary] | None = None if fit_anew else FITTED.get(name)
    if boundaries is None:
        boundaries = await _fit(client, tell)
    return await demonstrate(LocalJudge(client, name, boundaries), known_traces(_SEED, each), tell)


async def _fit(client: LocalClient, tell: Tell) -> dict[str, Boundary]:
    from judges.llm.local.fitted import FIT_EACH, FIT_SEED
    from stream.local.demonstrate import fit
    from stream.local.traces import known_traces

    note("no boundary is known for this model yet: fitting one first, on other traces")
    found = await fit(client, known_traces(FIT_SEED, FIT_EACH), tell)
    for language, boundary in found.items():
        note(f"{language}: {boundary}")
    return found


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


__all__ = ["judge_locally"]
