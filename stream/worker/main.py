"""The worker: every trace is decoded, scored, triaged, perhaps sampled for the judges, and published."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from judges.distilled import is_compiled
from stream import logs, process, topics
from stream.dead import letters
from stream.endpoint import Endpoint, Health
from stream.kafka.admin import ensure_topics, partition_counts
from stream.kafka.bookmarks import Bookmarks
from stream.kafka.ledger import Ledger
from stream.kafka.producer import Output
from stream.kafka.source import Source
from stream.runner import Runner
from stream.scorers import open_registry
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker import rewinding
from stream.worker.aside import Aside
from stream.worker.assembling import Assembly
from stream.worker.cuts import cut_judge, cut_scored
from stream.worker.encodings import OWN
from stream.worker.intake import Intake
from stream.worker.lineup import Lineups, following
from stream.worker.publish import Publisher
from stream.worker.regrouping import Partitions, Regrouper, cut_spans
from stream.worker.rewinding import Rewinder
from stream.worker.second_look import SecondLook, Tier, open_tier
from stream.worker.shadow import Shadow
from stream.worker.work import ScorerBroken, Worker, by_size

GROUP: Final = "worker"

ASSIGNED: Final = "partitions"
SCORER: Final = "scorer"


def run_worker(settings: Settings, stop: threading.Event | None = None) -> int:
    """Run until SIGTERM, SIGINT or `stop`; returns the exit code. A broker that is away is waited for."""
    return process.run("worker", settings, stop, _run)


def _run(settings: Settings, stop: threading.Event) -> None:
    metrics = WorkerMetrics()
    health = Health(SCORER, ASSIGNED)
    with Endpoint(settings.telemetry, metrics.registry, health):
        if not is_compiled():
            logs.get().info("the scorer is compiled for this machine, once: this takes a minute or two")
        lineups = Lineups(open_registry(settings.scorer), metrics)
        tier = open_tier(settings.encoder)
        process.keep_what_is_loaded()
        health.got(SCORER)
        serving = lineups.current.serving.version
        encoder = tier.version if tier else None
        logs.get().info("worker starts", scorer=serving, encoder=encoder, brokers=settings.kafka.brokers)
        if process.wait_for_topics(settings.kafka, _ours(settings), stop, health):
            with following(lineups, settings.scorer.poll_s):
                existing = list(partition_counts(settings.kafka))
                compose(settings, lineups, metrics, health, tier, existing).run(stop)


def _ours(settings: Settings) -> list[str]:
    """The topics to create where they are missing. Those that others fill are theirs to create."""
    reads_traces = settings.kafka.topic(topics.TRACES) in {source.name for source in settings.kafka.sources}
    wanted = [topics.SCORED, topics.JUDGE, topics.DEAD, *([topics.TRACES] if reads_traces else [])]
    return [*wanted, *([topics.SPANS] if settings.kafka.regroups else [])]


def compose(
    settings: Settings,
    lineups: Lineups,
    metrics: WorkerMetrics,
    health: Health,
    tier: Tier | None = None,
    existing: Sequence[str] = (),
) -> Runner:
    """Source, intake, scorers, publisher and output, put together: this function is the worker's plan.

    `existing`: the topics that the broker has, so far as that is known.
    """
    name = settings.kafka.topic
    ledger = Ledger()
    output = Output(
        settings.kafka,
        settle=ledger.settle,
        metrics=metrics,
        cuts={
            name(topics.SCORED): cut_scored,
            name(topics.JUDGE): cut_judge,
            name(topics.DEAD): letters.cut,
            name(topics.SPANS): cut_spans,
        },
    )
    partitions = Partitions(settings.kafka)
    aside = Aside(settings, output, metrics)
    assembly = Assembly(settings, ledger, aside, metrics)

    def on_assigned() -> None:
        health.got(ASSIGNED)
        partitions.forget()

    source = Source(
        settings.kafka,
        GROUP,
        _read(settings, existing),
        metrics,
        drain=lambda partitions, budget_s: output.flush(budget_s, until=lambda: ledger.idle(partitions)),
        revoke_budget_s=settings.worker.revoke_budget_s,
        on_assigned=on_assigned,
        memory=_memory(settings, assembly),
        ledger=ledger,
    )
    regrouper = Regrouper(settings, output, metrics, partitions, lambda: _read_spans_too(settings, source))
    intake = Intake(settings, aside, assembly, regrouper, metrics)
    publisher = Publisher(settings, output, intake, metrics)
    shadow = Shadow(settings, output, metrics, lineups.set_aside)
    second_look = SecondLook(tier, settings, output, metrics) if tier else None
    worker = Worker(
        lineups,
        ledger,
        assembly,
        intake,
        publisher,
        shadow,
        second_look,
        metrics,
        settings.worker,
        source.caught_up,
    )
    return Runner(source, output, worker.work, settings.worker, metrics, health)


def _read(settings: Settings, existing: Sequence[str]) -> list[str]:
    """The topics that are read: the sources, and our own topic of spans where it is, or will be, needed."""
    sources = [source.name for source in settings.kafka.sources]
    spans = settings.kafka.topic(topics.SPANS)
    return [*sources, spans] if settings.kafka.regroups or spans in existing else sources


def _read_spans_too(settings: Settings, source: Source) -> None:
    """Spans turned up where none were expected: from now on, our own topic of spans is read as well."""
    spans = settings.kafka.topic(topics.SPANS)
    if not source.reads(spans):
        ensure_topics(settings.kafka, [spans])
        source.read_also(spans)
        logs.get().info("spans found: reading the topic that brings those of a trace together", topic=spans)


def _memory(settings: Settings, assembly: Assembly) -> Rewinder | None:
    """Nothing is to be remembered where all topics hold whole traces."""
    if all(source.format == OWN for source in settings.kafka.sources):
        return None
    return Rewinder(assembly, Bookmarks(settings.kafka, rewinding.GROUP))


__all__ = ["ScorerBroken", "Worker", "by_size", "compose", "run_worker"]
