"""A judge behind an OpenAI-compatible endpoint: asks for a filled form, by whatever means the server has.

A question goes through, in this order: whoever asks the same at this moment; the cache; the best way to ask
that the endpoint is known to take (`abilities`); the line, which limits, pays, sends and retries (`line`);
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
from judges.llm.abilities import Abilities, Mode
from judges.llm.asking import Answer, Ask, Embedded, Filled, How, JudgeFailed, Message, Reason, Usage
from judges.llm.cache import Kept, key_of
from judges.llm.clock import Clock, SystemClock
from judges.llm.completion import Completion, read_completion
from judges.llm.embedding import embed_all
from judges.llm.endpoint import Endpoint
from judges.llm.forecast import LIKELY_SHARE, Forecast, forecast
from judges.llm.forms import in_words, repair, schema_of, schema_text
from judges.llm.line import Bill, Errand, Line, Refused
from judges.llm.reading import Misfit, read_form
from judges.llm.state import State, StateError
from judges.llm.tokens import Correction, bill_of, bound_messages, estimate_messages, was_cut_short
from judges.llm.transport import Transport

_LESSONS: Final = 8
"""So many refusals may teach how one question has to be put."""
_QUOTED_BACK: Final = 4000
"""Characters of an unusable answer that are shown to the model again."""
_SLACK: Final = 0.75
"""Our estimate may be that much too high; what is longer for certain is not sent."""


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
        self._abilities = Abilities(endpoint.temperature)
        self._learned_as = f"{endpoint.base_url} {endpoint.model}"
        self._correction = Correction(state.recall(f"tokens {self._learned_as}") or 1.0)
        self._output_share = state.recall(f"output {self._learned_as}") or LIKELY_SHARE
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
            completion, mode = await self._complete(ask, messages, spent)
            if (failure := completion.failure()) is not None:
                raise failure
            try:
                value, alone = read_form(completion.text, ask.form)
            except Misfit as misfit:
                if not repaired:
                    self._stray(ask, mode, fits=False)
                if repaired or misfit.reason is Reason.REFUSED:
                    raise JudgeFailed(misfit.reason, str(misfit)) from misfit
                repaired = True
                self._observe(facts.FellBack(self.name, ask.purpose, "repair"))
                answered = completion.text[:_QUOTED_BACK]
                messages = repair(ask.messages, answered, str(misfit), ask.form)
                continue
            if not repaired:
                self._stray(ask, mode, fits=True)
            how: How = "repaired" if repaired else mode if alone else "prose"
            return Answer(value, spent, how, completion.served_by)

    def _stray(self, ask: Ask[Filled], mode: Mode, *, fits: bool) -> None:
        if (new := self._abilities.obeyed(mode, fits)) is not None:
            self._observe(facts.FellBack(self.name, ask.purpose, new))

    async def _complete(
        self, ask: Ask[Filled], messages: tuple[Message, ...], spent: Usage
    ) -> tuple[Completion, Mode]:
        """What the model wrote, asked in the best way that the endpoint takes, and which way that was."""
        for _ in range(_LESSONS):
            mode = self._abilities.mode
            by_schema = mode == "json_schema"
            said = messages if by_schema else in_words(messages, ask.form)
            name = ask.form.__name__[:64]
            most = ask.max_output_tokens + self.endpoint.reasoning_tokens
            body = self._abilities.body(self.model, said, name, schema_of(ask.form), most)
            body |= self.endpoint.body
            errand = self._errand(ask, said, body, schema_text(ask.form) if by_schema else "", most)
            try:
                return await self._line.run(errand, spent), mode
            except Refused as refused:
                lesson = None
                if refused.reason in (Reason.BAD_REQUEST, Reason.SERVER_ERROR):
                    lesson = self._abilities.learn(body, refused.status, refused.said)
                if lesson is None:
                    raise
                self._observe(facts.FellBack(self.name, ask.purpose, lesson))
        raise JudgeFailed(Reason.BAD_REQUEST, f"{self.name} refused every way to ask")

    def _errand(
        self,
        ask: Ask[Filled],
        said: tuple[Message, ...],
        body: dict[str, Any],
        schema: str,
        most_output: int,
    ) -> Errand[Completion]:
        raw = estimate_messages(said, schema)
        room = self.endpoint.context_tokens
        if room is not None and raw * _SLACK + most_output > room:
            detail = f"about {raw} tokens and {most_output} of answer do not fit into {room}"
            raise JudgeFailed(Reason.TOO_LONG, detail)
        bound = bound_messages(said, schema)

        def read(data: bytes) -> Completion:
            completion = read_completion(data)
            if was_cut_short(raw, completion.input_tokens):
                raise JudgeFailed(
                    Reason.TOO_LONG,
                    f"the server read {completion.input_tokens} tokens of about {raw}: it cuts questions "
                    "short without saying so; give its model a larger context",
                )
            return completion

        def bill(completion: Completion) -> Bill:
            billed = Bill(*bill_of(completion, raw, bound, self._correction))
            self._output_share += (min(1.0, billed.output_tokens / most_output) - self._output_share) * 0.05
            return billed

        return Errand(
            purpose=ask.purpose,
            tenant=ask.tenant,
            send=lambda: self._transport.chat(body),
            read=read,
            bill=bill,
            expected_tokens=self._correction.corrected(raw) + most_output,
            most_input=bound,
            most_output=most_output,
            price=self.endpoint.price,
        )

    def forecast(self, asks: Iterable[Ask[Any]]) -> Forecast:
        """What `asks` would cost here, going by what the endpoint taught so far. Nothing is sent."""
        return forecast(
            asks,
            self.endpoint.price,
            input_factor=self._correction.factor,
            output_share=self._output_share,
            reasoning_tokens=self.endpoint.reasoning_tokens,
        )

    async def embed(self, texts: tuple[str, ...], *, tenant: str = "", trace_id: str = "") -> Embedded:
        """A vector for each text, by the endpoint's embedding model. Raises JudgeFailed."""
        return await embed_all(self.endpoint, self._transport, self._line, texts, tenant)

    async def aclose(self) -> None:
        """Give up what is on its way, and close the connections."""
        flying = list(self._flying.values())
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)
        with contextlib.suppress(StateError):  # worth a few calls of learning, no more
            await self._state.remember(f"tokens {self._learned_as}", self._correction.factor)
            await self._state.remember(f"output {self._learned_as}", self._output_share)
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
