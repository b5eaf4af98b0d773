"""What was spent, kept in the state file: reserved before a call at its worst, settled after it as it was."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from judges.llm.budget import Account, Amount, Budgets, Window, accounts_of
from judges.llm.state_file import StateFile

_KEPT_S: Final = 100 * 86_400
_SPENT: Final = "SELECT nano, tokens FROM spent WHERE scope = ? AND window = ? AND starts = ?"
_ADD: Final = """
INSERT INTO spent VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET nano = nano + excluded.nano, tokens = tokens + excluded.tokens
"""


class OverBudget(Exception):
    """There is no money for it. `renews_in_s` is when the budget that refused begins anew."""

    def __init__(self, why: str, renews_in_s: float) -> None:
        super().__init__(why)
        self.renews_in_s = renews_in_s


@dataclass(slots=True)
class Reservation:
    """Money that is held for one call. Never settled, it stays spent, as with a process that was killed."""

    accounts: tuple[Account, ...]
    amount: Amount
    settled: bool = False


@dataclass(slots=True, frozen=True)
class Spent:
    """One sum, for people and metrics: `scope` is "*" for all tenants together, or "=" and a tenant."""

    scope: str
    window: Window
    amount: Amount
    limit_nano: int | None
    limit_tokens: int | None


@dataclass(slots=True, frozen=True)
class _Refusal:
    account: Account
    why: str
    for_good: bool


class Ledger:
    """The accounts of one state file. `wall` is the time in seconds since 1970."""

    def __init__(self, file: StateFile, budgets: Budgets, wall: Callable[[], float]) -> None:
        self.budgets = budgets
        self._file = file
        self._wall = wall
        self._held: Counter[str] = Counter()
        """Reservations of this process that are not settled, by scope."""
        self._change = asyncio.Event()
        oldest = int(wall()) - _KEPT_S
        file.run_now(lambda database: database.execute("DELETE FROM spent WHERE starts < ?", (oldest,)))

    async def reserve(self, tenant: str, amount: Amount) -> Reservation:
        """Hold `amount` for a call that is about to be made; it is on record when this returns.

        Where the budget is gone but for what calls of this process hold, waits for one of them to end, since
        they hold more than they are likely to take. Raises OverBudget or StateError.
        """
        while True:
            change = self._change
            now = self._wall()
            accounts = accounts_of(self.budgets, tenant, now)
            refusal = await self._file.run(lambda database, a=accounts: _hold(database, a, amount))  # type: ignore[misc]
            if refusal is None:
                self._held.update(account.scope for account in accounts)
                return Reservation(accounts, amount)
            if refusal.for_good or (not self._held[refusal.account.scope] and change is self._change):
                raise OverBudget(refusal.why, refusal.account.ends - now)
            await change.wait()

    async def settle(self, reservation: Reservation, actual: Amount) -> None:
        """Put the true amount in place of what was held. More than was held is put down as well."""
        if reservation.settled:
            return
        reservation.settled = True
        more = actual - reservation.amount
        try:
            await asyncio.shield(self._file.run(lambda database: _add(database, reservation.accounts, more)))
        finally:
            self._let_go(reservation)

    def keep(self, reservation: Reservation) -> None:
        """Leave all that was held spent: nobody knows what the call took."""
        if not reservation.settled:
            reservation.settled = True
            self._let_go(reservation)

    def _let_go(self, reservation: Reservation) -> None:
        self._held.subtract(account.scope for account in reservation.accounts)
        self._change.set()
        self._change = asyncio.Event()

    async def spent(self, *tenants: str) -> list[Spent]:
        """What this hour and day have spent so far, in all and by `tenants`, held amounts included."""
        accounts = {
            (account.scope, account.window): account
            for tenant in (tenants or ("",))
            for account in accounts_of(self.budgets, tenant, self._wall())
            if tenants or account.scope == "*"
        }
        sums = await self._file.run(
            lambda database: [_sum(database, one) for one in accounts.values()], writes=False
        )
        return [
            Spent(one.scope, one.window, amount, one.limit_nano, one.limit_tokens)
            for one, amount in zip(accounts.values(), sums, strict=True)
        ]


def _hold(database: sqlite3.Connection, accounts: tuple[Account, ...], amount: Amount) -> _Refusal | None:
    for account in accounts:
        why = account.refusal(_sum(database, account), amount)
        if why is not None:
            return _Refusal(account, why, account.refusal(Amount(), amount) is not None)
    _add(database, accounts, amount)
    return None


def _sum(database: sqlite3.Connection, account: Account) -> Amount:
    row = database.execute(_SPENT, (account.scope, account.window, account.starts)).fetchone()
    return Amount() if row is None else Amount(*row)


def _add(database: sqlite3.Connection, accounts: tuple[Account, ...], amount: Amount) -> None:
    database.executemany(
        _ADD, [(one.scope, one.window, one.starts, amount.nano, amount.tokens) for one in accounts]
    )


__all__ = ["Ledger", "OverBudget", "Reservation", "Spent"]
