"""Dead letters: how a message that was given up on is kept, and read again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from stream import topics
from stream.kafka.config import Message
from stream.kafka.producer import Headers

_HEADER_CHARS: Final = 1_000


@dataclass(slots=True, frozen=True)
class Letter:
    """One dead letter, as it lies on `rag.dead`."""

    at: tuple[int, int]
    """Partition and offset on the dead letter topic itself."""
    written_at: datetime
    reason: str
    detail: str
    topic: str
    partition: int
    offset: int
    timestamp: datetime | None
    """The original message's, where it had one."""
    by: str
    size: int
    """Bytes of the original."""
    cut: bool
    """Whether `value` is only its beginning."""
    key: bytes | None
    value: bytes
    headers: Headers
    """Those of the original."""

    @property
    def identity(self) -> str:
        """Names this letter and no other, even when the topic is created anew."""
        return f"{self.at[0]}:{self.at[1]}:{int(self.written_at.timestamp() * 1000)}"


class Original(Protocol):
    """A message that is given up on, whichever client it came with."""

    def topic(self) -> str | None: ...
    def partition(self) -> int | None: ...
    def offset(self) -> int | None: ...
    def timestamp(self) -> tuple[int, int]: ...
    def key(self) -> Any: ...
    def value(self) -> Any: ...
    def headers(self) -> Any: ...


def write(message: Original, reason: str, detail: str, by: str) -> tuple[bytes, bytes | None, Headers]:
    """Value, key and headers of the dead letter for a message: the original bytes, why and whence."""
    value = message.value() or b""
    facts = {
        topics.DEAD_REASON: reason,
        topics.DEAD_DETAIL: detail[:_HEADER_CHARS],
        topics.DEAD_TOPIC: message.topic(),
        topics.DEAD_PARTITION: message.partition(),
        topics.DEAD_OFFSET: message.offset(),
        topics.DEAD_TIMESTAMP: message.timestamp()[1],
        topics.DEAD_BY: by,
        topics.DEAD_SIZE: len(value),
    }
    headers: Headers = [(name, str(fact).encode("utf-8", "replace")) for name, fact in facts.items()]
    headers += [(topics.DEAD_ORIGINAL + name, data) for name, data in _headers(message)]
    return value, message.key(), headers


def cut(value: bytes, headers: Headers, limit: int) -> tuple[bytes, Headers]:
    """The beginning of a letter that does not fit; its headers say so, and keep the original size."""
    kept = [
        (name, data) for name, data in headers if not name.startswith((topics.DEAD_ORIGINAL, topics.DEAD_CUT))
    ]
    return value[:limit], [*kept, (topics.DEAD_CUT, b"1")]


def read(message: Message) -> Letter:
    """A message of the dead letter topic. Headers that are missing read as empty, or as zero."""
    headers = _headers(message)
    facts = {name: data.decode("utf-8", "replace") for name, data in headers}
    prefix = topics.DEAD_ORIGINAL
    return Letter(
        at=(_number(message.partition()), _number(message.offset())),
        written_at=_moment(message.timestamp()[1]) or datetime.fromtimestamp(0, UTC),
        reason=facts.get(topics.DEAD_REASON, ""),
        detail=facts.get(topics.DEAD_DETAIL, ""),
        topic=facts.get(topics.DEAD_TOPIC, ""),
        partition=_number(facts.get(topics.DEAD_PARTITION)),
        offset=_number(facts.get(topics.DEAD_OFFSET)),
        timestamp=_moment(_number(facts.get(topics.DEAD_TIMESTAMP))),
        by=facts.get(topics.DEAD_BY, ""),
        size=_number(facts.get(topics.DEAD_SIZE)),
        cut=facts.get(topics.DEAD_CUT) == "1",
        key=message.key(),
        value=message.value() or b"",
        headers=[(name.removeprefix(prefix), data) for name, data in headers if name.startswith(prefix)],
    )


def _headers(message: Original) -> list[tuple[str, bytes]]:
    pairs: Any = message.headers() or []
    return [(name, data or b"") for name, data in pairs]


def _number(text: str | int | None) -> int:
    try:
        return int(text or 0)
    except ValueError:
        return 0


def _moment(milliseconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds > 0 else None
    except (OverflowError, OSError, ValueError):
        return None


__all__ = ["Letter", "Original", "cut", "read", "write"]
