"""What becomes of a trace, and of many at once: free of Kafka."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Iterator
from datetime import UTC, datetime

import orjson
import pytest

from judges.llm.asking import JudgeFailed, Reason, Usage
from schemas.row import Sampling
from schemas.trace import Trace
from stream.judging.judge import JUDGE_ERROR, GivenUp, Opine, TraceJudge, Unjudged, Verdicts, judge_traces
from stream.judging.patience import AWAY, Absence, Patience
from stream.judging.rows import Identity
from stream.judging.sampled import Sampled
from tests.support.judging import Said, agreeable, opinion

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def sampled(name: str = "t") -> Sampled:
    return Sampled(
        Trace(trace_id=name, question="？", answer="！"), None, Sampling(True, 0.5, ("control",)), NOON
    )


def judge_of(opine: Opine, *, waits: bool = True) -> TraceJudge:
    who = Identity("stub", "stub-1", "rag", "1")
    patience = Patience(waits=waits, first_s=0.0, max_s=0.0)
    return TraceJudge(opine, who, patience, Absence(), now=lambda: NOON, chance=lambda: 0.0)


def failing(*reasons: Reason) -> Opine:
    left = list(reasons)

    async def opine(trace: Trace, scores: object) -> Said:
        if left:
            raise JudgeFailed(left.pop(0), "so it is", Usage(2, 10, 1, 0.5))
        return Said(opinion())

    return opine


def test_a_verdict_is_one_row() -> None:
    outcome = asyncio.run(judge_of(agreeable()).judge(sampled()))
    assert isinstance(outcome, Verdicts)
    assert [orjson.loads(row)["failure"] for row in outcome.rows] == ["healthy"]


@pytest.mark.parametrize("reason", [Reason.OVER_BUDGET, Reason.TOO_LONG, Reason.NOT_JUDGEABLE])
def test_what_is_nobodys_fault_leaves_a_row_that_says_so_and_what_it_cost(reason: Reason) -> None:
    outcome = asyncio.run(judge_of(failing(reason)).judge(sampled()))
    assert isinstance(outcome, Unjudged)
    row = orjson.loads(outcome.rows[0])
    assert (row["error"], row["error_detail"], row["calls"], row["cost_usd"]) == (reason, "so it is", 2, 0.5)
    assert "faithfulness" not in row
    assert row["sample_probability"] == 0.5


@pytest.mark.parametrize("reason", [Reason.TIMEOUT, Reason.REFUSED, Reason.INVALID, Reason.BAD_REQUEST])
def test_what_the_judge_failed_on_is_given_up_with_its_reason(reason: Reason) -> None:
    assert asyncio.run(judge_of(failing(reason)).judge(sampled())) == GivenUp(reason, "so it is")


@pytest.mark.parametrize("reason", sorted(AWAY))
def test_a_panel_that_answers_nobody_is_waited_for_by_the_lane_and_not_by_a_command(reason: Reason) -> None:
    assert isinstance(asyncio.run(judge_of(failing(*[reason] * 9)).judge(sampled())), Verdicts)
    outcome = asyncio.run(judge_of(failing(reason), waits=False).judge(sampled()))
    assert outcome == GivenUp(reason, "so it is")


def test_a_fault_of_our_own_is_kept_with_its_trace() -> None:
    async def opine(trace: Trace, scores: object) -> Said:
        raise KeyError("oops")

    outcome = asyncio.run(judge_of(opine).judge(sampled()))
    assert outcome == GivenUp(JUDGE_ERROR, "KeyError: 'oops'")


def test_traces_come_out_in_order_with_no_more_at_once_than_allowed() -> None:
    chance, now, most = random.Random(1), 0, 0

    async def act(trace: Trace) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(chance.random() / 200)
        now -= 1

    async def run() -> list[str]:
        some = [sampled(str(number)) for number in range(60)]
        return [one.trace.trace_id async for one, _ in judge_traces(some, judge_of(agreeable(act)), 5)]

    assert asyncio.run(run()) == [str(number) for number in range(60)]
    assert most == 5


def test_a_slow_first_trace_does_not_let_the_others_pile_up_without_bound() -> None:
    taken = 0

    def traces() -> Iterator[Sampled]:
        nonlocal taken
        for number in range(1000):
            taken += 1
            yield sampled(str(number))

    async def run() -> None:
        first = asyncio.Event()

        async def act(trace: Trace) -> None:
            if trace.trace_id == "0":
                await first.wait()

        found = judge_traces(traces(), judge_of(agreeable(act)), 4)
        waiting = asyncio.ensure_future(anext(found))
        await asyncio.sleep(0.2)
        assert taken <= 4 * 8
        first.set()
        assert (await waiting)[0].trace.trace_id == "0"
        assert isinstance(found, AsyncGenerator)
        await found.aclose()

    asyncio.run(asyncio.wait_for(run(), 10))
