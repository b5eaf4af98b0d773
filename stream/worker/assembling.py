"""Spans in, traces out: one lane for each partition, and the offsets that wait for what is in it.

A message stays open in the ledger while a span of it waits, so its offset is not committed. When a trace
is handed over it stands on all messages that its spans came in, and each of them is settled when what was
said of the trace is delivered. Stopping hands nothing over: what waits is read again by whoever comes next,
and is scored whole instead of half.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from schemas.formats.assembly import NotRag
from schemas.formats.assembly.marks import INCOMPLETE_KEY
from schemas.formats.base import Unreadable
from schemas.formats.span import Span
from schemas.row import Provenance
from schemas.trace import LateFeedback, Trace
from stream import logs
from stream.assembly.assembler import SPAN_BYTES, Bounds, Gathered
from stream.assembly.finish import finish
from stream.assembly.lane import Lane
from stream.kafka.config import Message
from stream.kafka.ledger import Joint, Ledger, Partition, Slot
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.aside import Aside
from stream.worker.found import Found

_BYTES_A_BYTE: Final = 4
"""What a byte of a message takes in memory once its spans are read, with the message itself, about."""
_SAY_AGAIN_S: Final = 60.0


@dataclass(slots=True, eq=False)
class Part:
    """A message that spans came in. `slot` is null where it was done before, and read again."""

    slot: Slot | None
    message: Message
    provenance: Provenance


class Assembly:
    """All lanes of this worker. Everything runs on the thread that owns the consumer."""

    def __init__(
        self,
        settings: Settings,
        ledger: Ledger,
        aside: Aside,
        metrics: WorkerMetrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        chosen = settings.assembly
        self._bounds = Bounds(
            grace_s=chosen.grace_s,
            quiet_s=chosen.quiet_s,
            age_s=chosen.longest_s,
            spans=chosen.max_spans,
            size=chosen.max_bytes,
            spans_a_trace=chosen.spans_a_trace,
            remembered=chosen.remembered,
        )
        self._segments = settings.segments.mapping()
        self._ledger = ledger
        self._aside = aside
        self._metrics = metrics
        self._clock = clock
        self._lanes: dict[Partition, Lane[Part]] = {}
        self._pushed_out: list[tuple[Lane[Part], Gathered[Part]]] = []
        self._said_late = -_SAY_AGAIN_S
        self.on_first_spans: Callable[[Partition, int], None] = lambda at, offset: None
        """Told of the first spans of a partition, and of their offset."""

    @property
    def idle(self) -> bool:
        """Whether there are no spans to think of."""
        return not self._lanes

    def begin(self, resumed: Mapping[Partition, int]) -> None:
        """These partitions are read again from before their committed offset, which is given."""
        for at, done_to in resumed.items():
            self._lanes[at] = Lane(self._bounds, done_to, self._hold)

    def end(self, partitions: Iterable[Partition]) -> None:
        """These partitions are another's now: it reads again what waits of them."""
        for at in partitions:
            self._lanes.pop(at, None)

    def is_context(self, at: Partition, offset: int) -> bool:
        """Whether a message was done before, and is read again for the traces that went on."""
        lane = self._lanes.get(at)
        return lane is not None and lane.is_context(offset)

    def tick(self, *, drained: bool, caught_up: Callable[[Partition], bool]) -> None:
        """A turn of the loop begins. `drained`: there was nothing more to read, of any partition."""
        now = self._clock()
        for at, lane in self._lanes.items():
            lane.tick(now, drained=drained or caught_up(at))

    def feed(self, at: Partition, offset: int, stamp: float, part: Part, spans: list[Span]) -> None:
        """Take the spans of a message, whose time by the broker's clock is `stamp` (seconds)."""
        lane = self._lanes.get(at)
        if lane is None:
            lane = self._lanes[at] = Lane(self._bounds, on_token=self._hold)
            self.on_first_spans(at, offset)
        lane.hear(stamp)
        weight = SPAN_BYTES + _BYTES_A_BYTE * len(part.message) // len(spans)
        if part.slot is None:
            lane.recall(offset, spans, part, weight)
            return
        self._pushed_out += [(lane, held) for held in lane.feed(offset, spans, part, weight)]
        self._keep_bounds()

    def _hold(self, part: Part) -> None:
        """A trace waits on this message."""
        if part.slot is not None:
            self._ledger.hold(part.slot)

    def due(self) -> list[Found]:
        """The traces that are complete by now. What is no trace has left by itself."""
        ready, self._pushed_out = self._pushed_out, []
        for lane in self._lanes.values():
            ready += [(lane, held) for held in lane.due()]
        found = [item for lane, held in ready for item in self._hand_over(lane, held)]
        if self._lanes:
            self._report()
        return found

    def resume_from(self, done: Mapping[Partition, int]) -> dict[Partition, int]:
        """For offsets that are committed now, from where their partitions would have to be read again."""
        return {at: self._lanes[at].resume_from(offset) for at, offset in done.items() if at in self._lanes}

    def _keep_bounds(self) -> None:
        """Over all lanes: the one that holds most gives up the trace that has been quiet longest."""
        bounds = self._bounds
        lanes = self._lanes.values()
        while sum(one.spans for one in lanes) > bounds.spans or sum(one.size for one in lanes) > bounds.size:
            fullest = max(lanes, key=lambda one: one.size)
            pushed = fullest.push_out()
            if pushed is not None:
                self._pushed_out.append((fullest, pushed))

    def _hand_over(self, lane: Lane[Part], held: Gathered[Part]) -> Iterator[Found]:
        parts = held.tokens
        slots = [part.slot for part in parts if part.slot is not None]
        joint = self._ledger.gather(slots)
        made = finish(held, self._segments)
        is_again = lane.is_again(held.trace_id)
        self._count(held, made, is_again)
        if not held.late and not isinstance(made, Unreadable):
            kept = Part(None, parts[0].message, parts[0].provenance)
            lane.keep(held, kept, scored=isinstance(made, Trace))
        item = self._late(held, made) if held.late else made
        match item:
            case Trace():
                first, *others = [part.message for part in parts]
                yield Found(joint, first, parts[0].provenance, item, tuple(others))
                return
            case (LateFeedback() as said) | NotRag(late=LateFeedback() as said):
                self._aside.send_feedback(joint, parts[0].message, said, parts[0].provenance)
            case Unreadable():
                self._bury(joint, parts, item)
        self._ledger.settle(joint)

    def _bury(self, joint: Joint, parts: list[Part], why: Unreadable) -> None:
        for part in parts:
            self._aside.bury(joint, part.message, why.reason, why.detail)

    def _late(self, held: Gathered[Part], item: object) -> LateFeedback | None:
        """What comes when the rest is forgotten would replace the whole by a part: only opinions count."""
        if isinstance(item, LateFeedback):
            return item
        if isinstance(item, NotRag) and item.late is not None:
            return item.late
        if isinstance(item, Trace) and item.feedback is not None:
            return LateFeedback(trace_id=item.trace_id, timestamp=item.timestamp, feedback=item.feedback)
        self._metrics.late_spans.inc(len(held.spans) + held.left_out)
        if self._clock() - self._said_late >= _SAY_AGAIN_S:
            self._said_late = self._clock()
            logs.get().warning(
                "spans came long after their trace was scored, and are left out: raise "
                "RAGPULSE_ASSEMBLY__QUIET_S above what services and Collectors keep spans back",
                trace_id=held.trace_id, spans=len(held.spans),
            )  # fmt: skip
        return None

    def _count(self, held: Gathered[Part], item: object, is_again: bool) -> None:
        if held.left_out:
            self._metrics.spans_left_out.inc(held.left_out)
        if isinstance(item, NotRag) and not held.late:
            self._metrics.not_rag.labels(item.reason).inc()
        elif isinstance(item, Trace) and not held.late:
            self._metrics.assembled.labels(held.why.value).inc()
            if is_again:
                self._metrics.scored_again.inc()
            reason = (item.extra or {}).get(INCOMPLETE_KEY)
            if reason:
                self._metrics.incomplete.labels(str(reason)).inc()

    def _report(self) -> None:
        lanes = self._lanes.values()
        self._metrics.spans_waiting.set(sum(lane.assembler.spans for lane in lanes))
        self._metrics.span_bytes.set(sum(lane.size for lane in lanes))
        self._metrics.traces_open.set(sum(len(lane.assembler) for lane in lanes))
        self._metrics.messages_waiting.set(self._ledger.waiting)
        self._metrics.longest_wait.set(max(lane.waited_s for lane in lanes))


__all__ = ["Assembly", "Part"]
