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
    AGE = "age"
    OVERFLOW = "overflow"
    END = "end"


@dataclass(slots=True)
class Gathered(Generic[Token]):
    """The spans of one trace. `number` counts traces in the order in which they began to arrive.

    `left_out` counts spans beyond the bound on spans. `late`: spans of this trace were handed over before,
    and these came afterwards.
    """

    trace_id: str
    number: int = 0
    spans: list[Span] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    left_out: int = 0
    late: bool = False
    size: int = 0
    root_at: float | None = None
    began_at: float = 0.0
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

    `grace_s` after its root and its last span arrived; `quiet_s` after its last span; `age_s` after its
    first one, whatever still comes. `spans` and `size` (bytes, about) over all open traces;
    `spans_a_trace` of one. `remembered` closed ids, to tell late spans.
    """

    grace_s: float = 2.0
    quiet_s: float = 30.0
    age_s: float = 600.0
    spans: int = 200_000
    size: int = 512 * 1024 * 1024
    spans_a_trace: int = 20_000
    remembered: int = 100_000


class Assembler(Generic[Token]):
    """Feed it spans, then ask what is `due`. `late` counts spans of traces that were already handed over.

    What is asked often looks only at the traces that have waited longest: the clock must not run backwards.
    `on_token` is told each time that a trace takes a token to hand back.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        bounds: Bounds | None = None,
        on_token: Callable[[Token], None] = lambda token: None,
    ) -> None:
        self._clock = clock
        self._on_token = on_token
        self._bounds = bounds or Bounds()
        self._open: OrderedDict[str, Gathered[Token]] = OrderedDict()  # the one touched last stands last
        self._rooted: OrderedDict[str, Gathered[Token]] = OrderedDict()  # so do those that end by grace
        self._begun: dict[str, Gathered[Token]] = {}  # in the order in which they began
        self._done: OrderedDict[str, None] = OrderedDict()
        self._spans = self._size = self._opened = 0
        self.late = 0

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, trace_id: str) -> bool:
        return trace_id in self._open

    @property
    def spans(self) -> int:
        """Spans held now."""
        return self._spans

    @property
    def size(self) -> int:
        """Bytes that they take, about."""
        return self._size

    @property
    def oldest(self) -> float | None:
        """Since when the trace that began first has been waiting, by the clock; null where none waits."""
        first = next(iter(self._begun.values()), None)
        return None if first is None else first.began_at

    def feed(
        self, spans: Iterable[Span], token: Token | None = None, weight: int | None = None
    ) -> list[Gathered[Token]]:
        """Take spans of any number of traces. Comes back with what had to go to keep the bounds.

        `weight`: what each of them takes in memory, where the caller knows better than `weigh`.
        """
        now = self._clock()
        for span in spans:
            self._take(span, token, now, weight)
        return list(self._overflow())

    def due(self) -> list[Gathered[Token]]:
        """The traces that are complete by now, quiet for long enough, or open for too long."""
        now, bounds = self._clock(), self._bounds
        closed = []
        while (held := next(iter(self._rooted.values()), None)) and now - held.touched_at >= bounds.grace_s:
            closed.append(self._close(held, Closed.ROOT_ENDED))
        while (held := next(iter(self._open.values()), None)) and now - held.touched_at >= bounds.quiet_s:
            closed.append(self._close(held, Closed.QUIET))
        while (held := next(iter(self._begun.values()), None)) and now - held.began_at >= bounds.age_s:
            closed.append(self._close(held, Closed.AGE))
        return closed

    def push_out(self) -> Gathered[Token] | None:
        """The trace that has been quiet longest, complete or not; null where none is open."""
        held = next(iter(self._open.values()), None)
        return None if held is None else self._close(held, Closed.OVERFLOW)

    def flush(self) -> list[Gathered[Token]]:
        """Everything that is still open, in the order in which it began to arrive."""
        return [self._close(held, Closed.END) for held in list(self._begun.values())]

    def open_tokens(self) -> Iterator[Token]:
        """What the spans that still wait arrived with: none of it is settled."""
        for held in self._open.values():
            yield from held.tokens

    def remember(self, trace_id: str) -> None:
        """This trace was handed over, if not by us: spans of it that come now are late."""
        self._done[trace_id] = None
        while len(self._done) > self._bounds.remembered:
            self._done.popitem(last=False)

    def forget(self, trace_id: str) -> None:
        """Nothing came of this trace: spans of it that come now begin it anew, and are not late."""
        self._done.pop(trace_id, None)

    def _take(self, span: Span, token: Token | None, now: float, weight: int | None) -> None:
        trace_id = span.trace_id
        held = self._open.get(trace_id)
        if held is None:
            held = self._begin(trace_id, now)
        elif held.touched_at != now or next(reversed(self._open)) != trace_id:
            self._touch(held, now)
        if held.late:
            self.late += 1
        if is_root := not span.parent_id and held.root_at is None:
            held.root_at = now
            self._rooted[trace_id] = held
        # The root comes last and says most: there is always room for it.
        if len(held.spans) >= self._bounds.spans_a_trace and not is_root:
            held.left_out += 1
            return
        if token is not None and (not held.tokens or held.tokens[-1] != token):
            held.tokens.append(token)
            self._on_token(token)
        size = weigh(span) if weight is None else weight
        held.spans.append(span)
        held.size += size
        self._spans += 1
        self._size += size

    def _begin(self, trace_id: str, now: float) -> Gathered[Token]:
        late = trace_id in self._done
        held: Gathered[Token] = Gathered(trace_id, self._opened, late=late, began_at=now, touched_at=now)
        self._opened += 1
        self._open[trace_id] = self._begun[trace_id] = held
        if late:  # its root was here before: nothing is waited for but its last spans
            self._rooted[trace_id] = held
        return held

    def _touch(self, held: Gathered[Token], now: float) -> None:
        held.touched_at = now
        self._open.move_to_end(held.trace_id)
        if held.trace_id in self._rooted:
            self._rooted.move_to_end(held.trace_id)

    def _overflow(self) -> Iterator[Gathered[Token]]:
        while self._open and (self._spans > self._bounds.spans or self._size > self._bounds.size):
            yield self._close(next(iter(self._open.values())), Closed.OVERFLOW)

    def _close(self, held: Gathered[Token], why: Closed) -> Gathered[Token]:
        del self._open[held.trace_id], self._begun[held.trace_id]
        self._rooted.pop(held.trace_id, None)
        self._spans -= len(held.spans)
        self._size -= held.size
        self.remember(held.trace_id)
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
