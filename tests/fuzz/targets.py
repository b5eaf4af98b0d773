"""What a fuzzer feeds: functions that take any bytes, and raise where a promise is broken.

They know nothing of the fuzzer, so that hypothesis, plain chance and a coverage-guided one use the same.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, Final

import orjson

from judges.distilled.reading.citations import find_citations, strip_citations
from judges.distilled.reading.claims import split_claims
from judges.distilled.reading.language import detect, normalise
from judges.distilled.reading.refusal import find_refusal
from schemas.formats import decoder
from schemas.formats.assembly import NOT_RAG_REASONS, NotRag, assemble
from schemas.formats.base import REASONS, Unreadable
from schemas.formats.foreign import SPAN_FORMATS
from schemas.formats.span import Span
from schemas.trace import MAX_ID_CHARS, LateFeedback, Trace
from stream.files.convert import own_line
from tests.unit.schemas.formats.test_hostile_bytes import as_json, as_proto
from tests.unit.schemas.formats.writers import WRITERS

Target = Callable[[bytes], None]

_READERS: Final = ("ragpulse", *SPAN_FORMATS)
LANGUAGES: Final = ("en", "zh", None, "fr")


def read_message(data: bytes) -> None:
    """The first byte names the format; the others are a message, or a document, of it."""
    if not data:
        return
    name, message = _READERS[data[0] % len(_READERS)], data[1:]
    if name == "ragpulse":
        for item in decoder(name)(message):
            _require_decoded(item)
        return
    found = SPAN_FORMATS[name](message)
    if isinstance(found, Unreadable):
        assert found.reason in REASONS
        assert found.detail
    else:
        _put_together(found)


def read_attributes(data: bytes) -> None:
    """The first byte names a convention, the others say what becomes of its spans' values."""
    if len(data) < 4:
        return
    spans = _spans_of(data[0] % len(WRITERS))
    held = [(span, name) for span in spans for name in sorted(span.attributes)]
    for change in data[1:].split(b"\xff")[:8]:
        if len(change) < 2 or not held:
            continue
        span, name = held[int.from_bytes(change[:2], "big") % len(held)]
        span.attributes = {**span.attributes, name: _value(change[2:], span.attributes[name])}
    _put_together(spans)


def _value(data: bytes, before: Any) -> Any:
    """A text, a number, what a text says as JSON, or the old text with something in its middle."""
    text = data[1:].decode("utf-8", "replace")
    match data[:1][0] % 5 if data else 0:
        case 0:
            return text
        case 1:
            return int.from_bytes(data[1:], "big", signed=True)
        case 2:
            try:
                return orjson.loads(data[1:])
            except orjson.JSONDecodeError:
                return [text]
        case 3 if isinstance(before, str):
            return before[: len(before) // 2] + text + before[len(before) // 2 :]
        case _:
            return text + before if isinstance(before, str) else {"content": text}


@cache
def _written(number: int) -> tuple[Span, ...]:
    return tuple(WRITERS[number]())


def _spans_of(number: int) -> list[Span]:
    """Copies whose attributes may be changed."""
    return [
        Span(
            span.trace_id,
            span.span_id,
            span.parent_id,
            span.name,
            span.start_ns,
            span.end_ns,
            dict(span.attributes),
            span.events,
            span.status,
        )
        for span in _written(number)
    ]


def _put_together(spans: list[Span]) -> None:
    groups: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        groups[span.trace_id].append(span)
    for trace_id, group in groups.items():
        if not 0 < len(trace_id) <= MAX_ID_CHARS:
            continue  # whoever puts spans together refuses these
        made = assemble(group)
        if isinstance(made, NotRag):
            assert made.reason in NOT_RAG_REASONS
        else:
            _require_decoded(made)


def _require_decoded(item: Trace | LateFeedback | Unreadable) -> None:
    """A reason we know; or something that comes back from its own JSON as it went in."""
    if isinstance(item, Unreadable):
        assert item.reason in REASONS
        assert item.detail
        return
    line = own_line(item)
    again = decoder("ragpulse")(line)
    assert len(again) == 1
    assert not isinstance(again[0], Unreadable), again[0]
    assert own_line(again[0]) == line


def segment(data: bytes) -> None:
    """The first byte chooses a language, the others are an answer: its claims, marks and refusal."""
    language = LANGUAGES[data[0] % len(LANGUAGES)] if data else None
    text = data[1:].decode("utf-8", "surrogateescape" if data[:1] > b"\x80" else "replace")
    claims = split_claims(text, language)
    for claim in claims:
        assert 0 <= claim.start < claim.end <= len(text)
        assert text[claim.start : claim.end].strip()
    for claim, following in pairwise(claims):
        assert claim.end <= following.start
    marks = find_citations(text)
    for mark in marks:
        assert 0 <= mark.start < mark.end <= len(text)
    strip_citations(text, marks)
    find_refusal(text, text)
    detect(text)
    normalise(text)


TARGETS: Final[dict[str, Target]] = {
    "messages": read_message,
    "attributes": read_attributes,
    "segmentation": segment,
}


def seeds(name: str) -> Iterator[bytes]:
    """Inputs that mean something, for a fuzzer to begin with."""
    chance = random.Random(name)
    match name:
        case "messages":
            for write in WRITERS:
                spans = write()
                yield bytes([_READERS.index("otlp_proto")]) + as_proto(spans)
                yield bytes([_READERS.index("otlp_json")]) + as_json(spans)
                made = assemble(spans)
                if not isinstance(made, NotRag):
                    yield bytes([0]) + own_line(made)
        case "attributes":
            for number in range(len(WRITERS)):
                for _ in range(3):
                    change = bytes([chance.randrange(100), chance.randrange(255), chance.randrange(5)])
                    yield bytes([number]) + change + _ANSWERS[chance.randrange(len(_ANSWERS))].encode()
        case _:
            for number in range(2):
                for text in _ANSWERS:
                    yield bytes([number]) + text.encode()


_ANSWERS: Final = (
    "The X200 has two ports [1]. It weighs 900 grams [2, 3], e.g. with its case.",
    "# Ports\n\n1. Two of them (source 4).\n2. **None** at the back; see https://x.example/a?b=1.",
    "根据资料，X200有两个接口【1†来源】。重量为九百克；“其他”未提及。",
    "I'm sorry, but the documents do not mention it. However, Dr. No said 3.5 kg.",
    "抱歉，资料中没有提到退款期限。如需帮助，请联系客服。",
    "```python\nx = [1]\n```\nContext:\n[1] Passage one\n\nQuestion: how many?\nAnswer:",
    '[{"role": "user", "content": [{"type": "text", "text": "how many?"}]}]',
    "Document(page_content='two ports', metadata={'id': 'k1', 'score': 0.9})",
)

__all__ = ["TARGETS", "Target", "read_attributes", "read_message", "seeds", "segment"]
