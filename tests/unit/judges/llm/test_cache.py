"""Answers that were paid for once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import BaseModel

from judges.llm.asking import Ask, Message
from judges.llm.bounds import Bounds
from judges.llm.cache import Kept, key_of
from judges.llm.endpoint import Endpoint
from judges.llm.forms import schema_of
from judges.llm.state import open_state
from tests.support.asking import Score, question, within

JUDGE = Endpoint("judge", "http://localhost:1/v1", "m")


def key(judge: Endpoint = JUDGE, ask: Ask[Score] | None = None) -> str:
    ask = ask or question()
    return key_of(judge, ask, schema_of(ask.form))


@pytest.mark.parametrize(
    "changes",
    [
        {"base_url": "http://localhost:2/v1"}, {"model": "n"}, {"temperature": 0.5}, {"temperature": None},
        {"body": {"enable_thinking": False}},
    ],
)  # fmt: skip
def test_whatever_may_change_the_answer_changes_the_key(changes: dict[str, object]) -> None:
    assert key(replace(JUDGE, **changes)) != key()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "messages",
    [
        (Message("system", "You judge answers."), Message("user", "Is it good? ")),
        (Message("system", "You judge answers."), Message("assistant", "Is it good?")),
        (Message("system", "You judge answers.Is it good?"),),
    ],
)
def test_so_does_each_word_said_and_who_said_it(messages: tuple[Message, ...]) -> None:
    assert key(ask=replace(question(), messages=messages)) != key()


def test_so_does_the_order_of_the_fields() -> None:
    class Score(BaseModel):
        score: int
        reasoning: str

    class Reversed(BaseModel):
        reasoning: str
        score: int

    assert key_of(JUDGE, question(), schema_of(Score)) != key_of(JUDGE, question(), schema_of(Reversed))


def test_whose_budget_pays_and_what_it_is_called_do_not() -> None:
    ask = replace(question(tenant="shop", most=9), trace_id="t", purpose="other")
    judge = replace(JUDGE, name="other", api_key="secret")
    assert key(judge, ask) == key()


def test_a_text_that_utf8_cannot_hold_has_a_key_all_the_same() -> None:
    assert key(ask=question("\ud800")) != key(ask=question("\udfff"))


def test_answers_are_kept_until_they_are_too_old() -> None:
    now = 1e9

    async def use() -> list[Kept | None]:
        nonlocal now
        found = []
        await state.answers.put("k", Kept("{}", "prose", "m-1"))
        for _ in range(2):
            found.append(await state.answers.get("k"))
            now += 100
        return [*found, await state.answers.get("other")]

    with open_state(None, bounds=Bounds(age_s=100), wall=lambda: now) as state:
        assert within(10, use) == [Kept("{}", "prose", "m-1"), None, None]


def test_an_age_of_zero_keeps_nothing() -> None:
    async def use() -> Kept | None:
        await state.answers.put("k", Kept("{}", "prose", "m"))
        return await state.answers.get("k")

    with open_state(None, bounds=Bounds(age_s=0)) as state:
        assert within(10, use) is None


def test_the_oldest_make_room_for_the_newest() -> None:
    now = 1e9

    async def use() -> tuple[int, Kept | None, Kept | None]:
        nonlocal now
        for number in range(640):
            now += 1
            await state.answers.put(f"{number:04}", Kept("x" * 932, "prose", "m"))  # 1,000 bytes as counted
        count = await state.file.run(lambda db: db.execute("SELECT count(*) FROM answers").fetchone()[0])
        return count, await state.answers.get("0000"), await state.answers.get("0639")

    with open_state(None, bounds=Bounds(bytes=100_000), wall=lambda: now) as state:
        count, first, last = within(20, use)
    assert count <= 100
    assert first is None
    assert last is not None


def test_an_answer_larger_than_all_room_is_not_kept() -> None:
    with open_state(None, bounds=Bounds(bytes=100)) as state:
        within(10, lambda: state.answers.put("k", Kept("x" * 200, "prose", "m")))
        assert within(10, lambda: state.answers.get("k")) is None
