"""Whose fault an error of ClickHouse is: the rows', the moment's, or the set-up's."""

from __future__ import annotations

import pytest

from sinks.clickhouse.faults import BAD_ROWS, OVERLOADED, fault
from sinks.errors import SinkDenied, SinkMisconfigured, SinkOverloaded, SinkRejected, SinkTooLarge


@pytest.mark.parametrize("code", [27, 41, 72, 117, 349])
def test_a_row_that_cannot_be_read_is_rejected(code: int) -> None:
    assert type(fault(code, 400, "")) is SinkRejected


@pytest.mark.parametrize("code", [202, 241, 242, 252, 999])
def test_a_server_that_is_busy_or_full_blames_no_row(code: int) -> None:
    assert type(fault(code, 500, "")) is SinkOverloaded


@pytest.mark.parametrize("code", [16, 47, 60, 62, 81, 115, 497, 123456])
def test_a_missing_table_a_missing_right_and_the_unknown_blame_the_set_up(code: int) -> None:
    assert type(fault(code, 500, "")) is SinkMisconfigured


def test_a_proxy_speaks_by_its_status() -> None:
    assert type(fault(None, 413, "")) is SinkTooLarge
    assert type(fault(None, 502, "")) is SinkOverloaded
    assert type(fault(None, 404, "")) is SinkDenied
    assert type(fault(None, 418, "")) is SinkMisconfigured


@pytest.mark.parametrize("code", [192, 193, 194, 516])
def test_a_wrong_password_is_no_matter_of_the_schema(code: int) -> None:
    assert type(fault(code, 403, "")) is SinkDenied


def test_no_error_is_blamed_on_two() -> None:
    assert not BAD_ROWS & OVERLOADED
