"""The limits of LLM judges over real HTTP: retries, breaker, cost, and that nothing is asked twice."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judges.llm import facts
from judges.llm.asking import Answer, JudgeFailed, Message, Reason, Usage
from judges.llm.client import LlmJudge, open_judge
from judges.llm.endpoint import Limits, Price
from judges.llm.state import State, open_state
from tests.support.asking import (
    FastClock,
    HeldClock,
    Log,
    Result,
    Score,
    ask_one,
    endpoint,
    outcome,
    question,
    reason_of,
    value_of,
    within,
)
from tests.support.stand_in_llm import (
    BROKEN,
    CONTEXT_OVERFLOW,
    CUT,
    EMPTY,
    FENCED,
    HANG,
    MISBEHAVIOURS,
    OUT_OF_LENGTH,
    PROSE,
    REFUSAL,
    UNAUTHORIZED,
    WELL,
    Behaviour,
    Body,
    StandIn,
    slowly,
    too_many,
)

GOOD = {"reasoning": "It says what the documents say.", "score": 4}
BUSY = Limits(timeout_s=3, attempts=2, breaker_failures=1000, concurrency=50)


@pytest.fixture
def llm() -> Iterator[StandIn]:
    with StandIn(answer=lambda body: GOOD) as stand_in:
        yield stand_in


@pytest.fixture
def state() -> Iterator[State]:
    with open_state(None) as opened:
        yield opened


# --- retries, limits, breaker ---


def test_retry_after_is_waited_for_in_full_by_everybody(llm: StandIn, state: State) -> None:
    clock = FastClock()
    arrived: list[float] = []

    def behave(body: Body, number: int) -> Behaviour:
        arrived.append(clock.monotonic())
        return too_many(7) if number == 0 else WELL

    async def work() -> None:
        judge = endpoint(llm.base_url, limits=Limits(concurrency=1))
        async with open_judge(judge, state=state, clock=clock, random=lambda: 0) as one:
            await asyncio.gather(*(one.ask(question(text)) for text in "abc"))

    llm.behave = behave
    within(20, work)
    assert len(arrived) == 4
    assert all(at >= arrived[0] + 7 for at in arrived[1:])


def test_a_pause_longer_than_we_wait_fails_and_says_when_to_come_back(llm: StandIn, state: State) -> None:
    llm.script(too_many(3600))
    result = ask_one(state, endpoint(llm.base_url))
    assert reason_of(result) is Reason.RATE_LIMITED
    assert isinstance(result, JudgeFailed)
    assert result.retry_after_s == 3600
    assert result.retryable


def test_no_attempt_begins_after_the_time_for_retries(llm: StandIn, state: State) -> None:
    llm.behave = lambda body, number: BROKEN
    limits = Limits(attempts=100, retry_for_s=10, breaker_failures=1000)
    assert reason_of(ask_one(state, endpoint(llm.base_url, limits=limits))) is Reason.SERVER_ERROR
    assert 4 <= len(llm.chats) <= 8  # waits of 0.25, 0.5, 1, 2, 4 and then 8


def test_an_endpoint_that_fails_again_and_again_is_left_alone_and_then_tried_once(
    llm: StandIn, state: State
) -> None:
    clock, log = HeldClock(), Log()
    limits = Limits(attempts=1, breaker_failures=3, breaker_rest_s=60)
    llm.script(BROKEN, BROKEN, BROKEN, BROKEN)

    async def work() -> list[Reason | None]:
        async with open_judge(
            endpoint(llm.base_url, limits=limits), state=state, observe=log, clock=clock
        ) as judge:
            results = [await outcome(judge, question(f"{number}")) for number in range(5)]
            clock.now += 60
            results += [await outcome(judge, question(f"{number}")) for number in range(5, 7)]
            clock.now += 120
            results += [await outcome(judge, question(f"{number}")) for number in range(7, 9)]
            return [result.reason if isinstance(result, JudgeFailed) else None for result in results]

    broken, alone = Reason.SERVER_ERROR, Reason.CIRCUIT_OPEN
    assert within(20, work) == [broken, broken, broken, alone, alone, broken, alone, None, None]
    assert [fact.state for fact in log.of(facts.BreakerMoved)] == [
        "open",
        "half_open",
        "open",
        "half_open",
        "closed",
    ]
    assert len(llm.chats) == 6


def test_a_question_that_is_refused_says_nothing_against_the_endpoint(llm: StandIn, state: State) -> None:
    limits = Limits(attempts=1, breaker_failures=2)
    llm.behave = lambda body, number: CONTEXT_OVERFLOW

    async def work() -> set[Reason]:
        async with open_judge(endpoint(llm.base_url, limits=limits), state=state) as judge:
            results = [await outcome(judge, question(f"{number}")) for number in range(5)]
            return {reason_of(result) for result in results}

    assert within(20, work) == {Reason.TOO_LONG}


def test_no_more_requests_are_in_flight_than_the_limit(llm: StandIn, state: State) -> None:
    llm.behave = lambda body, number: slowly(0.02)

    async def work() -> None:
        judge = endpoint(llm.base_url, limits=Limits(concurrency=5))
        async with open_judge(judge, state=state) as one:
            await asyncio.gather(*(one.ask(question(f"{number}")) for number in range(40)))

    within(20, work)
    assert llm.most_in_flight == 5


def test_requests_a_minute_are_kept_to(llm: StandIn, state: State) -> None:
    clock = HeldClock()

    async def work() -> None:
        judge = endpoint(llm.base_url, limits=Limits(requests_per_minute=60, concurrency=1))
        async with open_judge(judge, state=state, clock=clock) as one:
            for number in range(25):
                await one.ask(question(f"{number}"))

    within(20, work)
    assert clock.now == pytest.approx(20)  # five at once, then one a second


# --- length ---


def test_a_question_that_cannot_fit_is_not_sent(llm: StandIn, state: State) -> None:
    result = ask_one(state, endpoint(llm.base_url, context_tokens=1000), "word " * 2000)
    assert reason_of(result) is Reason.TOO_LONG
    assert llm.chats == []


def test_a_server_that_cuts_questions_without_saying_so_is_found_out(llm: StandIn, state: State) -> None:
    llm.script(Behaviour(usage={"prompt_tokens": 4096, "completion_tokens": 20}))
    result = ask_one(state, endpoint(llm.base_url), "word " * 9000)
    assert reason_of(result) is Reason.TOO_LONG
    assert "4096 tokens of about" in str(result)


# --- what is known of the cost ---


def test_the_cost_is_that_of_the_tokens_billed(llm: StandIn, state: State) -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}
    llm.script(Behaviour(usage=usage))
    result = ask_one(state, endpoint(llm.base_url, price=Price(2, 8, cached_input=0.5)))
    assert isinstance(result, Answer)
    assert result.usage.cost_usd == pytest.approx((50 * 2 + 40 * 0.5 + 10 * 8) / 1e6)
    assert (result.usage.input_tokens, result.usage.output_tokens) == (90, 10)
    assert not result.usage.estimated
    assert result.served_by == "stand-in-1"


@pytest.mark.parametrize(
    "usage",
    [None, "many", {}, {"prompt_tokens": None}, {"prompt_tokens": -5, "completion_tokens": -1},
     {"prompt_tokens": 10**12, "completion_tokens": 10**12}, {"prompt_tokens": "9"}, {"prompt_tokens": True}],
)  # fmt: skip
def test_usage_that_cannot_be_true_is_replaced_and_said_to_be(usage: Any, llm: StandIn, state: State) -> None:
    llm.script(Behaviour(usage=usage))
    result = ask_one(state, endpoint(llm.base_url, price=Price(1, 1)))
    assert isinstance(result, Answer)
    assert result.usage.estimated
    assert 10 < result.usage.input_tokens < 200
    assert 5 < result.usage.output_tokens < 100


def test_without_a_price_there_is_no_cost(llm: StandIn, state: State) -> None:
    result = ask_one(state, endpoint(llm.base_url))
    assert isinstance(result, Answer)
    assert result.usage.cost_usd is None


def test_a_failure_says_what_was_spent_all_the_same(llm: StandIn, state: State) -> None:
    llm.behave = lambda body, number: PROSE
    result = ask_one(state, endpoint(llm.base_url, price=Price(1, 1)))
    assert isinstance(result, JudgeFailed)
    assert result.usage.calls == 2
    assert result.usage.cost_usd == pytest.approx((llm.input_tokens + llm.output_tokens) / 1e6)


# --- nothing is asked twice ---


def test_fifty_who_ask_the_same_at_once_share_one_call(llm: StandIn, state: State) -> None:
    llm.behave = lambda body, number: slowly(0.1)

    async def work() -> list[Answer[Score]]:
        async with open_judge(endpoint(llm.base_url), state=state) as judge:
            return await asyncio.gather(*(judge.ask(question("same")) for _ in range(50)))

    answers = within(20, work)
    assert len(llm.chats) == 1
    assert sum(not answer.cached for answer in answers) == 1
    assert sum(answer.usage.calls for answer in answers) == 1


def test_of_those_who_share_a_call_that_fails_each_is_counted(llm: StandIn, state: State) -> None:
    llm.behave = lambda body, number: REFUSAL.and_(latency_s=0.1)
    log = Log()

    async def work() -> list[Result]:
        judge = endpoint(llm.base_url, price=Price(1, 1))
        async with open_judge(judge, state=state, observe=log) as one:
            return await asyncio.gather(*(outcome(one, question("same")) for _ in range(5)))

    results = within(20, work)
    assert {reason_of(result) for result in results} == {Reason.REFUSED}
    assert len(llm.chats) == 1
    assert len(log.of(facts.Failed)) == 5
    assert sum(result.usage.calls for result in results) == 1


def test_what_was_answered_is_not_asked_again_also_after_a_restart(llm: StandIn, tmp_path: Path) -> None:
    for attempt in range(2):
        with open_state(tmp_path / "judge.sqlite") as state:
            log = Log()
            result = ask_one(state, endpoint(llm.base_url, price=Price(1, 1)), log=log)
            assert isinstance(result, Answer)
            assert result.cached is (attempt == 1)
            assert result.value.score == 4
    assert isinstance(result, Answer)
    assert result.usage == Usage(cost_usd=0.0)
    assert (result.how, result.served_by) == ("json_schema", "stand-in-1")
    assert [fact.cached for fact in log.of(facts.Answered)] == [True]
    assert len(llm.chats) == 1


def test_an_asker_who_goes_away_does_not_waste_the_answer(llm: StandIn, state: State) -> None:
    llm.behave = lambda body, number: slowly(0.2)

    async def work() -> Answer[Score]:
        async with open_judge(endpoint(llm.base_url), state=state) as judge:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(judge.ask(question()), 0.1)
            return await judge.ask(question())

    assert within(20, work).value.score == 4
    assert len(llm.chats) == 1


def test_a_failure_is_not_kept(llm: StandIn, state: State) -> None:
    llm.script(REFUSAL)
    assert reason_of(ask_one(state, endpoint(llm.base_url))) is Reason.REFUSED
    assert value_of(ask_one(state, endpoint(llm.base_url))).score == 4


def test_whoever_still_waits_when_the_judge_is_closed_hears_so(llm: StandIn, state: State) -> None:
    llm.behave = lambda body, number: HANG

    async def work() -> Reason:
        judge = open_judge(endpoint(llm.base_url), state=state)
        waiting = asyncio.create_task(outcome(judge, question()))
        await asyncio.sleep(0.1)
        await judge.aclose()
        return reason_of(await waiting)

    assert within(20, work) is Reason.CONNECTION


# --- embeddings ---


def test_texts_become_vectors_in_order_ten_at_a_time(llm: StandIn, state: State) -> None:
    judge = endpoint(llm.base_url, embedding_model="e", embedding_price=Price(1, 0))
    texts = tuple(f"text number {number}" for number in (*range(23), 3))

    async def work() -> None:
        async with open_judge(judge, state=state) as one:
            assert one.embeds
            many = await one.embed(texts)
            again = await one.embed((texts[17], "another \ud800"))
            assert many.vectors[17] == again.vectors[0]
            assert again.usage.calls == 1
            assert (await one.embed(texts)).usage == Usage(cost_usd=0.0)
            assert many.vectors[3] == many.vectors[23]
            assert len(many.vectors) == 24
            assert many.usage.calls == 3
            assert many.usage.cost_usd is not None
            assert many.usage.cost_usd > 0
            assert (await one.embed(())).vectors == ()

    within(20, work)
    sizes = [len(request.body["input"]) for request in llm.requests if request.path.endswith("/embeddings")]
    assert sizes == [10, 10, 3, 1]


def test_an_endpoint_without_an_embedding_model_says_so(llm: StandIn, state: State) -> None:
    async def work() -> None:
        async with open_judge(endpoint(llm.base_url), state=state) as one:
            assert not one.embeds
            with pytest.raises(JudgeFailed, match="embedding_model"):
                await one.embed(("a",))

    within(20, work)


# --- all together ---


def test_two_hundred_questions_through_everything_at_once_all_end_and_are_counted(
    llm: StandIn, state: State
) -> None:
    chance = random.Random(7)
    menu = [WELL, WELL, FENCED, EMPTY, OUT_OF_LENGTH, CUT, UNAUTHORIZED, *MISBEHAVIOURS.values()]
    llm.behave = lambda body, number: replace(chance.choice(menu), latency_s=chance.random() / 50)
    log = Log()

    async def work() -> list[Result]:
        judge = endpoint(llm.base_url, limits=BUSY, price=Price(1, 1))
        async with open_judge(judge, state=state, observe=log, clock=FastClock()) as one:
            return await asyncio.gather(*(outcome(one, question(f"{number}")) for number in range(200)))

    results = within(60, work)
    answered = [result for result in results if isinstance(result, Answer)]
    assert all(answer.value.score == 4 for answer in answered)
    assert len(answered) == len(log.of(facts.Answered))
    assert len(results) - len(answered) == len(log.of(facts.Failed))
    reasons = {result.reason for result in results if isinstance(result, JudgeFailed)}
    assert reasons.isdisjoint({Reason.BAD_REQUEST, Reason.CONNECTION, Reason.CIRCUIT_OPEN, Reason.STATE})
    assert len(reasons) >= 6
    assert len(log.of(facts.Called)) == llm.calls["/v1/chat/completions"]
    spent = sum(result.usage.cost_usd or 0 for result in results)
    assert within(10, state.ledger.spent)[0].amount.usd == pytest.approx(spent)
    assert spent >= (llm.input_tokens + llm.output_tokens) / 1e6 - 1e-9


def test_a_judge_is_what_others_take_for_one(llm: StandIn, state: State) -> None:
    from judges.llm.asking import Embedder, Judge

    async def work() -> tuple[Judge, Embedder]:
        async with open_judge(endpoint(llm.base_url), state=state) as one:
            assert isinstance(one, LlmJudge)
            assert (one.name, one.model) == ("judge", "m")
            forecast = one.forecast([question("a"), question("b")])
            assert (forecast.asks, forecast.likely_usd) == (2, None)
            return one, one

    within(10, work)
    assert Message("user", "x").role == "user"
