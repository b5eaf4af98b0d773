"""What one sees while the demo runs: a live page in a terminal, plain lines anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Final, Protocol, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from schemas.taxonomy import HEALTHY
from stream.demo.queries import NOTHING_YET, Snapshot
from stream.demo.world import PROMPTS, SPIKE_PROMPT, SPIKE_TENANT
from stream.terminal import printable

_LINE_EVERY_S: Final = 5.0
_WIDE: Final = 110
_MOST_INCIDENTS: Final = 3
_COLOURS: Final = {HEALTHY: "green", "hallucination": "red", "system_error": "magenta"}


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is shown. Seconds are since the first trace."""

    phase: str
    elapsed: float = 0.0
    seconds: float = 0.0
    published: int = 0
    stored_per_s: float = 0.0
    spike_since: float | None = None
    restarts: int = 0
    snapshot: Snapshot = NOTHING_YET

    @property
    def lag(self) -> int:
        """Traces published and not yet stored."""
        return max(0, self.published - self.snapshot.landed.rows)


class View(Protocol):
    """Something that shows states."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def say(self, text: str) -> None:
        """A step of the start or the end."""

    def show(self, state: State) -> None:
        """The state of things now."""


class PlainView:
    """A line every few seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._next = 0.0
        self._told_spike = False
        self._told: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def say(self, text: str) -> None:
        """One line."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def show(self, state: State) -> None:
        """One line, at most every five seconds; the spike at once."""
        if state.spike_since is not None and not self._told_spike:
            self._told_spike = True
            self.say(f"{state.elapsed:5.0f} s  {spike_note()}")
        for one in state.snapshot.incidents:
            if one.incident_id not in self._told:
                self._told.add(one.incident_id)
                self.say(f"{state.elapsed:5.0f} s  incident: {one.summary}")
        if state.elapsed >= self._next:
            self._next = state.elapsed + _LINE_EVERY_S
            self.say(plain_line(state))


class LiveView:
    """A page that is redrawn in place."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def say(self, text: str) -> None:
        """One line in place of the page."""
        self._live.update(Text(text), refresh=True)

    def show(self, state: State) -> None:
        """Draw the page anew."""
        self._live.update(page(state, self._console.width, self._console.height), refresh=True)


def choose_view(console: Console) -> View:
    """Live in a terminal, plain lines elsewhere."""
    return LiveView(console) if console.is_terminal else PlainView(console)


def spike_note() -> str:
    """What happens halfway."""
    return (
        f"release: {SPIKE_TENANT} rolls out prompt {SPIKE_PROMPT} (before: {PROMPTS['helpdesk']}): "
        "from now on its model makes things up"
    )


def plain_line(state: State) -> str:
    """One state in one line."""
    shot = state.snapshot
    parts = [
        f"{state.elapsed:5.0f} s",
        f"published {state.published:,}",
        f"stored {shot.landed.rows:,}",
        f"lag {state.lag:,}",
        f"{state.stored_per_s:,.0f}/s",
    ]
    if shot.by_class:
        parts += [f"{name} {shot.by_class[name].text()}" for name in (HEALTHY, "hallucination")]
    if shot.faithfulness is not None:
        parts.append(f"faithfulness {shot.faithfulness:.3f} of {shot.measured:,}")
    if shot.refusals.value is not None:
        parts.append(f"refusals {shot.refusals.value:.1%}")
    return "  ".join(parts)


def page(state: State, width: int, height: int) -> RenderableType:
    """The whole page, fitted to the terminal."""
    rates, segments = _classes(state), _segments(state)
    if width >= _WIDE:
        both = Table.grid(padding=(0, 3))
        both.add_row(rates, segments)
        middle: list[RenderableType] = [both]
        room = height - 20
    else:
        middle = [rates, segments]
        room = height - 30
    parts: list[RenderableType] = [_head(state, width), *middle]
    if room > 0:
        parts.append(_cases(state, width, room))
    title = "ragpulse demo · simulated traffic, invented companies"
    return Panel(Group(*parts), title=title, border_style="cyan", width=min(width, 150))


