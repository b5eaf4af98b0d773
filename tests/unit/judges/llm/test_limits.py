"""Requests and tokens a minute."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.llm import facts
from judges.llm.asking import JudgeFailed, Reason
from judges.llm.endpoint import Endpoint, Limits
from judges.llm.limiting import Limiting
from judges.llm.limits import Bucket, Throttle
from tests.support.asking import HeldClock


@given(st.lists(st.tuples(st.integers(1, 500), st.floats(0, 5)), max_size=100), st.integers(1, 10_000))
def test_no_minute_lets_more_through_than_the_rate_and_one_burst(
    takings: list[tuple[int, float]], per_minute: int
) -> None:
    bucket = Bucket(per_minute, 0)
    now, used = 0.0, []
    for amount, pause in takings:
        now += pause
        used.append((now + bucket.take(amount, now), amount))
    for start, _ in used:
        inside = [amount for at, amount in used if start <= at < start + 60]
        # The first has waited until all it takes had come in, which may have been a long time ago.
        assert sum(inside[1:]) <= per_minute + bucket.most + 1e-6


def test_requests_wait_in_the_order_of_coming() -> None:
    throttle = Throttle(60, None, 0)
    waits = [throttle.take(1, 0) for _ in range(10)]
    assert waits == sorted(waits)
    assert waits[4] == 0  # five seconds' worth
    assert waits[9] == 5


def test_a_request_larger_than_a_minute_is_waited_for_not_refused() -> None:
    throttle = Throttle(None, 600, 0)
    assert throttle.take(6000, 0) == (6000 - 50) / 10


def test_tokens_that_were_not_used_come_back() -> None:
    throttle = Throttle(None, 600, 0)
    throttle.take(50, 0)
    throttle.correct(50, 10, 0)
    assert throttle.take(40, 0) == 0


def test_a_pause_holds_everybody() -> None:
    throttle = Throttle(None, None, 0)
    throttle.pause(7, 1)
    throttle.pause(2, 1)
    assert throttle.take(1, 2) == 6
    assert throttle.paused_s(8) == 0


def test_an_endpoint_that_is_left_alone_is_said_to_be_so_for_what_it_did() -> None:
    endpoint = Endpoint("judge", "http://llm/v1", "m", limits=Limits(breaker_failures=1))
    limiting = Limiting(endpoint, facts.ignore, HeldClock())
    limiting.begin()
    limiting.ended(Reason.UNAUTHORIZED, 10, 0)
    with pytest.raises(JudgeFailed, match=r"too often \(unauthorized\)"):
        limiting.check()
