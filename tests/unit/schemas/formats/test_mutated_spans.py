"""Real spans with types swapped, attributes missing, texts cut, parents moved: still a trace or a reason."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest

from schemas.formats.assembly import NOT_RAG_REASONS, NotRag, assemble
from schemas.formats.span import Span
from stream.files.convert import own_line
from tests.support.otel import NAMES, read
from tests.unit.schemas.formats.test_hostile_bytes import SEED, TIMES
from tests.unit.schemas.formats.writers import WRITERS

JUNK: list[Any] = [
    None,
    0,
    -1,
    1e308,
    float("nan"),
    True,
    "",
    [],
    {},
    ["x", 1, None],
    {"role": [], "content": {}},
    '{"a":',
    "[[[",
    "null",
    '"x"',
    "\ud800",
    2**70,
    [[["user", "x"]]],
    {"documents": {"documents": [{"text": 5}]}},
    '{"messages":[{"role":1}]}',
    [{"role": "user", "content": [{"type": "text", "text": None}]}],
]


def swapped(value: Any, chance: random.Random) -> Any:
    """Something else in its place: junk, its beginning, its JSON opened, or a list of it."""
    if chance.random() < 0.5 or not isinstance(value, str):
        return chance.choice(JUNK)
    if chance.random() < 0.4:
        return value[: chance.randrange(len(value) + 1)]
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return [value, value]


def mutated(spans: list[Span], chance: random.Random) -> list[Span]:
    made = []
    for span in spans:
        if chance.random() < 0.1:
            continue
        attributes = {
            name: swapped(value, chance) if chance.random() < 0.12 else value
            for name, value in span.attributes.items()
            if chance.random() > 0.08
        }
        parent = span.parent_id if chance.random() < 0.8 else chance.choice(spans).span_id
        start = span.start_ns if chance.random() < 0.8 else chance.choice([0, 2**63, -5])
        made.append(
            Span(
                span.trace_id,
                span.span_id,
                parent,
                span.name,
                start,
                span.end_ns,
                attributes,
                span.events,
                span.status,
            )
        )
    return made


def comes_out(spans: list[Span]) -> None:
    found = assemble(spans)
    if isinstance(found, NotRag):
        assert found.reason in NOT_RAG_REASONS
    else:
        assert orjson.loads(own_line(found))["trace_id"] == spans[0].trace_id


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
def test_every_convention_survives_what_may_happen_to_its_spans(write: Any) -> None:
    chance = random.Random(write.__name__ + SEED)
    for _ in range(60 * TIMES):
        comes_out(mutated(write(), chance))


@pytest.mark.shared
@pytest.mark.skipif(not NAMES, reason="the labelled spans are not here")
@pytest.mark.parametrize("name", NAMES)
def test_real_spans_survive_it_too(name: str) -> None:
    chance = random.Random(name + SEED)
    for spans in read(name, "proto").values():
        for _ in range(12 * TIMES):
            comes_out(mutated(spans, chance))
