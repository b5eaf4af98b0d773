"""Judges as they are in service, at stand-in servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from judges.llm.client import LlmJudge, open_judge
from judges.llm.endpoint import Endpoint, Limits
from judges.llm.state import open_state
from tests.support.stand_in_llm import StandIn

Given = TypeVar("Given")
QUICK = Limits(concurrency=16, timeout_s=20, attempts=1, retry_for_s=1.0, breaker_failures=1_000)
"""No second tries: what a test scripts is met once."""


@asynccontextmanager
async def judges_at(
    *servers: StandIn, embedding_model: str | None = None, limits: Limits = QUICK
) -> AsyncIterator[list[LlmJudge]]:
    """One judge at each server, named judge-1, judge-2 …, with a memory of their own."""
    with open_state(None) as state:
        judges = [
            open_judge(
                Endpoint(
                    f"judge-{number}",
                    server.base_url,
                    server.model,
                    limits=limits,
                    embedding_model=embedding_model,
                ),
                state=state,
            )
            for number, server in enumerate(servers, 1)
        ]
        try:
            yield judges
        finally:
            for judge in judges:
                await judge.aclose()


def with_judges(
    work: Callable[[list[LlmJudge]], Awaitable[Given]], *servers: StandIn, embedding_model: str | None = None
) -> Given:
    """What `work` gives with a judge at each server, run to its end within a minute."""

    async def run() -> Given:
        async with judges_at(*servers, embedding_model=embedding_model) as judges:
            return await asyncio.wait_for(work(judges), 60)

    return asyncio.run(run())


__all__ = ["QUICK", "judges_at", "with_judges"]
