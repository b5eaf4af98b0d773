"""One round: publish, do harm, let everything heal, and see whether anything is lost, doubled or wrong."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from confluent_kafka import Producer

from stream import topics
from tests.chaos.checking import Outcome, all_accounted, check, check_offsets, look_before
from tests.chaos.faults import Fault
from tests.chaos.traces import Load, make_load
from tests.chaos.world import World, wait_until

SETTLE_S: Final = 120.0
"""How long after everything is healed all must be accounted for."""
_PUBLISH_FOR_S: Final = 2.5
_CONFIRM_S: Final = 60.0


def run_round(
    world: World, number: int, seed: str, faults: Sequence[Fault], traces: int, chance: random.Random
) -> Outcome:
    """One round in this world, which is whole again afterwards, as far as it can be."""
    broker = "Apache Kafka" if world.apache else "embedded"
    outcome = Outcome(number, seed, broker, tuple(fault.name for fault in faults))
    load = make_load(f"r{seed}-{number}", traces)
    outcome.published, outcome.unreadable = len(load.traces), len(load.unreadable)
    before = look_before(world)
    publisher = Publisher(world, load)
    strike(world, faults, chance, publisher)
    world.heal()
    began = time.monotonic()
    publisher.finish()
    check_offsets(world, load, before, outcome)
    if not wait_until(lambda: all_accounted(world, load, before), SETTLE_S, every_s=0.25):
        outcome.wrong.append(f"not all accounted for {SETTLE_S:.0f} s after the end")
    outcome.settled_s = time.monotonic() - began
    check(world, load, before, outcome)
    for name, codes in world.crashes().items():
        outcome.wrong.append(f"{name} ended by itself with exit code {', '.join(map(str, codes))}")
    return outcome


def strike(world: World, faults: Sequence[Fault], chance: random.Random, publisher: Publisher) -> None:
    """Advance all faults in turns while the traffic is published, until the last of them has ended."""
    began = time.monotonic()
    due = [(began, fault.strike(world, chance)) for fault in faults]
    while due or not publisher.done:
        now = time.monotonic()
        publisher.go_on((now - began) / _PUBLISH_FOR_S)
        for entry in [entry for entry in due if entry[0] <= now]:
            due.remove(entry)
            with suppress(StopIteration):
                wait_s = next(entry[1])
                due.append((time.monotonic() + wait_s, entry[1]))
        time.sleep(0.02)


class Publisher:
    """Publishes the messages of a round little by little; what the broker does not take is tried again."""

    def __init__(self, world: World, load: Load) -> None:
        options: dict[str, Any] = {
            "bootstrap.servers": world.broker_wire.address,
            "linger.ms": 5,
            "enable.idempotence": world.apache,
            "message.timeout.ms": 0,
            "log_level": 0,
        }
        self._producer = Producer(options)
        self._topic = world.settings.kafka.topic(topics.TRACES)
        self._left: list[tuple[bytes | None, bytes]] = [(k.encode(), v) for k, v in load.traces.items()]
        every = len(self._left) // len(load.unreadable)
        for at, value in enumerate(load.unreadable):
            self._left.insert(at * every, (None, value))
        self._left.reverse()
        self._all = len(self._left)
        self._confirmed = 0

    @property
    def done(self) -> bool:
        """Whether all was handed to the producer."""
        return not self._left

    def go_on(self, share: float) -> None:
        """Publish until this share of all is out."""
        while self._left and len(self._left) > self._all * (1 - share):
            key, value = self._left.pop()
            self._producer.produce(self._topic, value, key=key, on_delivery=self._confirm)
        self._producer.poll(0)

    def finish(self) -> None:
        """Publish the rest, and wait until the broker has confirmed every message. Raises TimeoutError."""
        self.go_on(1.0)
        self._producer.flush(_CONFIRM_S)
        if self._confirmed != self._all:
            raise TimeoutError(
                f"the broker took {self._confirmed} of {self._all} messages in {_CONFIRM_S:.0f} s"
            )

    def _confirm(self, error: object, _: object) -> None:
        self._confirmed += error is None


__all__ = ["SETTLE_S", "Publisher", "run_round", "strike"]
