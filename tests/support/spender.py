"""A process that asks a judge questions until told otherwise or killed; run by tests of budgets.

`python -m tests.support.spender BASE_URL STATE_FILE BUDGET_USD FIRST COUNT CONCURRENCY` says "ready", waits
for a line, asks about the numbers from FIRST on, tenants in turn, and prints what became of them as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

from judges.llm.asking import JudgeFailed
from judges.llm.budget import Budgets
from judges.llm.client import open_judge
from judges.llm.endpoint import Limits, Price
from judges.llm.state import State, open_state
from tests.support.asking import endpoint, outcome, question

PRICE = Price(input=100.0, output=300.0)
"""So dear that a handful of questions is a budget."""


async def spend(base_url: str, state: State, first: int, count: int, concurrency: int) -> Counter[str]:
    """Ask about `count` numbers; how often each outcome came."""
    limits = Limits(concurrency=concurrency, timeout_s=20, attempts=2, breaker_failures=1000)
    async with open_judge(endpoint(base_url, price=PRICE, limits=limits), state=state) as judge:
        asks = [
            question(f"number {n}", tenant=f"tenant {n % 2}", most=64) for n in range(first, first + count)
        ]
        results = await asyncio.gather(*(outcome(judge, ask) for ask in asks))
    return Counter(str(one.reason) if isinstance(one, JudgeFailed) else "answered" for one in results)


def main() -> None:
    """Spend, and print the outcome."""
    base_url, path, usd, first, count, concurrency = sys.argv[1:]
    with open_state(Path(path), Budgets(hourly_usd=float(usd), daily_usd=float(usd))) as state:
        print("ready", flush=True)
        sys.stdin.readline()
        outcomes = asyncio.run(spend(base_url, state, int(first), int(count), int(concurrency)))
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main()
