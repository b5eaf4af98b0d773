"""What may be spent: the arithmetic, and the ledger that holds it."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import stat
from pathlib import Path

import pytest

from judges.llm.budget import Amount, Budgets, accounts_of, amount_of
from judges.llm.endpoint import Price
from judges.llm.ledger import OverBudget
from judges.llm.state import StateError, open_state
from tests.support.asking import within

NOON = 1_790_000_000.0  # 21 Sep 2026 14:13:20 UTC
CENT = Amount(10_000_000, 100)


def test_a_price_is_for_a_million_tokens_and_cached_input_costs_its_own() -> None:
    price = Price(input=2.0, output=8.0, cached_input=0.5)
    assert amount_of(price, 1_000_000, 0).usd == 2.0
    assert amount_of(price, 1000, 500).usd == pytest.approx(0.006)
    assert amount_of(price, 1000, 500, cached_input=400).usd == pytest.approx(0.0054)
    assert amount_of(price, 100, 0, cached_input=900).usd == pytest.approx(0.00005)
    assert amount_of(Price(2.0, 8.0), 1000, 0, cached_input=400).usd == pytest.approx(0.002)


def test_without_a_price_tokens_alone_are_counted() -> None:
    assert amount_of(None, 1000, 500) == Amount(0, 1500)


def test_hours_and_days_are_those_of_utc() -> None:
    accounts = accounts_of(Budgets(), "shop", NOON)
    assert [(one.scope, one.window, one.starts) for one in accounts] == [
        ("*", "hour", 1_789_999_200),
        ("*", "day", 1_789_948_800),
        ("=shop", "hour", 1_789_999_200),
        ("=shop", "day", 1_789_948_800),
    ]
    assert accounts[0].ends == 1_790_002_800


@pytest.mark.parametrize(
    ("budgets", "said"),
    [
        (Budgets(hourly_usd=0.025), "hourly budget of \\$0.025"),
        (Budgets(daily_usd=0.025), "daily budget of \\$0.025"),
        (Budgets(tenant_hourly_usd=0.025), "hourly budget of tenant 'shop'"),
        (Budgets(tenant_daily_usd=0.025), "daily budget of tenant 'shop'"),
        (Budgets(hourly_tokens=250), "hourly budget of 250 tokens, 200 tokens of it gone"),
        (Budgets(tenant_daily_tokens=250), "daily budget of tenant 'shop' of 250 tokens"),
    ],
)
def test_each_budget_holds_and_says_which_it_is(budgets: Budgets, said: str) -> None:
    async def spend() -> None:
        for _ in range(2):
            await state.ledger.settle(await state.ledger.reserve("shop", CENT), CENT)
        await state.ledger.reserve("shop", CENT)

    with open_state(None, budgets, wall=lambda: NOON) as state, pytest.raises(OverBudget, match=said):
        within(10, spend)


def test_a_tenant_that_spent_its_budget_does_not_take_that_of_another() -> None:
    async def spend() -> None:
        await state.ledger.reserve("a", CENT)
        await state.ledger.reserve("b", CENT)
        state.ledger.keep(await state.ledger.reserve("", CENT))

    with open_state(None, Budgets(tenant_hourly_usd=0.01), wall=lambda: NOON) as state:
        within(10, spend)


def test_a_budget_begins_anew_with_the_hour() -> None:
    now = NOON

    async def spend() -> None:
        nonlocal now
        state.ledger.keep(await state.ledger.reserve("", CENT))
        with pytest.raises(OverBudget) as caught:
            await state.ledger.reserve("", CENT)
        assert caught.value.renews_in_s == 2800
        now += caught.value.renews_in_s
        await state.ledger.reserve("", CENT)

    with open_state(None, Budgets(hourly_usd=0.01), wall=lambda: now) as state:
        within(10, spend)


def test_a_question_larger_than_the_whole_budget_says_so_at_once() -> None:
    async def spend() -> None:
        held = await state.ledger.reserve("", Amount(1, 1))
        with pytest.raises(OverBudget, match=r"may take \$0\.01, more than the whole hourly budget"):
            await state.ledger.reserve("", CENT)
        state.ledger.keep(held)

    with open_state(None, Budgets(hourly_usd=0.005), wall=lambda: NOON) as state:
        within(10, spend)


def test_what_is_settled_below_its_reservation_can_be_spent_by_others() -> None:
    async def spend() -> int:
        done = 0
        for _ in range(100):
            held = await state.ledger.reserve("", CENT)
            await state.ledger.settle(held, Amount(1_000_000, 10))
            await state.ledger.settle(held, Amount())  # a second time changes nothing
            done += 1
        return done

    with open_state(None, Budgets(hourly_usd=0.1), wall=lambda: NOON) as state:
        with pytest.raises(OverBudget):
            within(10, spend)
        assert within(10, state.ledger.spent)[0].amount == Amount(91_000_000, 910)


def test_whoever_finds_the_budget_held_by_others_waits_for_what_they_do_not_take() -> None:
    async def one(delay: float) -> bool:
        try:
            held = await state.ledger.reserve("", CENT)
        except OverBudget:
            return False
        await asyncio.sleep(delay)
        await state.ledger.settle(held, Amount(1_000_000, 10))
        return True

    async def spend() -> list[bool]:
        chance = random.Random(1)
        return await asyncio.gather(*(one(chance.random() / 100) for _ in range(60)))

    with open_state(None, Budgets(hourly_usd=0.05), wall=lambda: NOON) as state:
        assert sum(within(20, spend)) == 41  # 41 x 0.001 and room for less than a reservation of 0.01


def test_what_a_server_bills_beyond_the_reservation_is_counted_all_the_same() -> None:
    async def spend() -> None:
        await state.ledger.settle(await state.ledger.reserve("", CENT), Amount(50_000_000, 900))

    with open_state(None, wall=lambda: NOON) as state:
        within(10, spend)
        assert within(10, state.ledger.spent)[0].amount == Amount(50_000_000, 900)


def test_what_was_never_settled_stays_spent_for_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "judge.sqlite"
    with open_state(path, wall=lambda: NOON) as state:
        within(10, lambda: state.ledger.reserve("shop", CENT))
    with open_state(path, Budgets(hourly_usd=0.015), wall=lambda: NOON) as state:
        with pytest.raises(OverBudget):
            within(10, lambda: state.ledger.reserve("other", CENT))
        sums = within(10, lambda: state.ledger.spent("shop", "other"))
        expected = {("*", CENT), ("=shop", CENT), ("=other", Amount())}
        assert {(one.scope, one.amount) for one in sums} == expected
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "judge.sqlite"
    path.write_bytes(b"this is no database" * 1000)
    with pytest.raises(StateError, match=r"RAGPULSE_JUDGE__STATE_FILE.*move it"):
        open_state(path)


def test_a_file_that_is_damaged_inside_is_noticed_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "judge.sqlite"
    with open_state(path) as state:
        for number in range(200):
            within(10, lambda n=number: state.remember(f"name {n}" * 40, n))  # type: ignore[misc]
    data = bytearray(path.read_bytes())
    data[4096:] = random.Random(1).randbytes(len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StateError, match="move it"):
        open_state(path)


def test_a_folder_in_its_place_and_a_newer_version_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StateError):
        open_state(tmp_path)
    path = tmp_path / "judge.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StateError, match="version 99"):
        open_state(path)
