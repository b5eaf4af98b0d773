"""The table at the end of the demo, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from stream.demo.rates import Rate
from stream.demo.scoreboard import MIN_INJECTED, Alarm, Line, Scoreboard
from stream.demo.world import SPIKE_PROMPT, SPIKE_TENANT

_COLUMNS: Final = ("injected", "found", "right", "precision", "recall", "in en", "in zh")
_LEFT_OUT: Final = tuple(("in en", "in zh", "right", "found", "precision")[:n] for n in (0, 2, 3, 4, 5))
_BOUNDLESS: Final = 1_000


def print_report(console: Console, board: Scoreboard) -> None:
    """Injected against found by class, the accounting, the spike, and what is wrong."""
    console.print()
    console.print(fit_classes(board, console))
    console.print()
    for line in _accounting(board):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    findings = board.findings()
    for finding in findings:
        console.print(f"✗ {finding}", style="red", markup=False, highlight=False, soft_wrap=True)
    if not findings:
        console.print(_good_news(board), style="green", markup=False, highlight=False, soft_wrap=True)


def _good_news(board: Scoreboard) -> str:
    unjudged = board.unjudged()
    if not unjudged:
        return "✓ every injected class was found, and nothing was lost"
    return (
        f"✓ nothing was lost; fewer than {MIN_INJECTED} traces say nothing of a class: {', '.join(unjudged)} "
        "(more --seconds or --rate)"
    )


def fit_classes(board: Scoreboard, console: Console) -> Table:
    """The table by class, with as many of its columns as the console is wide, the most telling first."""
    for left_out in _LEFT_OUT:
        table = _classes(board, left_out)
        if Measurement.get(console, console.options.update(width=_BOUNDLESS), table).maximum <= console.width:
            break
    return table


def _classes(board: Scoreboard, left_out: Sequence[str]) -> Table:
    title = f"Injected against found (scorer {board.scorer_version})"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("class", no_wrap=True)
    names = [name for name in _COLUMNS if name not in left_out]
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for name, line in board.by_class.items():
        cells = {
            "injected": f"{line.injected:,}",
            "found": f"{line.found:,}",
            "right": f"{line.right:,}",
            "precision": _share(line.precision),
            "recall": _share(line.recall),
            "in en": _share(board.by_language["en"][name].recall),
            "in zh": _share(board.by_language["zh"][name].recall),
        }
        table.add_row(name, *(cells[column] for column in names))
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
    lines += [_alarm(alarm) for alarm in board.incidents] or ["incident     none was found"]
    if board.queue:
        lines.append(f"queue        {board.queue.sentence()}")
    if restarts:
        lines.append(f"restarts     {restarts} processes died and were started again")
    return lines


def _alarm(alarm: Alarm) -> str:
    found = alarm.found
    when = (
        f"; found {alarm.delay_s:.0f} s after the spike began, onset off by {abs(alarm.onset_error_s):.0f} s"
        if alarm.delay_s is not None and alarm.onset_error_s is not None
        else ""
    )
    return (
        f"incident     {found.severity}: {found.summary} ({found.segment or 'all traffic'}){when}; "
        f"{alarm.injected_cases} of its {len(found.cases)} cases are injected ones"
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _found(rate: Rate) -> str:
    return f"{rate.text().strip()} of {rate.total:,}"


__all__ = ["Line", "fit_classes", "print_report"]
