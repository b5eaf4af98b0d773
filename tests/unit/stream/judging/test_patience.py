"""What is waited for, what is raised, and for how long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from judges.llm.asking import Answer, Ask, JudgeFailed, Reason, Usage
from stream.judging.patience import AWAY, REFUSALS_IN_A_ROW, Absence, Patience, PatientJudge, Pauses


class Form(BaseModel):
    said: str = "yes"


ASK: Ask[Form] = Ask("claims", (), Form)


class Scripted:
    """Fails as told, then answers."""

    name = model = "scripted"

    def __init__(self, *failures: JudgeFailed) -> None:
        self._failures = list(failures)

    async def ask(self, ask: Ask[Any]) -> Answer[Any]:
        if self._failures:
            raise self._failures.pop(0)
        return Answer(Form(), Usage(1, 100, 10, 0.5))


def failure(reason: Reason, retry_after_s: float | None = None) -> JudgeFailed:
    return JudgeFailed(reason, "so it is", Usage(1, 7, 0, 0.25), retry_after_s)


def ask(judge: Scripted, patience: Patience = Patience(), absence: Absence | None = None) -> Answer[Form]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    patient = PatientJudge(judge, patience, absence or Absence(), sleep=sleep, chance=lambda: 1.0)
    return asyncio.run(patient.ask(ASK))


@pytest.mark.parametrize("reason", sorted(AWAY))
def test_an_endpoint_that_answers_nobody_is_waited_for_however_long(reason: Reason) -> None:
    absence = Absence()
    answer = ask(Scripted(*(failure(reason) for _ in range(50))), absence=absence)
    assert answer.value.said == "yes"
    assert answer.usage == Usage(51, 450, 10, 13.0)
    assert absence.waiting.total() == 0


@pytest.mark.parametrize("reason", sorted(set(Reason) - AWAY))
def test_what_the_client_gave_up_is_not_asked_again(reason: Reason) -> None:
    with pytest.raises(JudgeFailed) as caught:
        ask(Scripted(failure(reason)))
    assert caught.value.reason is reason


def test_questions_refused_one_after_the_other_are_no_fault_of_the_questions() -> None:
    absence = Absence()
    for _ in range(REFUSALS_IN_A_ROW - 1):
        with pytest.raises(JudgeFailed):
            ask(Scripted(failure(Reason.BAD_REQUEST)), absence=absence)
    answer = ask(Scripted(failure(Reason.BAD_REQUEST), failure(Reason.BAD_REQUEST)), absence=absence)
    assert answer.value.said == "yes", "it waited for the endpoint to be mended"
    with pytest.raises(JudgeFailed):
        ask(Scripted(failure(Reason.BAD_REQUEST)), absence=absence)


def test_a_command_that_somebody_watches_does_not_wait() -> None:
    with pytest.raises(JudgeFailed) as caught:
        ask(Scripted(failure(Reason.UNAUTHORIZED)), Patience(waits=False))
    assert caught.value.usage == Usage(1, 7, 0, 0.25)


def test_pauses_double_up_to_a_limit_and_are_never_in_step() -> None:
    longest = Pauses(Patience(first_s=1, max_s=4), lambda: 1.0)
    shortest = Pauses(Patience(first_s=1, max_s=4), lambda: 0.0)
    assert [longest.next_s(None) for _ in range(4)] == [1, 2, 4, 4]
    assert [shortest.next_s(None) for _ in range(4)] == [0.5, 1, 2, 2]


def test_a_server_that_says_when_to_come_back_is_heeded_within_reason() -> None:
    pauses = Pauses(Patience(first_s=1, longest_wish_s=60), lambda: 0.0)
    assert pauses.next_s(20) == 20
    assert pauses.next_s(9_999) == 60
