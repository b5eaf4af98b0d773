"""`ragpulse judge --funnel`: how far traces came on their way to the judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from stream.cli.shell import load_settings, note, print_json

if TYPE_CHECKING:
    from stream.judging.funnel import Funnel


def show_funnel(since: str | None, until: str | None, as_json: bool) -> None:
    """Print the funnel of a period, of the last day unless told otherwise."""
    from sinks.clickhouse.migrate import require_schema
    from stream.cli.rescore import read_period
    from stream.judging.funnel import read_funnel
    from stream.sink.main import open_store

    period = read_period(since or "1d", until, None)
    client = open_store(load_settings())
    try:
        require_schema(client)
        found = read_funnel(client, period)
    finally:
        client.close()
    if as_json:
        facts = {"since": period.since.isoformat(), "until": period.until.isoformat(), **found.facts()}
        print_json(facts)
        return
    for line in lines_of(found):
        typer.echo(line)
    for hint in found.hints():
        note(hint)


def lines_of(found: Funnel) -> list[str]:
    """The table: a line a stage, and a line a reason where traces stopped for one."""
    rows = [("seen", found.seen)]
    rows += [(f"  ineligible: {reason}", count) for reason, count in found.ineligible.most_common()]
    rows += [("eligible", found.eligible), ("  capped", found.capped), ("selected", found.selected)]
    rows += [(f"  failed: {reason}", count) for reason, count in found.failed.most_common()]
    rows += [("  over budget", found.over_budget), ("  waiting", found.waiting), ("judged", found.judged)]
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {count:>10,}" for name, count in rows]


__all__ = ["lines_of", "show_funnel"]
