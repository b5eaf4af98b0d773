"""Traces that judges failed on, remembered: what is read again after a crash is not asked about again.

Answers are remembered by the client, questions without one are not. What is kept here is for the message as
it came, so that a dead letter that is sent back on purpose is judged anew.
"""

from __future__ import annotations

import contextlib

import orjson

from judges.llm.cache import Answers, Kept
from judges.llm.state_file import StateError
from stream.judging.arrived import Arrived
from stream.judging.judge import GivenUp
from stream.judging.rows import Identity

_PREFIX = "given up"


class Failures:
    """What was given up, by message and judge, in the state file. Without one nothing is remembered."""

    def __init__(self, answers: Answers | None, identity: Identity) -> None:
        self._answers = answers
        self._who = f"{identity.judge} {identity.model} {identity.rubric} {identity.rubric_version}"

    async def recall(self, message: Arrived) -> GivenUp | None:
        """How this message ended before; null where it did not, or nobody knows."""
        kept = None
        if self._answers is not None:
            with contextlib.suppress(StateError):  # judging says so itself, and waits
                kept = await self._answers.get(self._key(message))
        return None if kept is None else GivenUp(**orjson.loads(kept.value))

    async def keep(self, message: Arrived, outcome: GivenUp) -> None:
        """Remember the end of a message, before anybody is told of it."""
        if self._answers is None:
            return
        value = orjson.dumps({"reason": outcome.reason, "detail": outcome.detail}).decode()
        with contextlib.suppress(StateError):
            await self._answers.put(self._key(message), Kept(value, _PREFIX, ""))

    def _key(self, message: Arrived) -> str:
        topic, partition = message.where
        return f"{_PREFIX} {topic} {partition} {message.at} {message.time_ms} {self._who}"


__all__ = ["Failures"]
