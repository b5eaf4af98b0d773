"""A span as we read it, whoever wrote it: what OTLP, exports and the conventions have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from schemas.formats.shape import Shape, shape_of

Attributes = Mapping[str, Any]
"""Names to values: text, numbers, booleans, lists, dictionaries. JSON inside text is not parsed yet."""

ERROR: Final = 2
"""The status code of a span that failed (OTLP: 0 unset, 1 ok, 2 error)."""
BESIDE: Final = "event"
"""The parent of what was told beside spans, in logs: never a root, for the trace's own may still come."""
NS_A_MS: Final = 1_000_000
PART: Final = "ragpulse.part"
"""An attribute of ours on what is only a part of a span: the moment, in nanoseconds, at which it was told."""


@dataclass(slots=True, frozen=True)
class Event:
    """Something that happened during a span: an exception, a message, an evaluation."""

    name: str
    time_ns: int
    attributes: Attributes


@dataclass(slots=True)
class Span:
    """One step of a trace. Ids are lower-case hex for OpenTelemetry, else the source's own.

    `parent_id` is empty for a root. Times are nanoseconds since 1970, 0 where the source says nothing.
    `resource` describes the service that wrote the span. `dropped` counts attributes that the
    writing library had to leave out.
    """

    trace_id: str
    span_id: str
    parent_id: str = ""
    name: str = ""
    start_ns: int = 0
    end_ns: int = 0
    attributes: Attributes = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    status: int = 0
    status_message: str = ""
    resource: Attributes = field(default_factory=dict)
    scope: str = ""
    dropped: int = 0
    _shape: Shape | None = field(default=None, init=False, repr=False, compare=False)
    _shaped: Attributes | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def shape(self) -> Shape:
        """What the names of its attributes tell. They must not be added to any more."""
        if self._shape is None or self._shaped is not self.attributes:
            self._shape, self._shaped = shape_of(self.attributes), self.attributes
        return self._shape

    @property
    def duration_ms(self) -> float | None:
        """How long it took; null where a time is missing or the clock went backwards."""
        if not self.start_ns or self.end_ns < self.start_ns:
            return None
        return (self.end_ns - self.start_ns) / NS_A_MS

    def text(self, *names: str) -> str | None:
        """The first of these attributes that is text and not empty; numbers count as text."""
        attributes = self.attributes
        for name in names:
            value = attributes.get(name)
            if value is None:
                continue
            if isinstance(value, str):
                if value:
                    return value
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                return str(value)
        return None

    def number(self, *names: str) -> float | None:
        """The first of these attributes that is a number, or text that reads as one."""
        attributes = self.attributes
        for name in names:
            value = attributes.get(name)
            if value is not None and (found := as_number(value)) is not None:
                return found
        return None

    def integer(self, *names: str) -> int | None:
        """The same, without its fraction."""
        found = self.number(*names)
        return int(found) if found is not None and abs(found) < 2**53 else None

    def under(self, prefix: str) -> Iterator[tuple[tuple[str, ...], Any]]:
        """The attributes below a prefix, by the parts of the rest of their names."""
        attributes = self.attributes
        for name, parts in self.shape.paths(prefix):
            yield parts, attributes[name]


def as_number(value: object) -> float | None:
    """A finite number, also one written as text; null otherwise. Booleans are no numbers."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float, str)):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            return None
        return number if number - number == 0 else None
    return None


__all__ = ["BESIDE", "ERROR", "NS_A_MS", "PART", "Attributes", "Event", "Span", "as_number"]
