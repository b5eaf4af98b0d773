"""Says what a topic's bytes look like, where that is not what its setting says.

The first message that is not what it should be is told of at once. After that, once a minute, what most of
the bad messages since then look like: one stray message must not send anybody looking for the wrong thing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from schemas.formats import base
from stream import logs
from stream.kafka.config import Message
from stream.worker.encodings import AUTO
from stream.worker.guess import Guess, guess

SAY_AGAIN_S: Final = 60.0
_LOOK_AGAIN_S: Final = 0.5
_ALL_OF: Final = 20
"""So many are looked at, however fast they come; of more, one every half second: a look takes time."""
_OF_ENCODING: Final = frozenset(
    {base.NOT_OTLP, base.NOT_JSON, base.NOT_UTF8, base.NOT_AN_OBJECT, base.MISSING_FIELD, base.WRONG_TYPE,
     base.UNKNOWN_ENCODING}
)  # fmt: skip
"""Reasons for which the topic's format may be to blame, and not the message."""


@dataclass(slots=True)
class _Heard:
    """Of one topic, since it was last spoken of (null: never)."""

    said_at: float | None = None
    looked_at: float = 0.0
    looks: Counter[Guess] = field(default_factory=Counter)


class Complaints:
    """`formats`: what each topic is set to, by its name. `clock` is in seconds."""

    def __init__(self, formats: Mapping[str, str], clock: Callable[[], float]) -> None:
        self._formats = formats
        self._clock = clock
        self._heard: dict[str, _Heard] = {}

    def hear(self, message: Message, reason: str) -> None:
        """A message became a dead letter for this reason."""
        topic = str(message.topic())
        wanted = self._formats.get(topic)
        if wanted is None or reason not in _OF_ENCODING:
            return
        heard, now = self._heard.setdefault(topic, _Heard()), self._clock()
        if heard.looks.total() < _ALL_OF or now - heard.looked_at >= _LOOK_AGAIN_S:
            heard.looks[guess(message.value() or b"")] += 1
            heard.looked_at = now
        if heard.said_at is not None and now - heard.said_at < SAY_AGAIN_S:
            return
        looks, heard.looks = heard.looks, Counter()
        ((most, count),) = looks.most_common(1)
        if most.form is None or wanted not in (AUTO, most.form):
            heard.said_at = now
            _say(topic, wanted, most, count, looks.total(), reason)
        elif heard.said_at is not None:
            heard.said_at = now  # the right encoding, of messages that are wrong in themselves


def _say(topic: str, wanted: str, most: Guess, count: int, of: int, reason: str) -> None:
    if most.form:
        todo = f"set its format to {most.form}, or to auto, in RAGPULSE_KAFKA__SOURCES"
    else:
        todo = "change its encoding, or take the topic out of RAGPULSE_KAFKA__SOURCES"
    which = "the bytes look" if of == 1 else f"{count} of {of} bad messages that were looked at look"
    logs.get().error(
        f"topic {topic} does not hold what its setting says ({wanted}): {which} like {most.words}; {todo}. "
        "Until then its messages become dead letters",
        topic=topic, format=wanted, looks_like=most.form, reason=reason,
    )  # fmt: skip


__all__ = ["SAY_AGAIN_S", "Complaints"]