def _head(state: State, width: int) -> RenderableType:
    shot = state.snapshot
    bar = ProgressBar(total=max(state.seconds, 0.1), completed=min(state.elapsed, state.seconds), width=30)
    grid = Table.grid(padding=(0, 2))
    grid.add_row(bar, Text(f"{state.elapsed:.0f} of {state.seconds:.0f} s · {state.phase}"))
    facts = Text()
    for label, value in (
        ("published", f"{state.published:,}"),
        ("stored", f"{shot.landed.rows:,}"),
        ("lag", f"{state.lag:,}"),
        ("throughput", f"{state.stored_per_s:,.0f}/s"),
        ("dead letters", f"{shot.landed.dead:,}"),
        ("late feedback", f"{shot.landed.feedback:,}"),
    ):
        facts.append(f"{label} ", style="dim").append(f"{value}   ", style="bold")
    measures = Text()
    faithfulness = (
        "–" if shot.faithfulness is None else f"{shot.faithfulness:.3f} of {shot.measured:,} measured"
    )
    for label, value in (
        ("faithfulness", faithfulness),
        ("refusals", shot.refusals.text().strip()),
        ("answered without support", shot.leaks.text().strip()),
    ):
        measures.append(f"{label} ", style="dim").append(f"{value}   ", style="bold")
    lines: list[RenderableType] = [grid, facts, measures]
    if state.spike_since is not None:
        lines.append(
            Text(f"▲ {spike_note()} ({state.elapsed - state.spike_since:.0f} s ago)", style="bold red")
        )
    lines += [
        Text(f"● incident: {one.summary}", style="bold yellow", no_wrap=True, overflow="ellipsis")
        for one in shot.incidents[:_MOST_INCIDENTS]
    ]
    if state.restarts:
        lines.append(Text(f"{state.restarts} processes died and were started again", style="yellow"))
    return Group(*lines, Text())


def _classes(state: State) -> Table:
    table = Table(title="Rates, 95 % interval", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("class")
    table.add_column("traces", justify="right")
    table.add_column("rate")
    for name, rate in state.snapshot.by_class.items():
        table.add_row(Text(name, style=_COLOURS.get(name, "yellow")), f"{rate.count:,}", rate.text())
    return table


def _segments(state: State) -> Table:
    table = Table(
        title="Hallucination by tenant and prompt", title_justify="left", box=None, padding=(0, 2, 0, 0)
    )
    table.add_column("tenant")
    table.add_column("prompt")
    table.add_column("traces", justify="right")
    table.add_column("hallucination")
    for segment in state.snapshot.segments:
        style = "bold red" if (segment.tenant, segment.prompt) == (SPIKE_TENANT, SPIKE_PROMPT) else ""
        rate = segment.hallucinated
        table.add_row(segment.tenant, segment.prompt, f"{rate.total:,}", rate.text(), style=style)
    return table


def _cases(state: State, width: int, room: int) -> Table:
    table = Table(title="\nLast cases", title_justify="left", box=None, padding=(0, 2, 0, 0))
    column = max(16, (min(width, 150) - 38) // 2)
    table.add_column("class", no_wrap=True, min_width=15)
    table.add_column("tenant", no_wrap=True, min_width=9)
    for name in ("question", "answer"):
        table.add_column(name, no_wrap=True, overflow="ellipsis", max_width=column)
    for case in state.snapshot.cases[:room]:
        table.add_row(
            Text(case.failure, style=_COLOURS.get(case.failure, "yellow")),
            case.tenant,
            Text(printable(case.question)),
            Text(printable(case.answer)),
        )
    return table


__all__ = ["LiveView", "PlainView", "State", "View", "choose_view", "page", "plain_line", "spike_note"]
