"""The spans of one partition on their way to traces: its own time, its own memory, its own place to resume.

Pure. Time in a lane is what the log says: the broker's time of its messages, which goes on by the clock on
the wall only while nothing waits unread. However slowly a backlog is worked off, spans that were published
within a second are a second apart.

A lane also knows from where its partition must be read again after a restart. Offsets are committed up to
the first message that still waits, and behind that point lie spans of traces whose beginning lies before
it. Whoever resumes reads from the beginning of those traces (`resume_from`), and takes what lies before the
committed offset as context: spans that complete a trace which goes on, and make none of their own, for what
was committed was scored.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from schemas.formats.span import Span
from stream.assembly.assembler import Assembler, Bounds, Gathered

Token = TypeVar("Token")


@dataclass(slots=True)
class _Recalled(Generic[Token]):
    """What was read again of one trace: spans, with what they arrived on and what each weighs."""

    first: int
    touched_at: float = 0.0
    parts: list[tuple[list[Span], Token, int]] = field(default_factory=list)


class Lane(Generic[Token]):
    """Assembles what one partition holds. `done_to`: everything before this offset was scored before."""

    def __init__(self, bounds: Bounds, done_to: int = 0) -> None:
        self.now = 0.0
        self.assembler: Assembler[Token] = Assembler(lambda: self.now, bounds)
        self._bounds = bounds
        self._done_to = done_to
        self._wall: float | None = None
        self._extents: dict[str, tuple[int, int]] = {}  # first and last offset of a trace
        self._context: OrderedDict[str, _Recalled[Token]] = OrderedDict()  # the one touched last stands last
        self._context_spans = 0

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
        for trace_id, held in _by_trace(spans).items():
            recalled = self._context.setdefault(trace_id, _Recalled(offset))
            recalled.touched_at = self.now
            recalled.parts.append((held, token, weight))
            self._context.move_to_end(trace_id)
            self._context_spans += len(held)
        while self._context_spans > self._bounds.spans:
            _, oldest = self._context.popitem(last=False)
            self._context_spans -= _count(oldest)

    def feed(self, offset: int, spans: Sequence[Span], token: Token, weight: int) -> list[Gathered[Token]]:
        """Take the spans of one message. Comes back with what had to go to keep the bounds."""
        closed: list[Gathered[Token]] = []
        for trace_id in {span.trace_id: None for span in spans}:
            first = offset
            recalled = self._context.pop(trace_id, None) if self._context else None
            if recalled is not None:
                first = recalled.first
                self._context_spans -= _count(recalled)
                for part in recalled.parts:
                    closed += self.assembler.feed(*part)
            known = self._extents.get(trace_id)
            self._extents[trace_id] = (known[0] if known else first, offset)
        closed += self.assembler.feed(spans, token, weight)
        return closed

    def due(self) -> list[Gathered[Token]]:
        """The traces that are complete by now, or have waited long enough."""
        self._let_context_go()
        return self.assembler.due()

    def resume_from(self, done_to: int) -> int:
        """Where to read from after a restart, once everything before `done_to` is committed."""
        gone = [trace_id for trace_id, (_, last) in self._extents.items() if last < done_to]
        for trace_id in gone:
            del self._extents[trace_id]
        firsts = [first for first, _ in self._extents.values()]
        firsts += [recalled.first for recalled in self._context.values()]
        return min([done_to, *firsts])

    def _let_context_go(self) -> None:
        """A trace that was quiet for so long had ended before the restart: what comes of it now is late."""
        while self._context:
            trace_id, recalled = next(iter(self._context.items()))
            if self.now - recalled.touched_at < self._bounds.quiet_s:
                return
            del self._context[trace_id]
            self._context_spans -= _count(recalled)
            self.assembler.remember(trace_id)


def _by_trace(spans: Sequence[Span]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for span in spans:
        found.setdefault(span.trace_id, []).append(span)
    return found


def _count(recalled: _Recalled[Token]) -> int:
    return sum(len(spans) for spans, _, _ in recalled.parts)


__all__ = ["Lane"]
