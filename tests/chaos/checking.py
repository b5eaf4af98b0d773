"""What must hold of a round when all is healed, read from the engine itself and from the topics."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field

from confluent_kafka import KafkaException

from stream import topics
from tests.chaos.topics import Offsets, ends_of, lags, read_between
from tests.chaos.traces import Load, Rates, expected_rates
from tests.chaos.world import World
from tests.support.kafka import committed

_LOOKS = 10


@dataclass
class Before:
    """Where things stood when the round began."""

    traces: Offsets
    scored: Offsets
    judge_letters: int


@dataclass
class Outcome:
    """What a round showed. Without `wrong` all of it held."""

    number: int
    seed: str
    broker: str
    faults: tuple[str, ...]
    published: int = 0
    unreadable: int = 0
    judged: int = 0
    again: int = 0
    """Rows that were inserted more than once and replaced by the table: what at-least-once costs."""
    offsets_checked: int = 0
    """Committed rows that were held against the table while the sink stood still."""
    settled_s: float = 0.0
    """From the end of all faults until everything was accounted for."""
    wrong: list[str] = field(default_factory=list)


def look_before(world: World) -> Before:
    """Where things stand."""
    return Before(ends_of(world, topics.TRACES), ends_of(world, topics.SCORED), _judge_letters(world))


def all_accounted(world: World, load: Load, before: Before) -> bool:
    """Whether every trace, dead letter and verdict is stored, and every message read is committed."""
    try:
        return (
            _rates(world, load.tenant).traces >= len(load.traces)
            and len(_buried(world, before)) >= len(load.unreadable)
            and _unjudged(world, load.tenant) <= _judge_letters(world) - before.judge_letters
            and not any(lags(world).values())
            and _rolled_up(world, load.tenant)[0] == len(load.traces)
        )
    except (KafkaException, OSError):
        return False


def check(world: World, load: Load, before: Before, outcome: Outcome) -> None:
    """Hold what is stored against what was published, and note what is wrong."""
    _check_traces(world, load, outcome)
    _check_rates(world, load, outcome)
    _check_letters(world, before, outcome)
    _check_verdicts(world, load, before, outcome)
    if behind := {group: lag for group, lag in lags(world).items() if lag}:
        outcome.wrong.append(f"not committed: {behind}")


def check_offsets(world: World, load: Load, before: Before, outcome: Outcome) -> None:
    """Stop the sink amid its work, and see that whatever it committed is stored.

    The offsets are read before the table. An insert that was under way may still end meanwhile: it
    cannot hide a commit that came before it by more than the time of one look.
    """
    sink = world.members["sink-0"]
    sink.freeze()
    try:
        if (offsets := _still(world)) is None:
            return
        messages = read_between(world, before.scored, offsets)
        named = {(message.key() or b"").decode() for message in messages}
        ours = {name for name in named if name in load.traces}
        ahead = ours - set(_stored(world, load.tenant))
        outcome.offsets_checked = len(ours)
        if ahead:
            outcome.wrong.append(f"the sink's offsets are ahead of {len(ahead)} traces, such as {min(ahead)}")
    finally:
        sink.thaw()


def _still(world: World) -> Offsets | None:
    """What the sink has committed, once two looks agree; null where the broker does not say."""
    seen: Offsets | None = None
    for _ in range(_LOOKS):
        with suppress(KafkaException):
            now = committed(world.settings, "sink")
            if now == seen:
                return now
            seen = now
        time.sleep(0.1)
    return None


def _check_traces(world: World, load: Load, outcome: Outcome) -> None:
    stored, wrong = _stored(world, load.tenant), outcome.wrong
    if missing := load.traces.keys() - stored.keys():
        wrong.append(f"{len(missing)} traces lost, such as {min(missing)}")
    if strange := stored.keys() - load.traces.keys():
        wrong.append(f"{len(strange)} traces that nobody published, such as {min(strange)}")
    if doubled := [name for name, n in stored.items() if n != 1]:
        wrong.append(f"{len(doubled)} traces stored more than once, such as {min(doubled)}")
    (raw,) = world.read_store(
        "SELECT count() AS n FROM traces WHERE tenant = {tenant:String}", tenant=load.tenant
    )
    outcome.again = int(raw["n"]) - len(stored)


def _check_rates(world: World, load: Load, outcome: Outcome) -> None:
    wanted = expected_rates(len(load.traces))
    if (rates := _rates(world, load.tenant)) != wanted:
        outcome.wrong.append(f"rates are {rates}, undisturbed {wanted}")
    if (rolled := _rolled_up(world, load.tenant)) != (wanted.traces, wanted.refusals):
        outcome.wrong.append(f"the minutes add up to {rolled} traces and refusals, undisturbed {wanted}")


def _check_letters(world: World, before: Before, outcome: Outcome) -> None:
    on_topic = read_between(world, before.traces, ends_of(world, topics.TRACES))
    unreadable = {(m.partition(), m.offset()) for m in on_topic if m.key() is None}
    if (buried := _buried(world, before)) != unreadable:
        outcome.wrong.append(
            f"dead letters of {len(buried)} messages, {len(unreadable)} on the topic are unreadable"
        )


def _check_verdicts(world: World, load: Load, before: Before, outcome: Outcome) -> None:
    (row,) = world.read_store(_VERDICTS, tenant=load.tenant)
    outcome.judged = int(row["judged"])
    if row["judged"] != row["stored"]:
        outcome.wrong.append(f"{row['stored']} verdicts of {row['judged']} traces")
    left, letters = _unjudged(world, load.tenant), _judge_letters(world) - before.judge_letters
    if left > letters:
        outcome.wrong.append(f"{left} sampled traces without a verdict, and {letters} dead letters of judges")


def _stored(world: World, tenant: str) -> dict[str, int]:
    return {row["trace_id"]: int(row["n"]) for row in world.read_store(_STORED, tenant=tenant)}


def _rates(world: World, tenant: str) -> Rates:
    rows = world.read_store(_CLASSES, tenant=tenant)
    classes = {str(row["class"]): int(row["n"]) for row in rows}
    measured = sum(int(row["measured"]) for row in rows)
    mean = round(sum(float(row["total"]) for row in rows) / measured, 5) if measured else 0.0
    refusals = sum(int(row["refusals"]) for row in rows)
    return Rates(sum(classes.values()), dict(sorted(classes.items())), refusals, mean)


def _rolled_up(world: World, tenant: str) -> tuple[int, int]:
    (row,) = world.read_store(_MINUTES, tenant=tenant)
    return int(row["traces"]), int(row["refusals"])


def _buried(world: World, before: Before) -> set[tuple[int, int]]:
    """Partition and offset of the messages of this round that the worker gave up."""
    rows = world.read_store("SELECT DISTINCT partition, offset FROM dead_letters WHERE by = 'worker'")
    found = {(int(row["partition"]), int(row["offset"])) for row in rows}
    starts = {number: start for (_, number), start in before.traces.items()}
    return {(number, offset) for number, offset in found if offset >= starts.get(number, 0)}


def _unjudged(world: World, tenant: str) -> int:
    (row,) = world.read_store(_UNJUDGED, tenant=tenant)
    return int(row["n"])


def _judge_letters(world: World) -> int:
    (row,) = world.read_store(
        "SELECT uniqExact(topic, partition, offset) AS n FROM dead_letters WHERE by = 'judge'"
    )
    return int(row["n"])


_STORED = "SELECT trace_id, count() AS n FROM traces FINAL WHERE tenant = {tenant:String} GROUP BY trace_id"
_CLASSES = """
SELECT if(failure = '', 'healthy', failure) AS class, count() AS n, countIf(refusal) AS refusals,
    count(faithfulness) AS measured, sum(ifNull(toFloat64(faithfulness), 0)) AS total
FROM traces FINAL WHERE tenant = {tenant:String} GROUP BY class
"""
_MINUTES = """
SELECT sum(traces) AS traces, sum(refusals) AS refusals FROM minute_rates WHERE tenant = {tenant:String}
"""
_UNJUDGED = """
SELECT count() AS n FROM traces FINAL
WHERE tenant = {tenant:String} AND sampled
    AND trace_id NOT IN (SELECT trace_id FROM verdicts WHERE tenant = {tenant:String})
"""
_VERDICTS = """
SELECT uniqExact(trace_id) AS judged, count() AS stored FROM verdicts FINAL WHERE tenant = {tenant:String}
"""

__all__ = ["Before", "Outcome", "all_accounted", "check", "check_offsets", "look_before"]
