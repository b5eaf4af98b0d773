"""The worker: every trace is decoded, scored, triaged, perhaps sampled for the judges, and published."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from schemas.scored import Judged, Scorer
from stream import logs, process, topics
from stream.dead import letters
from stream.endpoint import Endpoint, Health
from stream.kafka.config import Message
from stream.kafka.ledger import Ledger, Slot
from stream.kafka.producer import Output
from stream.kafka.source import Source
from stream.pipeline import judge_batch
from stream.runner import Runner
from stream.sampling import Other
from stream.scorers import open_registry
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.cuts import cut_judge, cut_scored
from stream.worker.intake import Found, Intake
from stream.worker.lineup import Lineups, following
from stream.worker.publish import Publisher
from stream.worker.second_look import ENCODER, SecondLook, Tier, open_tier
from stream.worker.shadow import SHADOW, Shadow

GROUP: Final = "worker"
_PART_BYTES: Final = 32 * 1024 * 1024
_HOPELESS: Final = 100

ASSIGNED: Final = "partitions"
SCORER: Final = "scorer"


class ScorerBroken(RuntimeError):
    """The scorer fails on everything. That is no fault of the traces, so no more are given up for it."""


class Worker:
    """What happens to one batch of messages."""

    def __init__(
        self,
        lineups: Lineups,
        ledger: Ledger,
        intake: Intake,
        publisher: Publisher,
        shadow: Shadow,
        second_look: SecondLook | None,
        metrics: WorkerMetrics,
    ) -> None:
        self._lineups = lineups
        self._ledger = ledger
        self._intake = intake
        self._publisher = publisher
        self._shadow = shadow
        self._second_look = second_look
        self._metrics = metrics
        self._failed_in_a_row = 0

    def work(self, messages: list[Message]) -> None:
        """Do one batch. Raises ScorerBroken or DeliveryFailed; then nothing of it is committed."""
        for part in by_size(messages, _PART_BYTES):
            lineup = self._lineups.current
            slots = self._open(part)
            with self._timed("decode", len(part)):
                found = self._intake.read(slots, part)
            if found:
                with self._timed("score", len(found)):
                    judged = judge_batch([item.trace for item in found], lineup.serving)
                others = self._ask_others(found, judged, lineup.candidate)
                with self._timed("produce", len(found)):
                    scored = self._publisher.publish(found, judged, others)
                self._notice_failures(len(found), len(scored))
            for slot in slots:
                self._ledger.settle(slot)

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


def run_worker(settings: Settings, stop: threading.Event | None = None) -> int:
    """Run until SIGTERM, SIGINT or `stop`; returns the exit code. A broker that is away is waited for."""
    return process.run("worker", settings, stop, _run)


def _run(settings: Settings, stop: threading.Event) -> None:
    metrics = WorkerMetrics()
    health = Health(SCORER, ASSIGNED)
    with Endpoint(settings.telemetry, metrics.registry, health):
        lineups = Lineups(open_registry(settings.scorer), metrics)
        tier = open_tier(settings.encoder)
        process.keep_what_is_loaded()
        health.got(SCORER)
        serving = lineups.current.serving.version
        encoder = tier.version if tier else None
        logs.get().info("worker starts", scorer=serving, encoder=encoder, brokers=settings.kafka.brokers)
        if process.wait_for_topics(settings.kafka, _ours(settings), stop, health):
            with following(lineups, settings.scorer.poll_s):
                compose(settings, lineups, metrics, health, tier).run(stop)


def _ours(settings: Settings) -> list[str]:
    """The topics to create where they are missing. Those that others fill are theirs to create."""
    reads_traces = settings.kafka.topic(topics.TRACES) in {source.name for source in settings.kafka.sources}
    return [topics.SCORED, topics.JUDGE, topics.DEAD, *([topics.TRACES] if reads_traces else [])]


def compose(
    settings: Settings,
    lineups: Lineups,
    metrics: WorkerMetrics,
    health: Health,
    tier: Tier | None = None,
) -> Runner:
    """Source, intake, scorers, publisher and output, put together: this function is the worker's plan."""
    name = settings.kafka.topic
    source = Source(
        settings.kafka,
        GROUP,
        [topic.name for topic in settings.kafka.sources],
        metrics,
        drain=lambda partitions, budget_s: output.flush(
            budget_s, until=lambda: source.ledger.idle(partitions)
        ),
        revoke_budget_s=settings.worker.revoke_budget_s,
        on_assigned=lambda: health.got(ASSIGNED),
    )
    output = Output(
        settings.kafka,
        settle=source.ledger.settle,
        metrics=metrics,
        cuts={name(topics.SCORED): cut_scored, name(topics.JUDGE): cut_judge, name(topics.DEAD): letters.cut},
    )
    intake = Intake(settings, output, metrics)
    publisher = Publisher(settings, output, intake, metrics)
    shadow = Shadow(settings, output, metrics, lineups.set_aside)
    second_look = SecondLook(tier, settings, output, metrics) if tier else None
    worker = Worker(lineups, source.ledger, intake, publisher, shadow, second_look, metrics)
    return Runner(source, output, worker.work, settings.worker, metrics, health)


__all__ = ["ScorerBroken", "Worker", "by_size", "compose", "run_worker"]
