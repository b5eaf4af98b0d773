"""The client of LLM judges, over real HTTP, against a server that misbehaves in every way we know of."""

from __future__ import annotations

import asyncio
import socketserver
import threading
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from judges.llm import facts
from judges.llm.asking import Answer, JudgeFailed, Reason
from judges.llm.client import open_judge
from judges.llm.endpoint import Limits, Price
from judges.llm.state import State, open_state
from judges.llm.transport import LONGEST_CHAT
from tests.support.asking import (
    Log,
    Score,
    ask_one,
    endpoint,
    question,
    reason_of,
    value_of,
    within,
)
from tests.support.stand_in_behaviours import error
from tests.support.stand_in_llm import (
    KEY,
    MISBEHAVIOURS,
    Abilities,
    Behaviour,
    StandIn,
)

GOOD = {"reasoning": "It says what the documents say.", "score": 4}


def patient(name: str) -> Limits:
    """Waits long enough for a busy machine, and not much longer for a server that hangs."""
    return Limits(timeout_s=1.0 if name == "hang" else 20.0, attempts=2, breaker_failures=1000)


@pytest.fixture
def llm() -> Iterator[StandIn]:
    with StandIn(answer=lambda body: GOOD) as stand_in:
        yield stand_in


@pytest.fixture
def state() -> Iterator[State]:
    with open_state(None) as opened:
        yield opened


# --- one request ---

FOR_GOOD: dict[str, Reason] = {
    "429": Reason.RATE_LIMITED,
    "500": Reason.SERVER_ERROR,
    "503": Reason.SERVER_ERROR,
    "401": Reason.UNAUTHORIZED,
    "context overflow": Reason.TOO_LONG,
    "content filter": Reason.REFUSED,
    "hang": Reason.TIMEOUT,
    "cut": Reason.CUT,
    "prose": Reason.UNREADABLE,
    "empty": Reason.EMPTY,
    "null": Reason.EMPTY,
    "refusal": Reason.REFUSED,
    "filtered": Reason.REFUSED,
    "out of length": Reason.CUT,
    "not JSON at all": Reason.SERVER_ERROR,
    "NaN": Reason.INVALID,
    "infinity": Reason.INVALID,
    "absurd scores": Reason.INVALID,
    "wrong types": Reason.INVALID,
    "missing keys": Reason.INVALID,
}
"""What each misbehaviour comes to where it never ends; those that are not here are answers all the same."""


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_whatever_a_server_does_for_good_ends_as_an_answer_or_the_right_reason(
    name: str, llm: StandIn, state: State
) -> None:
    llm.behave = lambda body, number: MISBEHAVIOURS[name]
    log = Log()
    result = ask_one(state, endpoint(llm.base_url, limits=patient(name)), log=log)
    if name in FOR_GOOD:
        assert reason_of(result) is FOR_GOOD[name]
        assert [fact.reason for fact in log.of(facts.Failed)] == [FOR_GOOD[name]]
    else:
        assert value_of(result).score == 4
        assert len(log.of(facts.Answered)) == 1
    assert len(log.of(facts.Called)) == len(llm.chats) <= 4


@pytest.mark.parametrize("name", ["429", "500", "503", "hang", "cut", "not JSON at all"])
def test_what_passes_is_tried_again_and_counted(name: str, llm: StandIn, state: State) -> None:
    llm.script(MISBEHAVIOURS[name])
    log = Log()
    result = ask_one(state, endpoint(llm.base_url, limits=patient(name)), log=log)
    assert value_of(result).score == 4
    assert [fact.reason for fact in log.of(facts.Retried)] == [FOR_GOOD[name]]
    assert [fact.reason for fact in log.of(facts.Called)] == [FOR_GOOD[name], None]


@pytest.mark.parametrize("name", ["prose", "NaN", "infinity", "absurd scores", "wrong types", "missing keys"])
def test_what_cannot_be_used_gets_one_more_turn_that_says_why(name: str, llm: StandIn, state: State) -> None:
    llm.script(MISBEHAVIOURS[name])
    log = Log()
    result = ask_one(state, endpoint(llm.base_url), log=log)
    assert isinstance(result, Answer)
    assert (result.value.score, result.how) == (4, "repaired")
    assert log.fallbacks() == {"repair": 1}
    turns = llm.chats[1].body["messages"]
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]
    assert "could not be used" in turns[-1]["content"]


