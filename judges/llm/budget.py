"""What may be spent, in money and in tokens, an hour and a day: the arithmetic, without a file or a clock."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from judges.llm.endpoint import Price

NANO: Final = 1_000_000_000
"""Money is counted in whole billionths of a USD, so that sums stay exact."""

Window = Literal["hour", "day"]
EVERYBODY: Final = "*"
"""The scope of what all tenants spend together. A tenant's scope is "=" and its name."""


@dataclass(slots=True, frozen=True)
class Budgets:
    """The most that may be spent in each hour and day of UTC. Null is no limit."""

    hourly_usd: float | None = None
    daily_usd: float | None = None
    tenant_hourly_usd: float | None = None
    tenant_daily_usd: float | None = None
    hourly_tokens: int | None = None
    daily_tokens: int | None = None
    tenant_hourly_tokens: int | None = None
    tenant_daily_tokens: int | None = None

    @property
    def in_money(self) -> bool:
        """Whether anything is limited in USD, which takes a price for every model."""
        money = (self.hourly_usd, self.daily_usd, self.tenant_hourly_usd, self.tenant_daily_usd)
        return any(limit is not None for limit in money)


@dataclass(slots=True, frozen=True)
class Amount:
    """Money in billionths of a USD, and tokens in and out together."""

    nano: int = 0
    tokens: int = 0

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.nano - other.nano, self.tokens - other.tokens)

    @property
    def usd(self) -> float:
        """The money in USD."""
        return self.nano / NANO


def amount_of(price: Price | None, input_tokens: int, output_tokens: int, cached_input: int = 0) -> Amount:
    """What a call comes to. `cached_input` tokens are among `input_tokens`. Fractions are rounded up."""
    tokens = input_tokens + output_tokens
    if price is None:
        return Amount(0, tokens)
    cheap = min(max(cached_input, 0), input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    micro = (input_tokens - cheap) * price.input + cheap * cached_price + output_tokens * price.output
    return Amount(math.ceil(round(micro * 1000, 6)), tokens)


@dataclass(slots=True, frozen=True)
class Account:
    """One sum that is kept: whose, in which window of time, and how much it may come to at most."""

    scope: str
    window: Window
    starts: int
    """Start of the hour or day, seconds since 1970 UTC."""
    limit_nano: int | None
    limit_tokens: int | None

    def refusal(self, spent: Amount, wanted: Amount) -> str | None:
        """Why `wanted` may not be spent on top of `spent`; null if it may."""
        for limit, so_far, more, show in (
            (self.limit_nano, spent.nano, wanted.nano, _in_usd),
            (self.limit_tokens, spent.tokens, wanted.tokens, _in_tokens),
        ):
            if limit is None or so_far + more <= limit:
                continue
            if more > limit:
                return (
                    f"one question may take {show(more)}, more than the whole {self.named} of {show(limit)}"
                )
            return (
                f"{show(more)} more would exceed the {self.named} of {show(limit)}, {show(so_far)} of it gone"
            )
        return None

    @property
    def named(self) -> str:
        """As said in an error."""
        each = {"hour": "hourly", "day": "daily"}[self.window]
        return f"{each} budget" if self.scope == EVERYBODY else f"{each} budget of tenant {self.scope[1:]!r}"

    @property
    def ends(self) -> int:
        """End of the hour or day, seconds since 1970 UTC."""
        return self.starts + (3_600 if self.window == "hour" else 86_400)


def accounts_of(budgets: Budgets, tenant: str, now: float) -> tuple[Account, ...]:
    """The four sums that a call of `tenant` at `now` (seconds since 1970) counts in."""
    at = datetime.fromtimestamp(now, UTC)
    hour = at.replace(minute=0, second=0, microsecond=0)
    day = hour - timedelta(hours=hour.hour)
    mine = f"={tenant}"
    table: tuple[tuple[str, Window, datetime, float | None, int | None], ...] = (
        (EVERYBODY, "hour", hour, budgets.hourly_usd, budgets.hourly_tokens),
        (EVERYBODY, "day", day, budgets.daily_usd, budgets.daily_tokens),
        (mine, "hour", hour, budgets.tenant_hourly_usd, budgets.tenant_hourly_tokens),
        (mine, "day", day, budgets.tenant_daily_usd, budgets.tenant_daily_tokens),
    )
    return tuple(
        Account(scope, window, int(starts.timestamp()), None if usd is None else round(usd * NANO), tokens)
        for scope, window, starts, usd, tokens in table
    )


def _in_usd(nano: int) -> str:
    return f"${nano / NANO:.6f}".rstrip("0").rstrip(".")


def _in_tokens(tokens: int) -> str:
    return f"{tokens} tokens"


__all__ = ["EVERYBODY", "NANO", "Account", "Amount", "Budgets", "accounts_of", "amount_of"]
