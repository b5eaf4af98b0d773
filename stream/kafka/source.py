"""Messages in, offsets out: one consumer, its partitions and its ledger, owned by one thread.

Nothing is committed but the contiguous prefix of done messages, and nothing is skipped in silence:
the broker's retention overtaking us is found, counted and logged.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from stream import logs
from stream.errors import RagpulseError
from stream.kafka.config import Reporter, consumer_config, is_cooperative, settings_checked
from stream.kafka.ledger import Ledger, Partition
from stream.kafka.memory import Memory
from stream.kafka.starts import Guide
from stream.settings import KafkaSettings
from stream.telemetry import StreamMetrics

_ANSWER_S: Final = 0.05
_GOODBYE_S: Final = 3.0
IDLE_S: Final = 30.0
"""Nothing to read for so long is worth a word."""
_WAITED_FOR: Final = (
    KafkaError._TRANSPORT,
    KafkaError._ALL_BROKERS_DOWN,
    KafkaError._TIMED_OUT,
    KafkaError._MAX_POLL_EXCEEDED,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
)

Drain = Callable[[Sequence[Partition], float], object]
"""Called before partitions are given up: finish their work, within so many seconds."""


class SourceFailed(RagpulseError):
    """The broker will not let us read: it answers, but refuses."""

    exit_code = 3


class Source:
    """The topics of one consumer group, read by this process.

    `drain` is told which partitions are about to go and has `revoke_budget_s` to finish their work.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        group: str,
        topics: Sequence[str],
        metrics: StreamMetrics,
        *,
        drain: Drain,
        revoke_budget_s: float,
        on_assigned: Callable[[], None] = lambda: None,
        memory: Memory | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.ledger = ledger or Ledger()
        self.group = f"{settings.group_prefix}-{group}"
        self._settings = settings
        self._topics = list(topics)
        self._metrics = metrics
        self._drain = drain
        self._revoke_budget_s = revoke_budget_s
        self._on_assigned = on_assigned
        self._memory = memory
        self._starts: dict[Partition, int] = {}
        self._paused = False
        self._closing = False
        self._idle_since = math.inf
        self._log = logs.get(group=self.group)
        self._reporter = Reporter(settings.brokers)
        with settings_checked():
            self._consumer = Consumer({**consumer_config(settings, self.group), "on_commit": self._on_commit})
        self._guide = Guide(self._consumer, metrics, self.group)

    @property
    def partitions(self) -> list[Partition]:
        """What this process owns now."""
        return sorted(self._starts)

    def subscribe(self) -> None:
        """Join the group. Messages come once the group has agreed who reads what."""
        self._consumer.subscribe(
            self._topics, on_assign=self._assign, on_revoke=self._revoke, on_lost=self._lose
        )
        self._idle_since = time.monotonic()

    def reads(self, topic: str) -> bool:
        """Whether this topic is among those that are read."""
        return topic in self._topics

    def read_also(self, topic: str) -> None:
        """One topic more. The group agrees anew who reads what."""
        if topic not in self._topics:
            self._topics.append(topic)
            self.subscribe()

    def take(self, limit: int, wait_s: float) -> list[Message]:
        """Up to `limit` messages within `wait_s` seconds. Call it often: it is also the heartbeat.

        Raises SourceFailed.
        """
        try:
            taken = self._consumer.consume(limit, wait_s)
        except KafkaException as error:
            raise self._refused(error.args[0]) from error
        starts = self._starts
        if not starts:
            self._mention_idleness()
        messages = []
        for message in taken:
            if message.error() is not None:
                self._react(message)
            elif (message.topic(), message.partition()) in starts:
                messages.append(message)
            # else: of a partition that went away within this very call; its new owner reads it
        return messages

    def _mention_idleness(self) -> None:
        """Say once that there is nothing to read: a process that idles looks like one that works."""
        if time.monotonic() - self._idle_since >= IDLE_S:
            self._idle_since = math.inf
            self._log.warning(
                "nothing to read: no partition was given to this process. Either the group has more members "
                "than the topics have partitions (stop some, or add partitions), or there are no such topics",
                topics=self._topics,
                after_s=IDLE_S,
            )

    def commit(self) -> None:
        """Commit the done prefix of each partition, without waiting for the answer."""
        offsets = self.ledger.committable()
        if offsets:
            try:
                self._consumer.commit(offsets=_positions(offsets), asynchronous=True)
            except KafkaException as error:
                self._commit_failed(error.args[0])

    def commit_within(self, budget_s: float) -> bool:
        """Commit the done prefix and wait for the answer; false where none came in time.

        Messages that arrive meanwhile are left alone: nobody commits what is not in the ledger.
        """
        self.commit()
        deadline = time.monotonic() + budget_s
        while self.ledger.committable():
            if time.monotonic() >= deadline:
                return False
            self._consumer.poll(_ANSWER_S)
        return True

    def pause(self) -> None:
        """Fetch nothing more for now. Keep calling `take`."""
        if not self._paused:
            self._paused = True
            self._metrics.pauses.inc()
            self._metrics.paused.set(1)
            self._consumer.pause(_positions(dict.fromkeys(self._starts, 0)))

    def resume(self) -> None:
        """Fetch again."""
        if self._paused:
            self._paused = False
            self._metrics.paused.set(0)
            self._consumer.resume(_positions(dict.fromkeys(self._starts, 0)))

    @property
    def paused(self) -> bool:
        """Whether fetching is paused."""
        return self._paused

    def caught_up(self, at: Partition) -> bool:
        """Whether all that the last fetch knew of a partition is read. Costs no request."""
        marks = self._consumer.get_watermark_offsets(TopicPartition(*at), cached=True)
        wanted = self.ledger.next_offset(at)
        position = self._starts.get(at) if wanted is None else wanted
        return position is not None and bool(marks) and 0 <= marks[1] <= position and not self._paused

    def lag(self) -> dict[Partition, int]:
        """For each owned partition, the messages on the broker whose work is not done.

        From the watermark that came with the last fetch, so it costs no request, and it is exact on
        brokers whose offset listing is not. A partition of which nothing was fetched yet is left out.
        """
        lags = {}
        for at, start in self._starts.items():
            marks = self._consumer.get_watermark_offsets(TopicPartition(*at), cached=True)
            if marks and marks[1] >= 0:
                done = self.ledger.position(at)
                lags[at] = max(0, marks[1] - (start if done is None else done))
        return lags

    def close(self, budget_s: float = _GOODBYE_S) -> None:
        """Leave the group, and commit nothing any more: call `commit_within` before, where all is well.

        While the broker is away there is no goodbye: past the budget the group finds out by itself.
        """
        self._closing = True
        goodbye = threading.Thread(target=self._leave, name="goodbye", daemon=True)
        goodbye.start()
        goodbye.join(budget_s)
        if goodbye.is_alive():
            self._log.warning("left the group without its answer", after_s=budget_s)

    def _leave(self) -> None:
        self._consumer.close()
        if self._memory is not None:
            self._memory.close()

    # What the group tells us. All of it runs inside `take` and `close`, on their thread.

    def _assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        starts = self._guide.find(partitions)
        if starts:
            self._idle_since = math.inf
        done_to = {(p.topic, p.partition): p.offset for p in starts}
        self._starts.update(done_to)
        if self._memory is not None:
            back = self._memory.begin(done_to)
            starts = self._guide.further_back(starts, back) if back else starts
        if is_cooperative(self._settings):
            consumer.incremental_assign(starts)
        else:
            consumer.assign(starts)
        if self._paused and starts:
            consumer.pause(starts)
        self._metrics.rebalances.labels("assigned").inc()
        self._count_assigned()
        self._on_assigned()

    def _revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        ours = _keys(partitions)
        if not self._closing:
            self._drain(ours, self._revoke_budget_s)
            self._commit_before_leaving(ours)
        self._forget(ours, "revoked")

    def _commit_before_leaving(self, partitions: Sequence[Partition]) -> None:
        """Inside a callback there is no polling for an answer, so this one waits for it."""
        offsets = {at: offset for at, offset in self.ledger.committable().items() if at in partitions}
        if not offsets:
            return
        try:
            answers = self._consumer.commit(offsets=_positions(offsets), asynchronous=False)
        except KafkaException as error:
            self._commit_failed(error.args[0])
        else:
            self._on_commit(None, answers or [])

    def _lose(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Others own them already: a commit of ours could undo theirs."""
        self._forget(_keys(partitions), "lost")

    def _forget(self, partitions: list[Partition], event: str) -> None:
        abandoned = self.ledger.drop(partitions)
        if self._memory is not None:
            self._memory.end(partitions)
        for at in partitions:
            self._starts.pop(at, None)
            self._metrics.lag.remove(*map(str, at))
        if not self._starts:
            self._idle_since = time.monotonic()
        self._metrics.rebalances.labels(event).inc()
        self._metrics.abandoned.inc(abandoned)
        self._count_assigned()
        self._log.info("partitions " + event, partitions=_names(partitions), abandoned=abandoned)

    def _count_assigned(self) -> None:
        self._metrics.assigned.set(len(self._starts))

    # What may come instead of a message.

    def _react(self, message: Message) -> None:
        error = message.error()
        assert error is not None
        if error.code() == KafkaError._AUTO_OFFSET_RESET:
            self._find_way_back((str(message.topic()), int(message.partition() or 0)))
        elif error.code() in _WAITED_FOR or error.retriable():
            self._reporter.say("waiting for the broker", error, topic=message.topic())
        else:
            raise self._refused(error)

    def _find_way_back(self, at: Partition) -> None:
        """Our position does not exist: retention deleted it, or the log was cut or created anew."""
        if at not in self._starts:
            return
        wanted = self.ledger.next_offset(at)
        low = self._guide.way_back(at, self._starts[at] if wanted is None else wanted)
        if wanted is not None and low < wanted:
            self._metrics.abandoned.inc(self.ledger.drop([at]))
            if self._memory is not None:
                self._memory.end([at])
        self._starts[at] = low
        self._read_from(TopicPartition(at[0], at[1], low))

    def _read_from(self, start: TopicPartition) -> None:
        """Take a partition up again at an offset. (A seek is refused once its fetching has failed.)"""
        if is_cooperative(self._settings):
            self._consumer.incremental_unassign([start])
            self._consumer.incremental_assign([start])
        else:
            offsets = {at: self.ledger.next_offset(at) or start for at, start in self._starts.items()}
            self._consumer.assign(_positions(offsets))
        if self._paused:
            self._consumer.pause([start])

    # Commits.

    def _on_commit(self, error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        if error is not None:
            self._commit_failed(error)
            return
        good = {(p.topic, p.partition): p.offset for p in partitions if p.error is None}
        for bad in (p for p in partitions if p.error is not None):
            self._commit_failed(bad.error or KafkaError(KafkaError.UNKNOWN))
        self.ledger.committed(good)
        if good and self._memory is not None:
            self._memory.committed(good)
        if good:
            self._metrics.commits.labels("ok").inc()

    def _commit_failed(self, error: KafkaError) -> None:
        """No reason to stop: the offsets are committed with the next ones, or read again by their owner."""
        self._metrics.commits.labels("failed").inc()
        if error.code() != KafkaError._NO_OFFSET:
            self._reporter.say("commit failed, will be tried again", error, group=self.group)

    def _refused(self, error: KafkaError) -> SourceFailed:
        return SourceFailed(
            f"Cannot read {', '.join(self._topics)} at {self._settings.brokers} (RAGPULSE_KAFKA__BROKERS): "
            f"{error.str()}. Check the topics, the security settings and the rights of group {self.group}."
        )


def _positions(offsets: dict[Partition, int]) -> list[TopicPartition]:
    return [TopicPartition(topic, partition, offset) for (topic, partition), offset in offsets.items()]


def _keys(partitions: list[TopicPartition]) -> list[Partition]:
    return [(p.topic, p.partition) for p in partitions]


def _names(partitions: list[Partition]) -> list[str]:
    return [f"{topic}/{partition}" for topic, partition in partitions]


__all__ = ["Drain", "Source", "SourceFailed"]
