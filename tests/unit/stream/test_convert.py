"""What `ragpulse convert` prints of values that JSON allows and our encoder does not."""

from __future__ import annotations

import orjson
import pytest

from schemas.formats.own import decode
from schemas.trace import Trace
from stream.files.convert import own_line

HOSTILE = [
    '"timestamp":"0001-01-01T00:00:00+14:00"',
    '"timestamp":"9999-12-31T23:59:59-12:00"',
    '"extra":{"id":123456789012345678901234567890}',
    '"retrieval":{"chunks":[{"text":"t","rank":100000000000000000000}]}',
]


@pytest.mark.parametrize("field", HOSTILE)
def test_every_trace_that_can_be_read_can_be_printed(field: str) -> None:
    (trace,) = decode(f'{{"trace_id":"t","question":"q","answer":"a",{field}}}'.encode())
    assert isinstance(trace, Trace)
    assert orjson.loads(own_line(trace))["trace_id"] == "t"


def test_an_extra_nested_without_end_is_cut() -> None:
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(900):
        inner["a"] = inner = {}
    line = own_line(Trace(trace_id="t", question="q", answer="a", extra=deep))
    assert orjson.loads(line)["trace_id"] == "t"
