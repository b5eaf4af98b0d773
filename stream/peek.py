"""What lies on the topics that the worker reads: a few messages of each, held against its setting."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from schemas.formats.base import Unreadable
from stream import topics
from stream.kafka.config import Message
from stream.kafka.reader import read_last
from stream.settings import KafkaSettings, TopicSource
from stream.worker.encodings import AUTO, Opened, open_message, split
from stream.worker.guess import Guess, guess
from stream.worker.regrouping import is_key_of

SAMPLE: Final = 8
_LONGEST: Final = 64 * 1024 * 1024


@dataclass(slots=True, frozen=True)
class Peek:
    """What a few messages of a topic look like. `todo` is empty where they are what the setting says.

    `mostly` says whether most of them are not: then the setting is wrong, and not a message.
    """

    detail: str
    todo: str = ""
    mostly: bool = False


def peek(settings: KafkaSettings, source: TopicSource, partitions: int) -> Peek:
    """Look at the last few messages of a source. Raises ServiceUnreachable."""
    found = read_last(settings, source.name, SAMPLE)
    if not found:
        return Peek(f"{source.name}: no messages yet (format {source.format})")
    return describe(source, found, partitions, settings.topic(topics.SPANS))


def describe(source: TopicSource, found: list[Message], partitions: int, spans_topic: str) -> Peek:
    """The same for messages that were read."""
    guesses = [guess(message.value() or b"") for message in found]
    counts = Counter(one.words for one in guesses)
    looks = "; ".join(f"{count} look like {words}" for words, count in counts.most_common())
    detail = f"{source.name}: of the last {len(found)} messages {looks} (format {source.format})"
    wrong = [one for one in guesses if one.form is None or source.format not in (AUTO, one.form)]
    if wrong:
        return Peek(detail, _advise(wrong), mostly=2 * len(wrong) > len(found))
    return Peek(detail + _keys(source, found, partitions, spans_topic))


def _advise(wrong: list[Guess]) -> str:
    forms = sorted({one.form for one in wrong if one.form})
    if not forms:
        return "change the encoding of whoever writes them: until then they become dead letters"
    wanted = forms[0] if len(forms) == 1 else AUTO
    return f"set the format of this topic to {wanted} in RAGPULSE_KAFKA__SOURCES, or to {AUTO}"


def _keys(source: TopicSource, found: list[Message], partitions: int, spans_topic: str) -> str:
    """Whether spans must change partition, in words; nothing to say of whole traces."""
    keyed = [one for message in found if (one := _is_keyed(source, message)) is not None]
    if not keyed or partitions == 1:
        return ""
    if source.partitioned == "yes" or (source.partitioned == "auto" and all(keyed)):
        return "; keyed by trace id: a partition has whole traces"
    return f"; their spans go to the owner of their trace by way of {spans_topic}"


def _is_keyed(source: TopicSource, message: Message) -> bool | None:
    opened = open_message(message.value() or b"", source.format, _LONGEST)
    if not isinstance(opened, Opened) or opened.form == "ragpulse":
        return None
    parts = split(opened)
    if isinstance(parts, Unreadable) or not parts:
        return None
    return len(parts) == 1 and is_key_of(message.key(), next(iter(parts)))


__all__ = ["SAMPLE", "Peek", "describe", "peek"]
