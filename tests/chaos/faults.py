"""What goes wrong. A fault is a generator: it does harm, yields how long to wait, and ends healed.

Faults are advanced by one thread in turns (`rounds.strike`), so that several go on at once. What a fault
must not leave behind, `World.heal` removes in any case.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.chaos.world import KINDS, World, clock_library
from tests.support.kafka import ApacheKafka
from tests.support.stand_in_behaviours import broken

Steps = Iterator[float]
Strike = Callable[[World, random.Random], Steps]
_BALLAST = "ballast"
_CLOCK_REFUSED: Final = re.compile("refused a message for good: .*clock")


@dataclass(frozen=True, slots=True)
class Fault:
    """A way of failing. `needs` says why it cannot be tried in this world, or null."""

    name: str
    strike: Strike
    needs: Callable[[World], str | None] = lambda world: None


def killing(kind: str) -> Strike:
    """SIGKILL of one process of a kind, once or more often; it is started again after a moment."""

    def strike(world: World, chance: random.Random) -> Steps:
        for _ in range(chance.randint(1, 3)):
            yield chance.uniform(0.1, 2.0)
            victim = chance.choice(world.wanted(kind))
            victim.kill()
            yield chance.uniform(0.0, 1.5)
            victim.start()

    return strike


def freezing(kind: str) -> Strike:
    """SIGSTOP, perhaps for longer than a session lasts: it comes back believing that it still owns things."""

    def strike(world: World, chance: random.Random) -> Steps:
        yield chance.uniform(0.1, 1.5)
        victim = chance.choice(world.wanted(kind))
        victim.freeze()
        yield chance.uniform(1.0, 6.0)
        victim.thaw()

    return strike


def break_judge_endpoint(world: World, chance: random.Random) -> Steps:
    """The model's server answers with errors for a while."""
    well = world.llm.behave
    world.llm.behave = lambda body, number: broken(503)
    yield chance.uniform(1.0, 4.0)
    world.llm.behave = well


def kill_broker(world: World, chance: random.Random) -> Steps:
    """SIGKILL of Apache Kafka, and a start on the same folder."""
    yield chance.uniform(0.2, 2.0)
    assert isinstance(world.broker, ApacheKafka)
    world.broker.kill()
    world.broker_wire.unplug()
    yield chance.uniform(0.0, 2.0)
    world.broker_wire.plug_in()
    world.broker.start()


def part_from_broker(world: World, chance: random.Random) -> Steps:
    """A network that is gone between everybody and the broker; then it is back, or connections are reset."""
    yield chance.uniform(0.2, 1.5)
    world.broker_wire.hold()
    yield chance.uniform(1.0, 7.0)
    if chance.random() < 0.5:
        world.broker_wire.cut()
    world.broker_wire.let_go()


def parting(kind: str) -> Strike:
    """One process alone behind a cable that carries nothing, perhaps for longer than a session lasts."""

    def strike(world: World, chance: random.Random) -> Steps:
        assert world.network is not None
        for _ in range(chance.randint(1, 2)):
            yield chance.uniform(0.1, 1.5)
            victim = chance.choice(world.wanted(kind))
            world.network.pull_out(victim.name)
            yield chance.uniform(1.0, 7.0)
            world.network.plug_in(victim.name)

    return strike


def cut_broker(world: World, chance: random.Random) -> Steps:
    """All connections to the broker reset, again and again."""
    for _ in range(chance.randint(2, 6)):
        yield chance.uniform(0.1, 0.8)
        world.broker_wire.cut()


def slow_broker(world: World, chance: random.Random) -> Steps:
    """Each piece sent to or from the broker takes longer."""
    world.broker_wire.slow_down(chance.uniform(0.05, 0.4))
    yield chance.uniform(1.0, 4.0)
    world.broker_wire.slow_down(0.0)


def kill_engine(world: World, chance: random.Random) -> Steps:
    """SIGKILL of the engine amid its inserts, and a start on the same folder."""
    yield chance.uniform(0.2, 2.5)
    world.engine.kill()
    yield chance.uniform(0.0, 3.0)
    world.engine.start()


def refuse_inserts(world: World, chance: random.Random) -> Steps:
    """The engine's port is closed for a while."""
    yield chance.uniform(0.1, 1.5)
    world.engine_wire.unplug()
    yield chance.uniform(1.0, 6.0)
    world.engine_wire.plug_in()


def slow_engine(world: World, chance: random.Random) -> Steps:
    """Answers of the engine come late, some of them after the client has given up."""
    world.engine_wire.slow_down(chance.uniform(0.3, 3.0))
    yield chance.uniform(2.0, 7.0)
    world.engine_wire.slow_down(0.0)


