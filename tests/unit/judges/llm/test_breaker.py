"""The circuit breaker."""

from __future__ import annotations

from judges.llm.breaker import LONGEST_REST, Breaker


def opened(failures: int = 3, rest_s: float = 10) -> Breaker:
    breaker = Breaker(failures, rest_s)
    for _ in range(failures):
        assert breaker.begin(0)
        breaker.failed(0)
    return breaker


def test_failures_in_a_row_open_it() -> None:
    breaker = opened()
    assert breaker.state(0) == "open"
    assert breaker.rest_s(4) == 6
    assert not breaker.begin(9.9)


def test_a_success_in_between_begins_the_count_anew() -> None:
    breaker = Breaker(2, 10)
    for _ in range(5):
        breaker.failed(0)
        breaker.succeeded()
    assert breaker.state(0) == "closed"


def test_half_open_lets_one_pass_and_its_success_closes_it() -> None:
    breaker = opened()
    assert breaker.state(10) == "half_open"
    assert breaker.begin(10)
    assert not breaker.begin(10)
    breaker.succeeded()
    assert breaker.state(10) == "closed"
    assert breaker.begin(10)


def test_each_failed_trial_doubles_the_rest_up_to_a_limit() -> None:
    breaker = opened()
    now, rests = 0.0, []
    for _ in range(8):
        now += breaker.rest_s(now)
        assert breaker.begin(now)
        breaker.failed(now)
        rests.append(breaker.rest_s(now))
    assert rests == [20, 40, 80, 160, 160, 160, 160, 160]
    assert max(rests) == 10 * LONGEST_REST


def test_a_trial_that_was_not_made_leaves_room_for_the_next() -> None:
    breaker = opened()
    assert breaker.begin(10)
    breaker.given_up()
    assert breaker.begin(10)


def test_failures_of_what_was_still_on_its_way_do_not_prolong_the_rest() -> None:
    breaker = opened()
    for _ in range(20):
        breaker.failed(5)
    assert breaker.rest_s(5) == 5
