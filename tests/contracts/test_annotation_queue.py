"""Claim, label, skip, arbitrate: on a real engine, with leases in a real file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from judges.annotation.votes import State
from schemas.annotation import Annotation, ClaimLabel, ItemRole
from sinks.annotation import (
    AnnotationQueue,
    LeaseBook,
    LeaseLost,
    NoSuchItem,
    NotInConflict,
    NotYours,
    SelfReview,
)
from sinks.annotation.queue import Rules
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.engine import EmbeddedEngine
from tests.support.annotation import NOW, case, put_in
from tests.support.engine import ask

pytestmark = pytest.mark.engine

HEALTHY = Annotation(failure="healthy", hallucination=False)
INVENTED = Annotation(
    failure="hallucination",
    claims=(ClaimLabel(text="3 days", start=0, end=6, supported=False),),
    gold_chunk_ids=("kb-1",),
    should_refuse=False,
    reference_answer="14 天",
    note="the document says 14",
)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module")
def dsn(embedded_engine: EmbeddedEngine) -> Iterator[str]:
    """One database for all tests here: to create its tables takes longer than any of them."""
    dsn = embedded_engine.dsn_of("annotation_queue")
    client = connect(dsn)
    migrate(client)
    client.close()
    yield dsn
    ask(embedded_engine.address, "DROP DATABASE annotation_queue SYNC")


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    for table in ("annotation_items", "annotations"):
        client.command(f"TRUNCATE TABLE {table}")
    yield client
    client.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(store: ClickHouse, clock: Clock, tmp_path: Path) -> Iterator[AnnotationQueue]:
    queue = AnnotationQueue(store, LeaseBook(tmp_path / "leases.sqlite", ttl_s=60, clock=clock), clock)
    yield queue
    queue.close()


def label(queue: AnnotationQueue, annotator: str, said: Annotation, count: int = 1) -> list[str]:
    claimed = queue.claim(annotator, count)
    for one in claimed:
        queue.label(one.lease_id, annotator, said)
    return [one.item.item_id for one in claimed]


def test_the_most_valuable_case_comes_first_whole(store: ClickHouse, queue: AnnotationQueue) -> None:
    put_in(store, [case("a", value=0.2), case("b", value=0.9), case("c", value=0.9, withdrawn="crowded_out")])
    (claimed,) = queue.claim("li", 1)
    assert claimed.item.item_id == "b"
    assert claimed.item.trace["question"] == "What about b?"
    assert claimed.expires_at == NOW + timedelta(seconds=60)
    assert [one.item.item_id for one in queue.claim("kim", 5)] == ["a"]
    assert queue.claim("kim", 5) == []


def test_languages_and_reasons_narrow_the_choice(store: ClickHouse, queue: AnnotationQueue) -> None:
    put_in(store, [case("a"), case("b", language="zh", reason="disagreement"), case("c", language="zh")])
    assert [one.item.item_id for one in queue.claim("li", 5, languages=["zh"], reasons=["stage"])] == ["c"]


def test_a_label_becomes_a_row_that_teaches_and_the_lease_ends(
    store: ClickHouse, queue: AnnotationQueue, clock: Clock
) -> None:
    put_in(store, [case("a")])
    (claimed,) = queue.claim("li", 1)
    clock.now += timedelta(seconds=40)
    queue.label(claimed.lease_id, "li", INVENTED, source="command")
    (row,) = store.query("SELECT * FROM annotations FINAL")
    assert (row["trace_id"], row["item_id"], row["annotator"], row["role"]) == ("trace-a", "a", "li", "vote")
    assert (row["failure"], row["hallucination"], row["spans"]) == ("hallucination", True, "[[0,6]]")
    assert (row["gold_chunk_ids"], row["should_refuse"], row["reference_answer"]) == (
        ["kb-1"],
        False,
        "14 天",
    )
    assert (row["weight"], row["source"], row["seconds"], row["language"]) == (1, "command", 40, "en")
    assert queue.held_by("li") == []
    with pytest.raises(LeaseLost):
        queue.label(claimed.lease_id, "li", HEALTHY)


def test_nobody_votes_twice_and_a_case_is_settled_by_enough_votes(
    store: ClickHouse, queue: AnnotationQueue
) -> None:
    put_in(store, [case("a")])
    assert label(queue, "li", HEALTHY) == ["a"]
    assert label(queue, "li", HEALTHY) == []
    assert label(queue, "kim", HEALTHY) == ["a"]
    assert queue.case("a").outcome.state is State.AGREED
    assert label(queue, "ann", HEALTHY) == []


def test_a_vote_from_a_sheet_counts_for_the_trace(store: ClickHouse, queue: AnnotationQueue) -> None:
    put_in(store, [case("a")])
    store.command(
        "INSERT INTO annotations (trace_id, annotator, failure, annotated_at) "
        "VALUES ('trace-a', 'li', 'healthy', now())"
    )
    assert queue.claim("li", 1) == []
    assert label(queue, "kim", HEALTHY) == ["a"]
    assert queue.case("a").outcome.state is State.AGREED


def test_a_skip_teaches_nobody_and_brings_the_case_to_others(
    store: ClickHouse, queue: AnnotationQueue
) -> None:
    put_in(store, [case("a")])
    (claimed,) = queue.claim("li", 1)
    queue.skip(claimed.lease_id, "li")
    assert store.query("SELECT role, weight FROM annotations FINAL") == [{"role": "skip", "weight": 0.0}]
    assert queue.claim("li", 1) == []
    assert [one.item.item_id for one in queue.claim("kim", 1)] == ["a"]


def test_a_case_that_is_given_back_waits_as_before(store: ClickHouse, queue: AnnotationQueue) -> None:
    put_in(store, [case("a")])
    (claimed,) = queue.claim("li", 1)
    with pytest.raises(NotYours):
        queue.release(claimed.lease_id, "kim")
    queue.release(claimed.lease_id, "li")
    assert [one.item.item_id for one in queue.claim("li", 1)] == ["a"]


def test_a_conflict_goes_to_somebody_who_had_no_vote(store: ClickHouse, queue: AnnotationQueue) -> None:
    put_in(store, [case("a")])
    label(queue, "li", HEALTHY)
    with pytest.raises(NotInConflict):
        queue.arbitrate("a", "boss", HEALTHY)
    label(queue, "kim", INVENTED)
    (conflict,) = queue.conflicts()
    assert conflict.about == ("failure", "hallucination")
    assert {vote.annotator for vote in conflict.votes} == {"li", "kim"}
    with pytest.raises(SelfReview):
        queue.arbitrate("a", "kim", INVENTED)
    queue.arbitrate("a", "boss", INVENTED)
    outcome = queue.case("a").outcome
    assert outcome.state is State.ARBITRATED
    assert outcome.label is not None
    assert outcome.label.reference_answer == "14 天"
    assert queue.conflicts() == []
    assert store.query("SELECT weight FROM annotations FINAL WHERE role = 'arbitration'") == [{"weight": 3.0}]
    with pytest.raises(NotInConflict):
        queue.arbitrate("a", "ann", HEALTHY)
    with pytest.raises(NoSuchItem):
        queue.arbitrate("nothing", "boss", HEALTHY)
    with pytest.raises(SelfReview):
        queue.vote("a", "boss", HEALTHY)


def test_fifty_claims_at_once_by_two_annotators_hold_no_case_twice(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    put_in(store, [case(f"case-{n:03}") for n in range(120)])
    file = tmp_path / "shared.sqlite"

    def claim(number: int) -> list[str]:
        queue = AnnotationQueue(connect(dsn), LeaseBook(file, most_held=200))
        try:
            return [one.item.item_id for one in queue.claim(("li", "kim")[number % 2], 2)]
        finally:
            queue.close()

    with ThreadPoolExecutor(50) as pool:
        claimed = [item_id for ids in pool.map(claim, range(50)) for item_id in ids]
    assert len(claimed) == 100
    assert max(Counter(claimed).values()) == 1


def test_expired_leases_return_and_nothing_is_lost_on_restart(
    store: ClickHouse, clock: Clock, dsn: str, tmp_path: Path
) -> None:
    put_in(store, [case(name) for name in "abcd"])
    file = tmp_path / "leases.sqlite"
    before = AnnotationQueue(connect(dsn), LeaseBook(file, ttl_s=60, clock=clock), clock)
    first, second, third = before.claim("li", 3)
    before.label(first.lease_id, "li", HEALTHY)
    before.close()

    after = AnnotationQueue(connect(dsn), LeaseBook(file, ttl_s=60, clock=clock), clock)
    held = {one.item.item_id for one in after.held_by("li")}
    assert held == {second.item.item_id, third.item.item_id}
    after.label(second.lease_id, "li", HEALTHY)
    mine = {one.item.item_id for one in after.claim("kim", 9)}
    assert mine == {"a", "b", "c", "d"} - {third.item.item_id}
    clock.now += timedelta(seconds=61)
    assert {one.item.item_id for one in after.claim("kim", 9)} == {"a", "b", "c", "d"}
    assert after.stats().annotators["li"]["votes"] == 2
    after.close()


def test_a_label_that_was_stored_before_a_crash_is_not_asked_again(
    store: ClickHouse, queue: AnnotationQueue, clock: Clock
) -> None:
    """The row is written first: killed before the lease ends, the vote stands and the lease expires."""
    put_in(store, [case("a")])
    (claimed,) = queue.claim("li", 1)
    queue._store(HEALTHY, claimed.item, "li", ItemRole.VOTE, "console", 1.0)
    clock.now += timedelta(seconds=61)
    assert queue.claim("li", 1) == []
    assert label(queue, "kim", HEALTHY) == ["a"]


def test_agreement_grows_with_each_shared_case(store: ClickHouse, queue: AnnotationQueue) -> None:
    put_in(store, [case(f"c{n}") for n in range(6)])
    assert queue.agreement()["failure"].kappa.value is None
    for number, said in enumerate((HEALTHY, INVENTED, HEALTHY, INVENTED)):
        label(queue, "li", said)
        label(queue, "kim", HEALTHY if number == 3 else said)
    found = queue.agreement()["failure"]
    assert found.kappa.n == 4
    assert found.kappa.value == pytest.approx(0.5)  # 0.75 seen; by chance 0.5 * 0.75 + 0.5 * 0.25
    assert found.alpha.value is not None


def test_stats_say_how_many_are_where(store: ClickHouse, queue: AnnotationQueue, clock: Clock) -> None:
    put_in(
        store,
        [
            case("a"), case("b"), case("c", control=True, reason="control"),
            case("d", withdrawn="crowded_out"), case("e", first_failed_stage="", failure="healthy"),
        ],
    )  # fmt: skip
    for name in ("li", "kim"):
        queue.vote("a", name, HEALTHY)
        queue.vote("c", name, INVENTED)
    queue.vote("b", "li", HEALTHY)
    clock.now += timedelta(hours=1)
    stats = queue.stats().as_dict()
    assert stats["states"] == {"agreed": 2, "open": 2, "withdrawn": 1}
    assert (stats["begun"], stats["controls"], stats["oldest_s"]) == (1, 0, 3_600)
    assert stats["by_stage"] == {"retrieval": 1, "healthy": 1}
    assert (stats["controls_settled"], stats["controls_failing"]) == (1, 1)
    assert stats["annotators"]["li"]["votes"] == 3
    assert stats["settled_by_class"] == {"healthy": 1, "hallucination": 1}


def test_cases_that_are_too_old_are_no_longer_shown(store: ClickHouse, clock: Clock) -> None:
    put_in(store, [case("old", created_at=NOW - timedelta(days=40)), case("new")])
    queue = AnnotationQueue(store, LeaseBook(None, clock=clock), clock, Rules(max_age_days=30))
    assert [one.item.item_id for one in queue.claim("li", 5)] == ["new"]


def test_what_is_not_in_the_queue_is_named(queue: AnnotationQueue) -> None:
    with pytest.raises(NoSuchItem, match="'nothing'"):
        queue.item("nothing")
    with pytest.raises(LeaseLost):
        queue.heartbeat("nothing", "li")