def test_the_request_is_what_servers_document(llm: StandIn, state: State) -> None:
    judge = endpoint(
        llm.base_url, api_key=KEY, headers={"X-Team": "quality"}, body={"enable_thinking": False}
    )
    ask_one(state, judge, "Ist es gut? 好吗？")
    sent = llm.chats[0]
    assert sent.headers["Authorization"] == f"Bearer {KEY}"
    assert sent.headers["X-Team"] == "quality"
    schema = sent.body.pop("response_format")["json_schema"]
    assert schema["strict"] is True
    assert list(schema["schema"]["properties"]) == ["reasoning", "score"]
    assert sent.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You judge answers."},
            {"role": "user", "content": "Ist es gut? 好吗？"},
        ],
        "max_tokens": 256,
        "temperature": 0.0,
        "enable_thinking": False,
    }


def test_nothing_is_taken_from_variables_that_are_meant_for_others(
    llm: StandIn, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "not-for-you")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert value_of(ask_one(state, endpoint(llm.base_url))).score == 4
    assert "not-for-you" not in str(llm.chats[0].headers)


def test_a_lone_surrogate_in_monitored_text_does_not_stop_its_question(llm: StandIn, state: State) -> None:
    assert value_of(ask_one(state, endpoint(llm.base_url), "bad \ud800 text")).score == 4


# --- what an endpoint cannot do ---


@pytest.mark.parametrize(
    ("abilities", "fallbacks", "how"),
    [
        (Abilities(json_schema=False), ["json_object"], "json_object"),
        (Abilities(json_schema=False, json_object=False), ["json_object", "prose"], "prose"),
        (Abilities(temperature_zero=False), ["temperature"], "json_schema"),
        (Abilities(max_tokens=False), ["length_name"], "json_schema"),
    ],
)
def test_what_an_endpoint_refuses_is_done_another_way_and_not_tried_again(
    abilities: Abilities, fallbacks: list[str], how: str, llm: StandIn, state: State
) -> None:
    llm.abilities = abilities
    log = Log()

    async def work() -> list[Answer[Score]]:
        async with open_judge(endpoint(llm.base_url), state=state, observe=log) as judge:
            return [await judge.ask(question(f"{number}")) for number in range(3)]

    answers = within(20, work)
    assert [answer.value.score for answer in answers] == [4, 4, 4]
    assert {answer.how for answer in answers} == {how}
    assert log.fallbacks() == Counter(fallbacks)
    assert len(llm.chats) == 3 + len(fallbacks)


def test_thirty_questions_at_once_learn_it_together(llm: StandIn, state: State) -> None:
    llm.abilities = Abilities(json_schema=False, temperature_zero=False, max_tokens=False)

    async def work() -> tuple[list[Answer[Score]], Answer[Score]]:
        async with open_judge(endpoint(llm.base_url), state=state) as judge:
            first = await asyncio.gather(*(judge.ask(question(f"{number}")) for number in range(30)))
            before = len(llm.chats)
            last = await judge.ask(question("last"))
            assert len(llm.chats) == before + 1
            return first, last

    first, last = within(30, work)
    assert {answer.value.score for answer in [*first, last]} == {4}
    body = llm.chats[-1].body
    assert body["temperature"] == 0.1
    assert "max_completion_tokens" in body
    assert body["response_format"] == {"type": "json_object"}


def test_a_server_that_takes_a_schema_and_ignores_it_is_told_in_words_after_three_answers(
    llm: StandIn, state: State
) -> None:
    llm.answer = lambda body: "4 out of 5" if "response_format" in body and (
        body["response_format"]["type"] == "json_schema" and len(body["messages"]) == 2
    ) else GOOD  # fmt: skip
    log = Log()

    async def work() -> list[str]:
        async with open_judge(endpoint(llm.base_url), state=state, observe=log) as judge:
            return [(await judge.ask(question(f"{number}"))).how for number in range(5)]

    assert within(20, work) == ["repaired", "repaired", "repaired", "json_object", "json_object"]
    assert log.fallbacks() == {"repair": 3, "json_object": 1}


def test_thoughts_of_a_reasoning_model_are_no_answer(llm: StandIn, state: State) -> None:
    thoughts = {"reasoning_content": '{"reasoning": "first guess", "score": 1}'}
    llm.script(Behaviour(message=thoughts), Behaviour(message=thoughts, content=lambda text: None))
    assert value_of(ask_one(state, endpoint(llm.base_url), "a")).score == 4
    assert reason_of(ask_one(state, endpoint(llm.base_url), "b")) is Reason.EMPTY


# --- no server ---


