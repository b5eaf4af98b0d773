"""`ragpulse gate`: a candidate's answers on a golden set, held against floors and a baseline."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stream.cli.shell import (
    COMPILING,
    FINDING,
    Progress,
    load_settings,
    note,
    print_json,
    said_if_slow,
    tolerate_closed_pipe,
)

if TYPE_CHECKING:
    from stream.gate.answers import Joined
    from stream.gate.endpoint import Endpoint
    from stream.gate.inputs import Inputs
    from stream.gate.run import Plan, Ran

_WHOLE: Final = "complete, or not at all"


def gate(
    suite: Annotated[
        Path,
        typer.Argument(metavar="SUITE", help="The suite: TOML that names the golden set and its options."),
    ],
    answers: Annotated[
        str | None,
        typer.Option(
            "--answers",
            metavar="FILE",
            help="The candidate's answers: a file of traces in any format that `ragpulse score` reads.",
        ),
    ] = None,
    endpoint: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask the candidate here.", show_default="endpoint.url of the suite"),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the endpoint's answers here, line by line; a run that was broken off goes on from it.",
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Compare with this.", show_default="suite.baseline"),
    ] = None,
    save_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Compare with nothing; make this the baseline of later runs."),
    ] = None,
    golden: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The golden set.", show_default="suite.golden"),
    ] = None,
    index: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Ids of all chunks in the index, one a line or JSON lines.",
            show_default="suite.index",
        ),
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A scorer of the registry, shipped, rules, or weights (.npz).",
            show_default="the serving one",
        ),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="Of --answers, as for `ragpulse score`.")
    ] = "auto",
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Write the report here too: {_WHOLE}.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"Write JUnit XML here: {_WHOLE}.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json-file", metavar="FILE", help=f"Write JSON here: {_WHOLE}.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output, not Markdown.")
    ] = False,
) -> None:
    """Let a candidate pass, or block it and say why: its answers on a golden set, layer by layer.

    Looks at index, retrieval, rerank and generation in this order, and stops at the first that fails.
    Blocks where a metric is below its floor, where it fell against the baseline by clearly more than is
    allowed (3 points, unless the suite says otherwise; noise alone blocks at most one run in a hundred),
    where a stratum collapsed, where a case does not hold what the golden set demands of it, and where what
    is required was not measured. docs/GATE.md describes the suite, the endpoint and the statistics.

    The LLM judges of the settings are asked where the suite says `judges = true`.

    \b
    Examples:
      ragpulse gate helpdesk.toml --answers good.jsonl --save-baseline helpdesk.baseline.jsonl
      ragpulse gate helpdesk.toml --answers candidate.jsonl --junit gate.xml --markdown gate.md
      ragpulse gate helpdesk.toml --endpoint http://localhost:8000/ask --keep answers.jsonl

    Exit code: 0 it may pass; 1 it is blocked; 2 usage, or a baseline that cannot be compared with; 3 the
    candidate or a judge cannot be reached.
    """
    from stream.gate.inputs import read_inputs
    from stream.gate.run import Plan, check_first, run_gate
    from stream.scorers import choose_scorer, open_registry

    if answers is not None and (endpoint is not None or keep is not None):
        raise typer.BadParameter("--answers reads a file; --endpoint and --keep ask: one at a time")
    if baseline is not None and save_baseline is not None:
        raise typer.BadParameter("--baseline compares and --save-baseline does not: one at a time")
    inputs = read_inputs(suite, golden=golden)
    asked = None if answers is not None and not inputs.suite.probes.count else _endpoint(inputs, endpoint)
    if answers is None and asked is None:
        raise typer.BadParameter("where are the answers? Give --answers FILE, or --endpoint URL")
    settings = load_settings()
    with said_if_slow(COMPILING):
        chosen = choose_scorer(scorer, open_registry(settings.scorer))
    main = inputs.suite.suite
    plan = Plan(
        inputs,
        chosen,
        settings.judge,
        baseline=baseline or (inputs.folder / main.baseline if main.baseline else None),
        save_baseline=save_baseline,
        index=index or (inputs.folder / main.index if main.index else None),
        endpoint=asked,
    )
    held = check_first(plan)
    with _bars() as show:
        joined, told = _from_file(plan, answers, format) if answers else _from_endpoint(plan, keep, show)
        ran = run_gate(plan, joined, told, held, show)
    for said in ran.notes:
        note(said)
    _write(ran, markdown, junit, json_file)
    _print(ran, as_json)
    if ran.decision.blocked:
        raise typer.Exit(FINDING)


def _endpoint(inputs: Inputs, url: str | None) -> Endpoint | None:
    from judges.gate.endpoint import EndpointOptions
    from stream.gate.endpoint import Endpoint

    options = inputs.suite.endpoint
    if url is not None:
        options = options.model_copy(update={"url": url}) if options else EndpointOptions(url=url)
    return Endpoint(options, os.environ) if options else None


def _from_file(plan: Plan, path: str, format: str) -> tuple[Joined, str]:
    from stream.cli.traces import reading
    from stream.gate.answers import join

    with reading(path, format) as reader:
        joined = join(plan.inputs.golden, (item for _, item in reader.items()))
        if reader.damaged:
            raise typer.Exit(FINDING)
    return joined, path


def _from_endpoint(
    plan: Plan, keep: Path | None, show: Callable[[int, int, str], None]
) -> tuple[Joined, str]:
    from stream.gate.answering import ask_candidate

    assert plan.endpoint is not None
    joined, kept = ask_candidate(plan.inputs.golden, plan.endpoint, keep, show)
    if kept:
        note(f"{kept:,} answers were in {keep} already, and were not asked for again")
    return joined, plan.endpoint.address


@dataclass(slots=True)
class _Count:
    """What a progress line measures: so many of so many."""

    size: int | None
    done: int = 0

    def position(self) -> int:
        """How many there are so far."""
        return self.done


@contextmanager
def _bars() -> Iterator[Callable[[int, int, str], None]]:
    """One progress line after the other, on a terminal."""
    lines: dict[str, tuple[_Count, Progress]] = {}

    def show(done: int, total: int, unit: str) -> None:
        if unit not in lines:
            count = _Count(total)
            lines[unit] = (count, Progress(count, time.monotonic))
        count, progress = lines[unit]
        count.done = done
        progress.show(done, unit)

    try:
        yield show
    finally:
        for _, progress in lines.values():
            progress.clear()


def _write(ran: Ran, markdown: Path | None, junit: Path | None, json_file: Path | None) -> None:
    import orjson

    from judges.gate import show, show_data
    from stream.files.lines import write_whole

    reports: list[tuple[Path | None, Callable[[], bytes]]] = [
        (markdown, lambda: show.markdown(ran.decision, ran.about).encode()),
        (junit, lambda: show_data.junit(ran.decision, ran.about)),
        (
            json_file,
            lambda: orjson.dumps(show_data.facts(ran.decision, ran.about), option=orjson.OPT_INDENT_2),
        ),
    ]
    for path, make in reports:
        if path is not None:
            with write_whole(path) as out:
                out.write(make())


def _print(ran: Ran, as_json: bool) -> None:
    from judges.gate import show, show_data

    if as_json:
        print_json(show_data.facts(ran.decision, ran.about))
        return
    with tolerate_closed_pipe():
        sys.stdout.write(show.markdown(ran.decision, ran.about))


__all__ = ["gate"]
