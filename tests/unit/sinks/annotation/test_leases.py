"""Who holds what: one case in one pair of hands, until it is labelled, given back, or silent for too long."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sinks.annotation import Candidate, Lease, LeaseBook, LeaseFileError, LeaseLost, NotYours, TooManyHeld


class Clock:
    """A clock that stands until it is told to go on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def book(clock: Clock) -> LeaseBook:
    return LeaseBook(None, ttl_s=60, most_held=5, clock=clock)


def cases(*names: str, missing: int = 1) -> list[Candidate]:
    return [Candidate(name, missing=missing) for name in names]


def items(leases: list[Lease]) -> list[str]:
    return [lease.item_id for lease in leases]


def test_two_annotators_get_different_cases(book: LeaseBook) -> None:
    assert items(book.grant(cases("a", "b", "c"), "li", 2)) == ["a", "b"]
    assert items(book.grant(cases("a", "b", "c"), "kim", 2)) == ["c"]


def test_an_expired_lease_frees_its_case(book: LeaseBook, clock: Clock) -> None:
    book.grant(cases("a"), "li", 1)
    clock.pass_by(59)
    assert book.grant(cases("a"), "kim", 1) == []
    clock.pass_by(2)
    assert items(book.grant(cases("a"), "kim", 1)) == ["a"]


def test_a_heartbeat_keeps_a_lease(book: LeaseBook, clock: Clock) -> None:
    (lease,) = book.grant(cases("a"), "li", 1)
    for _ in range(5):
        clock.pass_by(50)
        assert book.heartbeat(lease.lease_id, "li").expires_at == clock.now + timedelta(seconds=60)
    assert book.grant(cases("a"), "kim", 1) == []


def test_a_lease_that_expired_goes_on_as_long_as_nobody_took_the_case(book: LeaseBook, clock: Clock) -> None:
    (lease,) = book.grant(cases("a"), "li", 1)
    clock.pass_by(600)
    assert book.held() == []
    book.heartbeat(lease.lease_id, "li")
    assert items(book.held()) == ["a"]


def test_a_lease_is_lost_once_somebody_else_has_the_case(book: LeaseBook, clock: Clock) -> None:
    (lease,) = book.grant(cases("a"), "li", 1)
    clock.pass_by(61)
    book.grant(cases("a"), "kim", 1)
    with pytest.raises(LeaseLost):
        book.heartbeat(lease.lease_id, "li")
    with pytest.raises(LeaseLost):
        book.end(lease.lease_id, "li", said=True)
    assert items(book.held_by("kim")) == ["a"]


def test_nobody_uses_a_lease_of_somebody_else(book: LeaseBook) -> None:
    (lease,) = book.grant(cases("a"), "li", 1)
    for use in (
        lambda: book.heartbeat(lease.lease_id, "kim"),
        lambda: book.end(lease.lease_id, "kim", said=False),
    ):
        with pytest.raises(NotYours):
            use()
    assert items(book.held_by("li")) == ["a"]


def test_a_case_that_was_given_back_may_go_to_anybody(book: LeaseBook) -> None:
    (lease,) = book.grant(cases("a"), "li", 1)
    book.end(lease.lease_id, "li", said=False)
    assert items(book.grant(cases("a"), "li", 1)) == ["a"]


def test_nobody_gets_a_case_twice_even_before_the_store_shows_the_first_vote(book: LeaseBook) -> None:
    (lease,) = book.grant(cases("a", missing=2), "li", 1)
    book.end(lease.lease_id, "li", said=True)
    assert book.grant(cases("a", missing=2), "li", 1) == []
    assert items(book.grant(cases("a", missing=2), "kim", 1)) == ["a"]


