"""`ragpulse watch`: finds what changed, and tells whoever wants to know."""

from __future__ import annotations

from typing import Annotated

import typer

from stream.cli.shell import FINDING, USAGE, load_settings, note, print_json


def watch(
    once: Annotated[bool, typer.Option("--once", help="Look once, say what is found, and end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --once: as one JSON object.")] = False,
) -> None:
    """Watch rates and find incidents: what changed, where, since when, after which release.

    Reads traces from ClickHouse as they are stored, keeps rates with their intervals in table `rates`, and
    opens one incident for each cause in table `incidents`. Incidents go to Alertmanager
    (RAGPULSE_WATCH__ALERTMANAGER_URL) and to a webhook (RAGPULSE_WATCH__WEBHOOK_URL), where those are set.
    Runs until SIGTERM or Ctrl-C; start one. What it knew it reads again when it starts: an open incident
    stays open, and nobody is told twice.

    --once reads the last hours, prints the incidents of now, stores nothing and tells nobody.

    \b
    Examples:
      RAGPULSE_WATCH__WEBHOOK_URL=https://example.com/hook ragpulse watch
      ragpulse watch --once --json | jq '.incidents[].summary'

    Exit code: 0; 1 it crashed, or --once finds an incident; 2 settings; 3 ClickHouse refuses.
    """
    if as_json and not once:
        note("--json is for --once: without it, the watch logs and does not end.")
        raise typer.Exit(USAGE)
    if not once:
        from stream.watch.main import run_watch

        raise typer.Exit(run_watch(load_settings()))
    from stream.watch.main import look_once

    said = look_once(load_settings())
    if as_json:
        print_json(said)
    else:
        for incident in said["incidents"]:
            typer.echo(f"{incident['severity']:<7} {incident['onset']}  {incident['summary']}")
        note(f"{len(said['segments'])} segments watched, {len(said['incidents'])} open incidents")
    if said["incidents"]:
        raise typer.Exit(FINDING)


__all__ = ["watch"]
