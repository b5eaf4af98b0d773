"""The spans of one partition on their way to traces: its own time, its own memory, its own place to resume.

Pure. Time in a lane is what the log says: the broker's time of its messages, which goes on by the clock on
the wall only while nothing waits unread. However slowly a backlog is worked off, spans that were published
within a second are a second apart.

What was handed over is remembered for a while (`_keep_s`). Spans that come late, because a service or a
partition was slow, open their trace again with all its spans, and it is handed over once more, whole.

A lane also knows from where its partition must be read again after a restart. Offsets are committed up to
the first message that still waits, and behind that point lie spans of traces whose beginning lies before
it. Whoever resumes reads from the beginning of those traces (`resume_from`), and takes what lies before the
committed offset as remembered: it completes a trace that goes on, and makes none by itself, for what was
committed was scored.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from schemas.formats.span import Span
from stream.assembly.assembler import Assembler, Bounds, Gathered

Token = TypeVar("Token")
_MOST_ALIKE: Final = 8
"""Spans of one id that are compared with one that comes again."""


@dataclass(slots=True)
class _Remembered(Generic[Token]):
    """Spans of one trace that were handed over, with what they arrived on, and what each of them weighs.

    `scored`: something was said of them. `recalled`: read again after a restart, and nobody knows.
    """

    first: int
    touched_at: float = 0.0
    scored: bool = False
    recalled: bool = False
    spans: int = 0
    size: int = 0
    parts: list[tuple[list[Span], Token, int]] = field(default_factory=list)
    _by_id: dict[str, list[Span]] | None = None

    def add(self, spans: list[Span], token: Token, weight: int) -> None:
        self.parts.append((spans, token, weight))
        self.spans += len(spans)
        self.size += len(spans) * weight
        self._by_id = None

    def has(self, span: Span) -> bool:
        if self._by_id is None:
            self._by_id = {}
            for spans, _, _ in self.parts:
                for one in spans:
                    alike = self._by_id.setdefault(one.span_id, [])
                    if len(alike) < _MOST_ALIKE:
                        alike.append(one)
        return span in self._by_id.get(span.span_id, ())


@dataclass(slots=True)
class _Extent:
    """First and last offset of a trace, and when its last span came."""

    first: int
    last: int = 0
    touched_at: float = 0.0


class Lane(Generic[Token]):
    """Assembles what one partition holds. `done_to`: everything before this offset was scored before."""

    def __init__(
        self,
        bounds: Bounds,
        done_to: int = 0,
        on_token: Callable[[Token], None] = lambda token: None,
    ) -> None:
        self.now = 0.0
        self.assembler: Assembler[Token] = Assembler(lambda: self.now, bounds, on_token)
        self._done_to = done_to
        self._wall: float | None = None
        self._extents: dict[str, _Extent] = {}
        self._keep_s = bounds.quiet_s + bounds.grace_s
        self._memory: OrderedDict[str, _Remembered[Token]] = OrderedDict()  # the one touched last stands last
        self._memory_spans = self._memory_size = 0
        self._again: set[str] = set()

    @property
    def spans(self) -> int:
        """Spans held, waiting or remembered."""
        return self.assembler.spans + self._memory_spans

    @property
    def size(self) -> int:
        """Bytes that they take, about."""
        return self.assembler.size + self._memory_size

    @property
    def waited_s(self) -> float:
        """How long the trace that began first has been waiting."""
        began = self.assembler.oldest
        return 0.0 if began is None else self.now - began

    def tick(self, wall: float, *, drained: bool) -> None:
        """Time passes. `drained`: everything that the broker had was read. Call it before feeding."""
        if drained and self._wall is not None:
            self.now += max(0.0, wall - self._wall)
        self._wall = wall if drained else None

    def hear(self, stamp: float) -> None:
        """A message of that time (seconds) arrived."""
        self.now = max(self.now, stamp)

    def is_context(self, offset: int) -> bool:
        """Whether this message was done before, and is read again for the sake of what came after it."""
        return offset < self._done_to

    def recall(self, offset: int, spans: Sequence[Span], token: Token, weight: int) -> None:
        """Take spans of a message that was done before."""
        for trace_id, part in _by_trace(spans).items():
            held = self._forget(trace_id) or _Remembered(offset, recalled=True)
            held.add(part, token, weight)
            self._remember(trace_id, held)

    def keep(self, held: Gathered[Token], token: Token, *, scored: bool) -> None:
        """Remember a trace that was handed over, as having come on `token`, in case that more comes of it."""
        if not held.spans:
            return
        extent = self._extents.get(held.trace_id)
        if extent is not None:
            extent.touched_at = self.now  # so that whoever resumes knows it as long as we do
        kept: _Remembered[Token] = _Remembered(extent.first if extent else 0, scored=scored)
        kept.add(held.spans, token, held.size // len(held.spans))
        self._remember(held.trace_id, kept)

    def feed(self, offset: int, spans: Sequence[Span], token: Token, weight: int) -> list[Gathered[Token]]:
        """Take the spans of one message. Comes back with what had to go to keep the bounds.

        Doubles of spans that were handed over a moment ago are passed over: they open nothing again.
        """
        closed: list[Gathered[Token]] = []
        new = [span for span in spans if not self._is_double(span)] if self._memory else spans
        for trace_id in {span.trace_id: None for span in spans}:
            remembered = self._memory.get(trace_id) if self._memory else None
            extent = self._extents.setdefault(trace_id, _Extent(remembered.first if remembered else offset))
            extent.last, extent.touched_at = offset, self.now
        for trace_id in {span.trace_id: None for span in new} if self._memory else ():
            closed += self._open_again(trace_id)
        closed += self.assembler.feed(new, token, weight)
        return closed

    def is_again(self, trace_id: str) -> bool:
        """Whether a trace that is handed over now was so before. To be asked once each time."""
        if trace_id in self._again:
            self._again.remove(trace_id)
            return True
        return False

    def push_out(self) -> Gathered[Token] | None:
        """Give something up: what is remembered longest, else the trace that has been quiet longest."""
        if not self._memory:
            return self.assembler.push_out()
        trace_id = next(iter(self._memory))
        self._let_go(trace_id, is_over=False)
        return None

    def due(self) -> list[Gathered[Token]]:
        """The traces that are complete by now, or have waited long enough."""
        while self._memory:
            trace_id, held = next(iter(self._memory.items()))
            if self.now - held.touched_at < self._keep_s:
                break
            self._let_go(trace_id, is_over=True)
        return self.assembler.due()

    def resume_from(self, done_to: int) -> int:
        """Where to read from after a restart, once everything before `done_to` is committed.

        From the first span of every trace that goes on behind it; and of those that ended a moment ago, so
        that spans which come late are known for it then, too.
        """
        old = self.now - self._keep_s
        gone = [key for key, held in self._extents.items() if held.last < done_to and held.touched_at <= old]
        for trace_id in gone:
            del self._extents[trace_id]
        firsts = [held.first for held in self._extents.values()]
        firsts += [held.first for held in self._memory.values() if held.recalled]
        return min([done_to, *firsts])

    def _open_again(self, trace_id: str) -> list[Gathered[Token]]:
        """A trace that is remembered goes on, with all the spans that it had."""
        closed: list[Gathered[Token]] = []
        held = self._forget(trace_id)
        if held is not None:
            self.assembler.forget(trace_id)
            for part in held.parts:
                closed += self.assembler.feed(*part)
            if held.scored:
                self._again.add(trace_id)
        return closed

    def _is_double(self, span: Span) -> bool:
        held = self._memory.get(span.trace_id)
        return held is not None and held.has(span)

    def _remember(self, trace_id: str, held: _Remembered[Token]) -> None:
        self._forget(trace_id)
        held.touched_at = self.now
        self._memory[trace_id] = held
        self._memory_spans += held.spans
        self._memory_size += held.size

    def _forget(self, trace_id: str) -> _Remembered[Token] | None:
        held = self._memory.pop(trace_id, None)
        if held is not None:
            self._memory_spans -= held.spans
            self._memory_size -= held.size
        return held

    def _let_go(self, trace_id: str, *, is_over: bool) -> None:
        """Of a trace that was scored nothing more is expected: what comes of it now is late.

        So it is with one that was read again and has been quiet for so long (`is_over`).
        """
        held = self._forget(trace_id)
        if held is not None and (held.scored or (held.recalled and is_over)):
            self.assembler.remember(trace_id)
        else:
            self.assembler.forget(trace_id)


def _by_trace(spans: Sequence[Span]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for span in spans:
        found.setdefault(span.trace_id, []).append(span)
    return found


__all__ = ["Lane"]
