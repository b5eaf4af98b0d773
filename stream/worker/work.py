"""What the worker does with one batch: read, score, triage, sample, publish, settle."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from schemas.scored import Judged, Scorer
from stream.kafka.config import Message
from stream.kafka.ledger import Ledger, Partition, Slot
from stream.pipeline import judge_batch
from stream.sampling import Other
from stream.settings import WorkerSettings
from stream.telemetry import WorkerMetrics
from stream.worker.assembling import Assembly
from stream.worker.intake import Found, Intake
from stream.worker.lineup import Lineups
from stream.worker.publish import Publisher
from stream.worker.second_look import ENCODER, SecondLook
from stream.worker.shadow import SHADOW, Shadow

_PART_BYTES: Final = 32 * 1024 * 1024
_HOPELESS: Final = 100


class ScorerBroken(RuntimeError):
    """The scorer fails on everything. That is no fault of the traces, so no more are given up for it."""


class Worker:
    """What happens to one batch of messages."""

    def __init__(
        self,
        lineups: Lineups,
        ledger: Ledger,
        assembly: Assembly,
        intake: Intake,
        publisher: Publisher,
        shadow: Shadow,
        second_look: SecondLook | None,
        metrics: WorkerMetrics,
        settings: WorkerSettings,
        caught_up: Callable[[Partition], bool],
    ) -> None:
        self._lineups = lineups
        self._ledger = ledger
        self._assembly = assembly
        self._batch_size = settings.batch_size
        self._caught_up = caught_up
        self._intake = intake
        self._publisher = publisher
        self._shadow = shadow
        self._second_look = second_look
        self._metrics = metrics
        self._failed_in_a_row = 0

    def work(self, messages: list[Message], drained: bool) -> None:
        """Do one batch. Raises ScorerBroken or DeliveryFailed; then nothing of it is committed.

        `drained`: there is nothing more to read now, so time passes for spans that wait.
        """
        holds_spans = not self._assembly.idle
        if holds_spans:
            self._assembly.tick(drained=drained, caught_up=self._caught_up)
            messages = self._take_context(messages)
        for part in by_size(messages, _PART_BYTES):
            slots = self._open(part)
            with self._timed("decode", len(part)):
                found = self._intake.read(slots, part)
            self._score(found)
            for slot in slots:
                self._ledger.settle(slot)
        if holds_spans or not self._assembly.idle:
            self._score_assembled()

    def _take_context(self, messages: list[Message]) -> list[Message]:
        """Messages that were done before a restart only complete what came after them."""
        new = []
        for message in messages:
            at = (str(message.topic()), int(message.partition() or 0))
            if self._assembly.is_context(at, int(message.offset() or 0)):
                self._intake.recall(message)
            else:
                new.append(message)
        return new

    def _score_assembled(self) -> None:
        with self._timed("assemble", 1):
            found = self._intake.due()
        for begin in range(0, len(found), self._batch_size):
            part = found[begin : begin + self._batch_size]
            self._score(part)
            for item in part:
                self._ledger.settle(item.slot)

    def _score(self, found: list[Found]) -> None:
        if not found:
            return
        lineup = self._lineups.current
        with self._timed("score", len(found)):
            judged = judge_batch([item.trace for item in found], lineup.serving)
        others = self._ask_others(found, judged, lineup.candidate)
        with self._timed("produce", len(found)):
            scored = self._publisher.publish(found, judged, others)
        self._notice_failures(len(found), len(scored))

    def _ask_others(
        self, found: list[Found], judged: list[Judged], candidate: Scorer | None
    ) -> dict[int, list[Other]]:
        """What candidate and encoder say, by position: before the draw, since a dispute raises a rate."""
        others: defaultdict[int, list[Other]] = defaultdict(list)
        if candidate is not None:
            with self._timed(SHADOW, len(found)):
                for at, one in self._shadow.score(found, candidate).items():
                    others[at].append(one)
        if self._second_look is not None:
            with self._timed(ENCODER, len(found)):
                for at, one in self._second_look.judge(found, judged).items():
                    others[at].append(one)
        return others

    def _open(self, messages: list[Message]) -> list[Slot]:
        slots = [
            self._ledger.open((str(m.topic()), int(m.partition() or 0)), int(m.offset() or 0))
            for m in messages
        ]
        volume: Counter[str] = Counter()
        for message in messages:
            volume[str(message.topic())] += len(message)
        for topic, count in Counter(slot.partition[0] for slot in slots).items():
            self._metrics.received.labels(topic).inc(count)
            self._metrics.received_bytes.labels(topic).inc(volume[topic])
        return slots

    def _notice_failures(self, tried: int, scored: int) -> None:
        self._failed_in_a_row = 0 if scored else self._failed_in_a_row + tried
        if self._failed_in_a_row >= _HOPELESS:
            raise ScorerBroken(
                f"the scorer failed on {self._failed_in_a_row} traces in a row and on no other"
            )

    @contextmanager
    def _timed(self, step: str, size: int) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self._metrics.batch_seconds.labels(step).observe(time.perf_counter() - start)
        self._metrics.batch_size.labels(step).observe(size)


def by_size(messages: list[Message], limit: int) -> Iterator[list[Message]]:
    """Parts of a batch of about `limit` bytes at most: what is in memory at once is bounded by bytes."""
    part: list[Message] = []
    size = 0
    for message in messages:
        part.append(message)
        size += len(message)
        if size >= limit:
            yield part
            part, size = [], 0
    if part:
        yield part


__all__ = ["ScorerBroken", "Worker", "by_size"]