def lose_answers(world: World, chance: random.Random) -> Steps:
    """Inserts reach the engine, and the connection breaks before its answer is back."""
    for _ in range(chance.randint(3, 10)):
        yield chance.uniform(0.05, 0.5)
        world.engine_wire.cut()


def part_from_engine(world: World, chance: random.Random) -> Steps:
    """A network that is gone between everybody and the engine."""
    yield chance.uniform(0.1, 1.5)
    world.engine_wire.hold()
    yield chance.uniform(1.0, 8.0)
    world.engine_wire.let_go()


def fill_disk(world: World, chance: random.Random) -> Steps:
    """No space left on the disk of the engine, for a while."""
    assert world.small_disk is not None
    yield chance.uniform(0.0, 1.0)
    _fill(world.small_disk / _BALLAST)
    yield chance.uniform(2.0, 5.0)
    (world.small_disk / _BALLAST).unlink()


def shift_clocks(world: World, chance: random.Random) -> Steps:
    """A process is started anew with a clock that is hours or days off, forwards or backwards."""
    victim = chance.choice(world.wanted(chance.choice(KINDS)))
    victim.kill()
    shift_h = chance.choice([-30, -2, -1, 1, 2, 30])
    victim.start(LD_PRELOAD=str(clock_library()), FAKETIME=f"{shift_h:+d}h", FAKETIME_DONT_FAKE_MONOTONIC="1")
    yield chance.uniform(4.0, 8.0)
    victim.look()
    if _CLOCK_REFUSED.search(
        victim.log.read_text(errors="replace")
    ):  # Kafka takes nothing from so far ahead,
        victim.forgive(3)  # and the process ends and says so
    victim.kill()
    victim.start()


def rebalance(world: World, chance: random.Random) -> Steps:
    """Workers come and go, one to four of them, politely or not."""
    names = [f"worker-{n}" for n in range(4)]
    for _ in range(chance.randint(3, 7)):
        member = world.members[chance.choice(names)]
        running = world.of("worker")
        if member not in running:
            member.start()
        elif len(running) > 1:
            if chance.random() < 0.5:
                member.stop()
            else:
                member.kill()
        yield chance.uniform(0.5, 2.5)


def stop_everything(world: World, chance: random.Random) -> Steps:
    """SIGTERM to all of ours, politely, in any order; then they are started again."""
    yield chance.uniform(0.3, 1.5)
    members = [member for kind in KINDS for member in world.of(kind)]
    chance.shuffle(members)
    for member in members:
        member.stop()
    yield chance.uniform(0.0, 1.0)
    world.run_all()


def _fill(path: Path) -> None:
    with suppress(OSError), path.open("wb", buffering=0) as ballast:
        while True:
            ballast.write(os.urandom(64 * 1024))


def _apache(world: World) -> str | None:
    return None if world.apache else "the embedded broker keeps nothing on disk"


def _many_members(world: World) -> str | None:
    return None if world.apache else "groups of the embedded broker do not survive members that come and go"


def _cables(world: World) -> str | None:
    return None if world.network else "namespaces cannot be made here (they need unshare, nsenter and ip)"


def _worker_cables(world: World) -> str | None:
    return _cables(world) or _many_members(world)


def _clocks(world: World) -> str | None:
    return None if clock_library() else "libfaketime is not installed (Debian: faketime)"


def _disk(world: World) -> str | None:
    return None if world.small_disk else "no small disk could be mounted for the engine (this needs root)"


FAULTS: Final = (
    Fault("worker killed", killing("worker"), _many_members),
    Fault("worker frozen", freezing("worker"), _many_members),
    Fault("sink killed", killing("sink")),
    Fault("sink frozen", freezing("sink")),
    Fault("judge killed", killing("judge")),
    Fault("judge frozen", freezing("judge")),
    Fault("worker parted", parting("worker"), _worker_cables),
    Fault("sink parted", parting("sink"), _cables),
    Fault("judge parted", parting("judge"), _cables),
    Fault("judge's server fails", break_judge_endpoint),
    Fault("broker killed", kill_broker, _apache),
    Fault("broker out of reach", part_from_broker),
    Fault("broker connections reset", cut_broker),
    Fault("broker slow", slow_broker),
    Fault("engine killed", kill_engine),
    Fault("engine refuses", refuse_inserts),
    Fault("engine slow", slow_engine),
    Fault("engine answers lost", lose_answers),
    Fault("engine out of reach", part_from_engine),
    Fault("disk full", fill_disk, _disk),
    Fault("clock off", shift_clocks, _clocks),
    Fault("rebalances", rebalance, _many_members),
    Fault("all restarted", stop_everything),
)

__all__ = ["FAULTS", "Fault", "Steps"]
