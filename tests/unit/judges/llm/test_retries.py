"""When a failed request is tried again."""

from __future__ import annotations

import pytest

from judges.llm.retries import Backoff, retry_after_s

NOON = 1_790_000_000.0  # 21 Sep 2026 14:13:20 UTC


def test_waits_double_up_to_a_limit_and_stray_by_half() -> None:
    most = [Backoff(lambda: 1.0).wait_s(failures) for failures in range(1, 9)]
    least = [Backoff(lambda: 0.0).wait_s(failures) for failures in range(1, 9)]
    assert most == [0.5, 1, 2, 4, 8, 16, 20, 20]
    assert least == [0.25, 0.5, 1, 2, 4, 8, 10, 10]


def test_what_the_server_asks_for_is_waited_in_full() -> None:
    wait = Backoff(lambda: 0.5).wait_s(1, 7)
    assert wait is not None
    assert 7 <= wait <= 8


def test_too_long_a_pause_is_not_waited_for() -> None:
    assert Backoff(lambda: 0.5).wait_s(1, 3600) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3), (" 0.5 ", 0.5), ("0", 0), ("-5", 0), (None, None), ("", None), ("soon", None),
        ("nan", None), ("inf", None), ("Mon, 21 Sep 2026 14:13:30 GMT", 10),
        ("Mon, 21 Sep 2026 14:13:10 GMT", 0),
        ("Monday, 99 Foo", None),
    ],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOON) == seconds
