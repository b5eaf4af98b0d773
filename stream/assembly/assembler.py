"""Holds spans until their trace is complete, within bounds of time, memory and spans a trace.

Pure: it is told the time, does no work in the background, and hands traces back when asked. What each
span arrived with (an offset, a message) can be handed in as a token and comes back with the trace.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Generic, TypeVar

from schemas.formats.span import Span

Token = TypeVar("Token")
SPAN_BYTES: Final = 1_500
"""What a span without its texts weighs in memory, about."""


class Closed(StrEnum):
    """Why a trace was handed over."""

    ROOT_ENDED = "root_ended"
    QUIET = "quiet"
    OVERFLOW = "overflow"
    END = "end"


@dataclass(slots=True)
class Gathered(Generic[Token]):
    """The spans of one trace. `number` counts traces in the order in which they began to arrive.

    `left_out` counts spans beyond the bound on spans.
    """

    trace_id: str
    number: int = 0
    spans: list[Span] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    left_out: int = 0
    size: int = 0
    root_at: float | None = None
    touched_at: float = 0.0
    why: Closed = Closed.END

    @property
    def incomplete(self) -> str | None:
        """Why spans are known to be missing; null where none are."""
        if self.left_out:
            return "too_many_spans"
        return None if self.root_at is not None else f"no_root_{self.why.value}"


@dataclass(slots=True, frozen=True)
class Bounds:
    """When a trace is complete, and how much is held.

    `grace_s` after its root arrived; `quiet_s` after its last span. `spans` and `size` (bytes, about)
    over all open traces; `spans_a_trace` of one. `remembered` closed ids, to tell late spans.
    """

    grace_s: float = 2.0
    quiet_s: float = 30.0
    spans: int = 200_000
    size: int = 512 * 1024 * 1024
    spans_a_trace: int = 20_000
    remembered: int = 100_000


class Assembler(Generic[Token]):
    """Feed it spans, then ask what is `due`. `late` counts spans of traces that were already handed over."""

    def __init__(self, clock: Callable[[], float], bounds: Bounds | None = None) -> None:
        self._clock = clock
        self._bounds = bounds or Bounds()
        self._open: OrderedDict[str, Gathered[Token]] = OrderedDict()  # the one touched last stands last
        self._done: OrderedDict[str, None] = OrderedDict()
        self._spans = self._size = self._opened = 0
        self.late = 0

    def __len__(self) -> int:
        return len(self._open)

    @property
    def spans(self) -> int:
        """Spans held now."""
        return self._spans

    def feed(self, spans: Iterable[Span], token: Token | None = None) -> list[Gathered[Token]]:
        """Take spans of any number of traces. Comes back with what had to go to keep the bounds."""
        now = self._clock()
        for span in spans:
            self._take(span, token, now)
        return list(self._overflow())

    def due(self) -> list[Gathered[Token]]:
        """The traces that are complete by now, or quiet for long enough."""
        now = self._clock()
        return [self._close(held, why) for held in list(self._open.values()) if (why := self._why(held, now))]

    def flush(self) -> list[Gathered[Token]]:
        """Everything that is still open, in the order in which it began to arrive."""
        waiting = sorted(self._open.values(), key=lambda held: held.number)
        return [self._close(held, Closed.END) for held in waiting]

    def open_tokens(self) -> Iterator[Token]:
        """What the spans that still wait arrived with: none of it is settled."""
        for held in self._open.values():
            yield from held.tokens

    def _take(self, span: Span, token: Token | None, now: float) -> None:
        held = self._open.get(span.trace_id)
        if held is None:
            if span.trace_id in self._done:
                self.late += 1
            held = self._open[span.trace_id] = Gathered(span.trace_id, self._opened)
            self._opened += 1
        self._open.move_to_end(span.trace_id)
        held.touched_at = now
        if token is not None and (not held.tokens or held.tokens[-1] != token):
            held.tokens.append(token)
        if not span.parent_id and held.root_at is None:
            held.root_at = now
        if len(held.spans) >= self._bounds.spans_a_trace:
            held.left_out += 1
            return
        size = weigh(span)
        held.spans.append(span)
        held.size += size
        self._spans += 1
        self._size += size

    def _why(self, held: Gathered[Token], now: float) -> Closed | None:
        if held.root_at is not None and now - max(held.root_at, held.touched_at) >= self._bounds.grace_s:
            return Closed.ROOT_ENDED
        return Closed.QUIET if now - held.touched_at >= self._bounds.quiet_s else None

    def _overflow(self) -> Iterator[Gathered[Token]]:
        while self._open and (self._spans > self._bounds.spans or self._size > self._bounds.size):
            yield self._close(next(iter(self._open.values())), Closed.OVERFLOW)

    def _close(self, held: Gathered[Token], why: Closed) -> Gathered[Token]:
        del self._open[held.trace_id]
        self._spans -= len(held.spans)
        self._size -= held.size
        self._done[held.trace_id] = None
        while len(self._done) > self._bounds.remembered:
            self._done.popitem(last=False)
        held.why = why
        return held


def weigh(span: Span) -> int:
    """About how many bytes a span takes in memory."""
    size = SPAN_BYTES
    for value in span.attributes.values():
        size += 2 * len(value) if isinstance(value, str) else 64
    for event in span.events:
        size += 300 + sum(2 * len(v) for v in event.attributes.values() if isinstance(v, str))
    return size


__all__ = ["Assembler", "Bounds", "Closed", "Gathered", "weigh"]
