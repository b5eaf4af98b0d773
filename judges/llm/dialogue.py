"""One turn with an endpoint: put in the best way that it takes, which is learned from what it refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from judges.llm import facts
from judges.llm.abilities import Abilities, Mode
from judges.llm.asking import Ask, Filled, JudgeFailed, Message, Reason, Usage
from judges.llm.completion import Completion, read_completion
from judges.llm.endpoint import Endpoint
from judges.llm.forecast import LIKELY_SHARE, Forecast, forecast
from judges.llm.forms import in_words, schema_of, schema_text
from judges.llm.line import Bill, Errand, Line, Refused
from judges.llm.state import State
from judges.llm.tokens import Correction, bill_of, bound_messages, estimate_messages, was_cut_short
from judges.llm.transport import Transport

_LESSONS: Final = 8
"""So many refusals may teach how one question has to be put."""
_SLACK: Final = 0.75
"""Our estimate may be that much too high; what is longer for certain is not sent."""
_NEW_SHARE: Final = 0.05
"""What the latest bill counts for in the share of allowed output that is used."""


class Dialogue:
    """What is known of how an endpoint wants to be asked, and what it bills; and asking it so."""

    def __init__(
        self, endpoint: Endpoint, state: State, transport: Transport, line: Line, observe: facts.Observe
    ) -> None:
        self._endpoint = endpoint
        self._state = state
        self._transport = transport
        self._line = line
        self._observe = observe
        self._abilities = Abilities(endpoint.temperature)
        self._learned_as = f"{endpoint.base_url} {endpoint.model}"
        self._correction = Correction(state.recall(f"tokens {self._learned_as}") or 1.0)
        self._output_share = state.recall(f"output {self._learned_as}") or LIKELY_SHARE

    async def remember(self) -> None:
        """Keep what the bills taught for the next process. Raises StateError."""
        await self._state.remember(f"tokens {self._learned_as}", self._correction.factor)
        await self._state.remember(f"output {self._learned_as}", self._output_share)

    def forecast(self, asks: Iterable[Ask[Any]]) -> Forecast:
        """What `asks` would cost, going by what the bills taught. Nothing is sent."""
        return forecast(
            asks,
            self._endpoint.price,
            input_factor=self._correction.factor,
            output_share=self._output_share,
            reasoning_tokens=self._endpoint.reasoning_tokens,
        )

    def took(self, ask: Ask[Filled], mode: Mode, *, fits: bool) -> None:
        """Take note of whether an answer to `ask`, asked in this mode, fitted its form."""
        if (new := self._abilities.obeyed(mode, fits)) is not None:
            self._observe(facts.FellBack(self._endpoint.name, ask.purpose, new))

    async def complete(
        self, ask: Ask[Filled], messages: tuple[Message, ...], spent: Usage
    ) -> tuple[Completion, Mode]:
        """What the model wrote, asked in the best way that the endpoint takes, and which way that was.

        What it costs is added to `spent`. Raises JudgeFailed or StateError.
        """
        for _ in range(_LESSONS):
            mode = self._abilities.mode
            by_schema = mode == "json_schema"
            said = messages if by_schema else in_words(messages, ask.form)
            name = ask.form.__name__[:64]
            most = ask.max_output_tokens + self._endpoint.reasoning_tokens
            body = self._abilities.body(self._endpoint.model, said, name, schema_of(ask.form), most)
            body |= self._endpoint.body
            errand = self._errand(ask, said, body, schema_text(ask.form) if by_schema else "", most)
            try:
                return await self._line.run(errand, spent), mode
            except Refused as refused:
                lesson = None
                if refused.reason in (Reason.BAD_REQUEST, Reason.SERVER_ERROR):
                    lesson = self._abilities.learn(body, refused.status, refused.said)
                if lesson is None:
                    raise
                self._observe(facts.FellBack(self._endpoint.name, ask.purpose, lesson))
        raise JudgeFailed(Reason.BAD_REQUEST, f"{self._endpoint.name} refused every way to ask")

    def _errand(
        self,
        ask: Ask[Filled],
        said: tuple[Message, ...],
        body: dict[str, Any],
        schema: str,
        most_output: int,
    ) -> Errand[Completion]:
        raw = estimate_messages(said, schema)
        room = self._endpoint.context_tokens
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
            share = min(1.0, billed.output_tokens / most_output)
            self._output_share += (share - self._output_share) * _NEW_SHARE
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
            price=self._endpoint.price,
        )


__all__ = ["Dialogue"]
