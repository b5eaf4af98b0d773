"""The table at the end of the demo, for people."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from stream.demo.rates import Rate
from stream.demo.scoreboard import Line, Scoreboard
from stream.demo.world import SPIKE_PROMPT, SPIKE_TENANT


def print_report(console: Console, board: Scoreboard) -> None:
    """Injected against found by class, the accounting, the spike, and what is wrong."""
    console.print()
    console.print(_classes(board))
    console.print()
    for line in _accounting(board):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    findings = board.findings()
    for finding in findings:
        console.print(f"✗ {finding}", style="red", markup=False, highlight=False, soft_wrap=True)
    if not findings:
        done = "✓ every injected class was found, and nothing was lost"
        console.print(done, style="green", markup=False, highlight=False)


def _classes(board: Scoreboard) -> Table:
    title = f"Injected against found (scorer {board.scorer_version})"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("class", no_wrap=True)
    for name in ("injected", "found", "right", "precision", "recall", "in en", "in zh"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, line in board.by_class.items():
        each = [board.by_language[language][name] for language in ("en", "zh")]
        table.add_row(
            name,
            f"{line.injected:,}",
            f"{line.found:,}",
            f"{line.right:,}",
            _share(line.precision),
            _share(line.recall),
            *(_share(own.recall) for own in each),
        )
    return table


def _accounting(board: Scoreboard) -> list[str]:
    restarts = sum(board.restarts.values())
    lines = [
        f"traces       {board.published:,} published = {board.scored:,} scored = {board.rows:,} stored "
        f"({board.repeats:,} of them sent twice, counted once)",
        f"dead letters {board.dead:,} of {board.dead_expected:,} messages injected as broken",
        f"feedback     {board.feedback_rows:,} of {board.feedback_published:,} pieces that came on their own "
        "found their trace",
        f"time         {board.seconds:.1f} s from the first trace to the last row: "
        f"{board.published / max(board.seconds, 1e-9):,.0f} traces/s (seed {board.seed})",
        f"spike        {SPIKE_TENANT}, hallucination before prompt {SPIKE_PROMPT}: {_found(board.before)}",
        f"             {SPIKE_TENANT}, hallucination since prompt {SPIKE_PROMPT}:  {_found(board.after)}",
        f"             injected: {_share(board.injected_before.value)} before, "
        f"{_share(board.injected_after.value)} since",
    ]
    if restarts:
        lines.append(f"restarts     {restarts} processes died and were started again")
    return lines


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _found(rate: Rate) -> str:
    return f"{rate.text().strip()} of {rate.total:,}"


__all__ = ["Line", "print_report"]
