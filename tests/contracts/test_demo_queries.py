"""What the demo asks of ClickHouse is answered by the real engine."""

from __future__ import annotations

import pytest

from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.demo.queries import count_joined_feedback, read_verdicts, take_snapshot
from tests.support.rows import feedback_line, trace_line

pytestmark = pytest.mark.engine


def test_the_live_view_sees_what_is_stored(dsn: str) -> None:
    store = connect(dsn)
    migrate(store)
    store.insert_raw("traces", b"\n".join(trace_line(f"t-{n}", tenant="acme") for n in range(4)))
    store.insert_raw("feedback", feedback_line("t-1", -1))
    shot = take_snapshot(store)
    assert (shot.landed.rows, shot.landed.dead, shot.landed.feedback) == (4, 0, 1)
    assert shot.by_class["hallucination"].value == 1.0
    assert (shot.faithfulness, shot.measured) == (0.5, 4)
    assert [segment.tenant for segment in shot.segments] == ["acme"]
    assert {case.question for case in shot.cases} == {"那它支持INT4吗？"}
    assert shot.incidents == ()
    assert count_joined_feedback(store) == 1
    assert set(read_verdicts(store).values()) == {"hallucination"}


def test_the_live_view_of_nothing_is_empty(dsn: str) -> None:
    store = connect(dsn)
    migrate(store)
    shot = take_snapshot(store)
    assert shot.landed.rows == 0
    assert shot.faithfulness is None
    assert shot.cases == ()
