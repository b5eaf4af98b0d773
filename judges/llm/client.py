"""A judge behind an OpenAI-compatible endpoint: asks for a filled form, by whatever means the server has.

A question goes through, in this order: whoever asks the same at this moment; the cache; the best way to ask
that the endpoint is known to take (`dialogue`); the line, which limits, pays, sends and retries (`line`);
the reading of what was written (`reading`), and at most one more turn that says what was wrong with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import random as chance
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import TracebackType
from typing import Any, Final, Self, get_args

from pydantic import ValidationError

from judges.llm import facts
from judges.llm.asking import Answer, Ask, Embedded, Filled, How, JudgeFailed, Reason, Usage
from judges.llm.cache import Kept, key_of
from judges.llm.clock import Clock, SystemClock
from judges.llm.dialogue import Dialogue
from judges.llm.embedding import embed_all
from judges.llm.endpoint import Endpoint
from judges.llm.forecast import Forecast
from judges.llm.forms import repair, schema_of
from judges.llm.line import Line
from judges.llm.reading import Misfit, read_form
from judges.llm.state import State, StateError
from judges.llm.transport import Transport

_QUOTED_BACK: Final = 4000
"""Characters of an unusable answer that are shown to the model again."""


class LlmJudge:
    """A model that can be asked. Made by `open_judge`; close it, or use it in an `async with`."""

    def __init__(
        self,
        endpoint: Endpoint,
        state: State,
        observe: facts.Observe,
        clock: Clock,
        random: Callable[[], float],
    ) -> None:
        self.endpoint = endpoint
        self._state = state
        self._observe = observe
        self._transport = Transport(endpoint)
        self._line = Line(endpoint, state, observe, clock, random)
        self._dialogue = Dialogue(endpoint, state, self._transport, self._line, observe)
        self._flying: dict[str, asyncio.Task[Answer[Any]]] = {}

    @property
    def name(self) -> str:
        """As in verdicts."""
        return self.endpoint.name

    @property
    def model(self) -> str:
        """As the endpoint calls it."""
        return self.endpoint.model

    @property
    def embeds(self) -> bool:
        """Whether `embed` may be called: an embedding model is set."""
        return self.endpoint.embedding_model is not None

    async def ask(self, ask: Ask[Filled]) -> Answer[Filled]:
        """The filled form. Raises JudgeFailed, and nothing else, when there is none.

        Whoever asks the same while it is being answered waits for that answer. A question that was begun is
        finished also if its asker is cancelled, since it is paid for; its answer is in the cache then.
        """
        key = key_of(self.endpoint, ask, schema_of(ask.form))
        flying = self._flying.get(key)
        if flying is None:
            flying = asyncio.create_task(self._answer(key, ask))
            self._flying[key] = flying
            flying.add_done_callback(lambda task: self._landed(key, task))
            answer: Answer[Filled] = await self._outcome(flying)
        else:
            answer = await self._share(flying, ask)
        self._observe(
            facts.Answered(self.name, ask.purpose, ask.tenant, answer.how, answer.cached, answer.usage)
        )
        return answer

    async def _share(self, flying: asyncio.Task[Answer[Any]], ask: Ask[Any]) -> Answer[Any]:
        """What another asker gets to hear, whose the cost is."""
        try:
            return replace(await self._outcome(flying), usage=self._nothing(), cached=True)
        except JudgeFailed as failed:
            self._observe(facts.Failed(self.name, ask.purpose, ask.tenant, failed.reason, Usage()))
            raise JudgeFailed(failed.reason, failed.detail, retry_after_s=failed.retry_after_s) from failed

    def _nothing(self) -> Usage:
        """What an answer costs that was paid for before: nothing, where money is counted."""
        return Usage(cost_usd=None if self.endpoint.price is None else 0.0)

    async def _outcome(self, flying: asyncio.Task[Answer[Any]]) -> Answer[Any]:
        try:
            return await asyncio.shield(flying)
        except asyncio.CancelledError:
            asking = asyncio.current_task()
            if flying.cancelled() and asking is not None and not asking.cancelling():
                raise JudgeFailed(Reason.CONNECTION, f"{self.name} was closed meanwhile") from None
            raise

    def _landed(self, key: str, task: asyncio.Task[Answer[Any]]) -> None:
        self._flying.pop(key, None)
        if not task.cancelled():
            task.exception()  # it was raised to whoever waited

    async def _answer(self, key: str, ask: Ask[Filled]) -> Answer[Filled]:
        spent = Usage()
        try:
            kept = None if ask.fresh else await self._state.answers.get(key)
            if kept is not None and (value := _refill(kept, ask.form)) is not None:
                return Answer(value, self._nothing(), _how(kept.how), kept.served_by, cached=True)
            answer = await self._ask_anew(ask, spent)
        except (JudgeFailed, StateError) as error:
            raise self._failed(ask, error, spent) from error
        await self._keep(key, answer)
        return answer

    def _failed(self, ask: Ask[Filled], error: JudgeFailed | StateError, spent: Usage) -> JudgeFailed:
        if isinstance(error, StateError):
            failed = JudgeFailed(Reason.STATE, str(error), spent)
        else:
            failed = JudgeFailed(error.reason, error.detail, spent, error.retry_after_s)
        self._observe(facts.Failed(self.name, ask.purpose, ask.tenant, failed.reason, spent))
        return failed

    async def _keep(self, key: str, answer: Answer[Filled]) -> None:
        try:
            kept = Kept(answer.value.model_dump_json(), answer.how, answer.served_by)
            await self._state.answers.put(key, kept)
        except StateError as error:  # it is paid for: better told than lost
            self._observe(facts.StateTroubled(self.name, str(error)))

    async def _ask_anew(self, ask: Ask[Filled], spent: Usage) -> Answer[Filled]:
        messages = ask.messages
        repaired = False
        while True:
            completion, mode = await self._dialogue.complete(ask, messages, spent)
            if (failure := completion.failure()) is not None:
                raise failure
            try:
                value, alone = read_form(completion.text, ask.form)
            except Misfit as misfit:
                if not repaired:
                    self._dialogue.took(ask, mode, fits=False)
                if repaired or misfit.reason is Reason.REFUSED:
                    raise JudgeFailed(misfit.reason, str(misfit)) from misfit
                repaired = True
                self._observe(facts.FellBack(self.name, ask.purpose, "repair"))
                answered = completion.text[:_QUOTED_BACK]
                messages = repair(ask.messages, answered, str(misfit), ask.form)
                continue
            if not repaired:
                self._dialogue.took(ask, mode, fits=True)
            how: How = "repaired" if repaired else mode if alone else "prose"
            return Answer(value, spent, how, completion.served_by)

    def forecast(self, asks: Iterable[Ask[Any]]) -> Forecast:
        """What `asks` would cost here, going by what the endpoint taught so far. Nothing is sent."""
        return self._dialogue.forecast(asks)

    async def embed(self, texts: tuple[str, ...], *, tenant: str = "", trace_id: str = "") -> Embedded:
        """A vector for each text, by the endpoint's embedding model. Raises JudgeFailed."""
        answers = self._state.answers
        return await embed_all(self.endpoint, self._transport, self._line, answers, texts, tenant)

    async def aclose(self) -> None:
        """Give up what is on its way, and close the connections."""
        flying = list(self._flying.values())
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)
        with contextlib.suppress(StateError):  # worth a few calls of learning, no more
            await self._dialogue.remember()
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def open_judge(
    endpoint: Endpoint,
    *,
    state: State,
    observe: facts.Observe = facts.ignore,
    clock: Clock | None = None,
    random: Callable[[], float] = chance.random,
) -> LlmJudge:
    """The judge behind an endpoint. Nothing is sent yet. `random` gives numbers in [0, 1), for retries.

    Judges of one process share one `state`, and with it the budget and the cache.
    """
    return LlmJudge(endpoint, state, observe, clock or SystemClock(), random)


def _refill(kept: Kept, form: type[Filled]) -> Filled | None:
    try:
        return form.model_validate_json(kept.value)
    except ValidationError:  # the form got stricter rules since: ask again
        return None


def _how(kept: str) -> How:
    return next((how for how in get_args(How) if how == kept), "repaired")


__all__ = ["LlmJudge", "open_judge"]