def test_no_case_is_handed_out_beyond_the_votes_that_it_wants(book: LeaseBook) -> None:
    (lease,) = book.grant(cases("a"), "li", 1)
    book.end(lease.lease_id, "li", said=True)
    assert (
        book.grant(cases("a"), "kim", 1) == []
    )  # the store still shows no vote, and one is all that is wanted
    seen = [Candidate("a", voters=frozenset({"li"}), missing=1)]
    assert items(book.grant(seen, "kim", 1)) == ["a"]


def test_whoever_has_voted_gets_the_case_from_no_other_file_either(book: LeaseBook) -> None:
    assert book.grant([Candidate("a", voters=frozenset({"li"}))], "li", 1) == []


def test_nobody_hoards_cases(book: LeaseBook, clock: Clock) -> None:
    assert len(book.grant(cases(*"abcdefgh"), "li", 8)) == 5
    with pytest.raises(TooManyHeld, match="li holds 5 cases"):
        book.grant(cases(*"abcdefgh"), "li", 1)
    clock.pass_by(61)
    assert len(book.grant(cases(*"abcdefgh"), "li", 8)) == 5


def test_leases_for_work_elsewhere_last_longer(book: LeaseBook, clock: Clock) -> None:
    book.grant(cases("a"), "li", 1, 3_600)
    clock.pass_by(3_000)
    assert book.grant(cases("a"), "kim", 1) == []


def test_fifty_claims_at_once_hold_no_case_twice(tmp_path: Path) -> None:
    """Each claim opens the file for itself, as processes do."""
    file, all_cases = tmp_path / "leases.sqlite", cases(*(f"case-{n:03}" for n in range(200)))

    def claim(number: int) -> list[Lease]:
        book = LeaseBook(file, most_held=1_000)
        try:
            return book.grant(all_cases, ("li", "kim")[number % 2], 3)
        finally:
            book.close()

    with ThreadPoolExecutor(50) as pool:
        granted = [lease for leases in pool.map(claim, range(50)) for lease in leases]
    assert len(granted) == 150
    assert max(Counter(items(granted)).values()) == 1
    assert len({lease.lease_id for lease in granted}) == 150


def test_nothing_is_lost_on_restart(tmp_path: Path, clock: Clock) -> None:
    file = tmp_path / "leases.sqlite"
    before = LeaseBook(file, ttl_s=60, clock=clock)
    (lease,) = before.grant(cases("a"), "li", 1)
    before.close()
    after = LeaseBook(file, ttl_s=60, clock=clock)
    assert after.held_by("li") == [lease]
    assert after.grant(cases("a"), "kim", 1) == []
    after.end(lease.lease_id, "li", said=True)
    after.close()


def test_a_killed_process_leaves_its_leases_and_they_expire(tmp_path: Path) -> None:
    file = tmp_path / "leases.sqlite"
    dies = (
        "import os, sys, signal\nfrom pathlib import Path\n"
        "from sinks.annotation import Candidate, LeaseBook\n"
        "book = LeaseBook(Path(sys.argv[1]), ttl_s=60)\nbook.grant([Candidate('a')], 'li', 1)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", dies, str(file)], timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL
    clock = Clock()
    clock.now = datetime.now(UTC)
    book = LeaseBook(file, ttl_s=60, clock=clock)
    assert items(book.held_by("li")) == ["a"]
    assert book.grant(cases("a"), "kim", 1) == []
    clock.pass_by(120)
    assert items(book.grant(cases("a"), "kim", 1)) == ["a"]
    book.close()


def test_the_file_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "leases.sqlite"
    LeaseBook(file).close()
    assert os.stat(file).st_mode & 0o077 == 0


def test_a_damaged_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "leases.sqlite"
    file.write_bytes(b"no database at all, but long enough to be one" * 50)
    with pytest.raises(LeaseFileError, match="RAGPULSE_ANNOTATION__LEASE_FILE"):
        LeaseBook(file)


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "leases.sqlite"
    LeaseBook(file).close()
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version=99")
    with pytest.raises(LeaseFileError, match="version 99"):
        LeaseBook(file)
