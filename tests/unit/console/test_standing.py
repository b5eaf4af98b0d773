"""Figures of the queue: read once for all who look at the same moment, anew after each label."""

from __future__ import annotations

import pytest

from console.standing import FRESH_S, Standings
from judges.agreement.figure import Figure
from judges.annotation.concord import Concord
from sinks.annotation import AnnotationQueue, Stats
from sinks.errors import SinkUnreachable
from tests.support.console import Clock


class Queue(AnnotationQueue):
    """A queue whose kappa a test sets."""

    def __init__(self) -> None:
        self.kappa, self.read, self.error = 0.5, 0, False

    def stats(self) -> Stats:
        self.read += 1
        if self.error:
            raise SinkUnreachable("away")
        return Stats()

    def agreement(self) -> dict[str, Concord]:
        figure = Figure(self.kappa, n=2)
        return {"failure": Concord("failure", figure, figure, ())}


def test_who_looks_at_the_same_moment_sees_one_reading() -> None:
    queue, clock = Queue(), Clock()
    standings = Standings(queue, clock)
    standings.read()
    clock.now += FRESH_S - 0.1
    standings.read()
    assert queue.read == 1
    clock.now += 0.2
    standings.read()
    assert queue.read == 2


def test_after_a_label_the_next_reading_is_new_and_knows_the_one_before() -> None:
    queue = Queue()
    standings = Standings(queue, Clock())
    assert standings.read().before is None
    queue.kappa = 0.7
    standings.forget()
    now = standings.read()
    assert now.before is not None
    assert (now.before["failure"].kappa.value, now.agreement["failure"].kappa.value) == (0.5, 0.7)
    standings.forget()
    again = standings.read().before
    assert again is not None
    assert again["failure"].kappa.value == 0.5


def test_between_two_cases_the_last_reading_is_enough() -> None:
    queue = Queue()
    standings = Standings(queue, Clock())
    assert standings.last() is standings.last()
    standings.forget()
    standings.last()
    assert queue.read == 1
    standings.read()
    assert queue.read == 2


def test_what_failed_is_asked_again() -> None:
    queue = Queue()
    standings = Standings(queue, Clock())
    queue.error = True
    with pytest.raises(SinkUnreachable):
        standings.read()
    queue.error = False
    standings.read()
    assert queue.read == 2
