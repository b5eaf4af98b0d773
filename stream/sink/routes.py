"""Which table a message belongs to, and the row that is made of it where it is not one already."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import orjson

from stream import topics
from stream.dead import letters
from stream.kafka.config import Message
from stream.settings import KafkaSettings

TRACES: Final = "traces"
SCORED_TABLES: Final = frozenset({TRACES, "feedback", "evaluations", "scores"})
VERDICTS: Final = "verdicts"
DEAD_LETTERS: Final = "dead_letters"

_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(2299, 1, 1, tzinfo=UTC)


class Routes:
    """Topics to tables. Scored rows say in a header which table they are of; without one, `traces`."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._scored = settings.topic(topics.SCORED)
        self._dead = settings.topic(topics.DEAD)

    def table(self, message: Message) -> tuple[str | None, bytes | None]:
        """The table (null: none that we know), and a row where the message itself is none."""
        topic = message.topic()
        if topic == self._scored:
            return _named(message), None
        if topic == self._dead:
            return DEAD_LETTERS, dead_letter_line(letters.read(message))
        return VERDICTS, None


def dead_letter_line(letter: letters.Letter) -> bytes:
    """The facts of a dead letter as a row of table `dead_letters`. Its bytes stay where they are."""
    row = {
        "reason": letter.reason,
        "detail": letter.detail,
        "topic": letter.topic,
        "partition": _within(letter.partition, 31),
        "offset": _within(letter.offset, 63),
        "timestamp": _stamp(letter.timestamp or _NEVER),
        "size": max(0, _within(letter.size, 63)),
        "by": letter.by,
        "died_at": _stamp(letter.written_at),
    }
    return orjson.dumps(row)


def _named(message: Message) -> str | None:
    headers: Any = message.headers() or ()
    for name, value in headers:
        if name == topics.HEADER_TABLE:
            table = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            return table if table in SCORED_TABLES else None
    return TRACES


def _within(value: int, bits: int) -> int:
    return value if -(2**bits) <= value < 2**bits else 0


def _stamp(moment: datetime) -> str:
    return min(moment, _LATEST).strftime("%Y-%m-%d %H:%M:%S.%f")[:23]


__all__ = ["DEAD_LETTERS", "SCORED_TABLES", "TRACES", "VERDICTS", "Routes", "dead_letter_line"]