def test_an_address_where_nobody_listens_is_a_connection_failure_that_costs_nothing(state: State) -> None:
    result = ask_one(state, endpoint("http://127.0.0.1:9/v1", price=Price(1, 1)))
    assert reason_of(result) is Reason.CONNECTION
    assert isinstance(result, JudgeFailed)
    assert result.usage.cost_usd == 0
    assert within(10, state.ledger.spent)[0].amount.nano == 0


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (error(402, "Insufficient Balance"), Reason.UNAUTHORIZED),
        (error(429, "You exceeded your current quota", "insufficient_quota"), Reason.UNAUTHORIZED),
        (error(404, "The model `m` does not exist"), Reason.BAD_REQUEST),
        (error(413, "Request Entity Too Large"), Reason.TOO_LONG),
        (error(504, "Gateway Time-out"), Reason.TIMEOUT),
        (error(307, "Temporary Redirect").and_(headers={"Location": "/v1/elsewhere"}), Reason.BAD_REQUEST),
        (
            Behaviour(raw=b'{"error": {"code": 429, "message": "slow down"}}'),
            Reason.RATE_LIMITED,
        ),
        (Behaviour(raw=b'{"choices": []}'), Reason.SERVER_ERROR),
        (Behaviour(raw=b'{"choices": [{"message": "text"}]}'), Reason.SERVER_ERROR),
        (Behaviour(raw=b"[1]"), Reason.SERVER_ERROR),
        (Behaviour(raw=b"\xff\xfe\x00"), Reason.SERVER_ERROR),
        (Behaviour(raw=b"no gzip", headers={"Content-Encoding": "gzip"}), Reason.CONNECTION),
        (Behaviour(raw=b""), Reason.SERVER_ERROR),
    ],
)
def test_other_ways_of_failing_have_their_reasons_too(
    behaviour: Behaviour, reason: Reason, llm: StandIn, state: State
) -> None:
    llm.behave = lambda body, number: behaviour
    assert reason_of(ask_one(state, endpoint(llm.base_url, limits=patient("")))) is reason


PACKED = zlib.compress(bytes(256 << 20), 9, wbits=31)
"""256 MiB, in a quarter of one."""


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(endless=b'{"choices": [' + b" " * 65_000),
        Behaviour(endless=b" " * 65_000, status=400),
        Behaviour(endless=b" " * 65_000, status=500),
        Behaviour(raw=PACKED, headers={"Content-Encoding": "gzip"}),
    ],
    ids=["answer", "refusal", "error", "packed"],
)
def test_an_answer_without_end_is_let_go_of_and_takes_little_memory(
    behaviour: Behaviour, llm: StandIn, state: State
) -> None:
    llm.behave = lambda body, number: behaviour
    log = Log()
    tracemalloc.start()
    try:
        result = ask_one(state, endpoint(llm.base_url, limits=patient("")), log=log)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(result, JudgeFailed)
    assert result.reason is Reason.CUT
    assert "more than 8 MiB" in result.detail
    assert most < 3 * LONGEST_CHAT
    assert [fact.reason for fact in log.of(facts.Failed)] == [Reason.CUT]
    assert len(llm.chats) == 2


def test_a_server_that_speaks_no_http_is_away_rather_than_an_error_of_ours(state: State) -> None:
    with speaking(b"\x15\x03\x03\x00\x02\x02\x0a") as base_url:  # what TLS says to plain HTTP
        result = ask_one(state, endpoint(base_url, limits=Limits(timeout_s=20, attempts=1)))
    assert reason_of(result) is Reason.CONNECTION
    assert isinstance(result, JudgeFailed)
    assert result.usage.calls == 1
    assert "is it https?" in result.detail


@pytest.mark.parametrize(
    "behaviour",
    [
        error(400, f"Bad header: Bearer {KEY} of hidden-team"),
        error(401, f"Incorrect API key provided: {KEY} of hidden-team"),
        Behaviour(raw=f"<html>{KEY} hidden-team</html>".encode()),
    ],
)
def test_a_key_that_a_server_says_back_is_not_repeated(
    behaviour: Behaviour, llm: StandIn, state: State
) -> None:
    llm.behave = lambda body, number: behaviour
    ours = endpoint(llm.base_url, api_key=KEY, headers={"X-Team": "hidden-team"}, limits=patient(""))
    result = ask_one(state, ours)
    assert isinstance(result, JudgeFailed)
    assert "[hidden]" in result.detail
    assert KEY not in result.detail
    assert "hidden-team" not in result.detail


@contextmanager
def speaking(said: bytes) -> Iterator[str]:
    """A server that says the same to everybody, whatever it is asked; yields its base URL."""

    class Says(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1 << 16)
            self.request.sendall(said)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Says) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
