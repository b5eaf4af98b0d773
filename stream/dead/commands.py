"""Dead letters, looked at and sent back: what `ragpulse dead list` and `ragpulse dead replay` do.

A replay sends the original bytes, key and headers to the topic they came from. What was sent back is
noted on a topic of its own after the broker has confirmed it, so that replaying twice sends nothing
twice. Should a replay be killed between the two, the letters of that moment are sent again the next
time: everything downstream takes a trace twice without counting it twice.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Final

import orjson

from stream import topics
from stream.dead import letters
from stream.dead.letters import Letter
from stream.errors import ServiceUnreachable
from stream.kafka.admin import ensure_topics, partition_counts
from stream.kafka.producer import Output
from stream.kafka.reader import read_once
from stream.process import stopped_by_signals
from stream.settings import Settings
from stream.telemetry import StreamMetrics

_BATCH_LETTERS: Final = 500
_BATCH_BYTES: Final = 32 * 1024 * 1024
_CONFIRM_S: Final = 60.0


@dataclass(slots=True, frozen=True)
class Policy:
    """Which dead letters are meant. Nothing given means all of them."""

    reasons: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    """Where they came from."""
    since: datetime | None = None
    """Buried at this time or later."""

    def takes(self, letter: Letter) -> bool:
        """Whether a letter is meant."""
        return (
            (not self.reasons or letter.reason in self.reasons)
            and (not self.topics or letter.topic in self.topics)
            and (self.since is None or letter.written_at >= self.since)
        )


EVERY: Final = Policy()


@dataclass(slots=True)
class Replayed:
    """What a replay did, or would do."""

    sent: Counter[str] = field(default_factory=Counter)
    """Letters sent back, by topic."""
    already: int = 0
    """Left alone: an earlier replay sent them."""
    cut: int = 0
    """Left alone: their bytes are not complete."""
    homeless: int = 0
    """Left alone: their topic is unknown or does not exist."""
    interrupted: bool = False
    """Stopped before the end. What was sent is complete and noted."""


def list_dead(settings: Settings, policy: Policy = EVERY, limit: int | None = None) -> Iterator[Letter]:
    """The dead letters that the policy takes, `limit` at most. Raises ServiceUnreachable."""
    count = 0
    for message in read_once(settings.kafka, settings.kafka.topic(topics.DEAD)):
        letter = letters.read(message)
        if policy.takes(letter):
            yield letter
            count += 1
            if limit is not None and count >= limit:
                return


def replayed_before(settings: Settings) -> set[str]:
    """The identities of the letters that were sent back already. Raises ServiceUnreachable."""
    noted = read_once(settings.kafka, settings.kafka.topic(topics.REPLAYED))
    return {(message.key() or b"").decode() for message in noted}


def replay(
    settings: Settings,
    policy: Policy,
    *,
    dry_run: bool = False,
    again: bool = False,
    limit: int | None = None,
    stop: threading.Event | None = None,
) -> Replayed:
    """Send letters back to where they came from, or (`dry_run`) only say which.

    `again` sends also those that were sent before. Ctrl-C ends it between two batches, with everything
    sent so far confirmed and noted. Raises ServiceUnreachable, DeliveryFailed.
    """
    stop = stop or threading.Event()
    done = Replayed()
    known = partition_counts(settings.kafka)
    before = set() if again else replayed_before(settings)
    chosen = islice(_choose(list_dead(settings, policy), known, before, done), limit)
    with stopped_by_signals(stop):
        post = None if dry_run else _Post(settings)
        for batch in _batches(chosen):
            if post:
                post.send(batch)
            done.sent.update(letter.topic for letter in batch)
            if stop.is_set():
                done.interrupted = True
                break
    return done


def _batches(chosen: Iterator[Letter]) -> Iterator[list[Letter]]:
    batch: list[Letter] = []
    volume = 0
    for letter in chosen:
        batch.append(letter)
        volume += len(letter.value)
        if len(batch) >= _BATCH_LETTERS or volume >= _BATCH_BYTES:
            yield batch
            batch, volume = [], 0
    if batch:
        yield batch


def _choose(
    found: Iterator[Letter], known: dict[str, int], before: set[str], done: Replayed
) -> Iterator[Letter]:
    for letter in found:
        if letter.identity in before:
            done.already += 1
        elif letter.cut:
            done.cut += 1
        elif letter.topic not in known:
            done.homeless += 1
        else:
            yield letter


class _Post:
    """Sends letters, waits for the broker, and only then notes that they were sent."""

    def __init__(self, settings: Settings, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._settings = settings.kafka
        self._noted = settings.kafka.topic(topics.REPLAYED)
        self._now = now
        ensure_topics(settings.kafka, [self._noted])
        self._output = Output(settings.kafka, settle=lambda slot: None, metrics=StreamMetrics())

    def send(self, batch: list[Letter]) -> None:
        for letter in batch:
            self._output.send(
                None, letter.topic, letter.value, letter.key, letter.headers, _milliseconds(letter.timestamp)
            )
        self._confirm()
        for letter in batch:
            note = {"reason": letter.reason, "topic": letter.topic, "replayed_at": self._now().isoformat()}
            self._output.send(None, self._noted, orjson.dumps(note), letter.identity.encode(), [])
        self._confirm()

    def _confirm(self) -> None:
        if not self._output.flush(_CONFIRM_S):
            raise ServiceUnreachable(
                f"The broker at {self._settings.brokers} (RAGPULSE_KAFKA__BROKERS) does not confirm what was "
                "sent: see that it runs and replay again; letters of the last batch may be sent twice."
            )


def _milliseconds(moment: datetime | None) -> int:
    """The original's own time goes with it: a trace without one is filed under that, each time."""
    return round(moment.timestamp() * 1000) if moment else 0


__all__ = ["EVERY", "Letter", "Policy", "Replayed", "list_dead", "replay", "replayed_before"]
