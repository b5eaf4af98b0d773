"""Spans wait for the rest of their trace: within bounds, and with what they arrived on."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from schemas.formats.span import Span
from stream.assembly.assembler import Assembler, Bounds, Closed, Gathered


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def child(trace: str, number: int) -> Span:
    return Span(trace, f"{trace}-{number}", f"{trace}-root")


def root(trace: str) -> Span:
    return Span(trace, f"{trace}-root")


def made(clock: Clock, **bounds: float) -> Assembler[int]:
    return Assembler(clock, Bounds(**bounds))  # type: ignore[arg-type]


def names(closed: list[Gathered[int]]) -> list[tuple[str, str, int]]:
    return [(held.trace_id, held.why.value, len(held.spans)) for held in closed]


def test_a_trace_is_due_shortly_after_its_root_arrived() -> None:
    clock = Clock()
    assembler = made(clock, grace_s=2, quiet_s=30)
    assembler.feed([child("a", 1), child("b", 1)], 1)
    assembler.feed([root("a")], 2)
    assert assembler.due() == []
    clock.now = 1.5
    assembler.feed([child("a", 2)], 3)  # an exporter's next batch
    clock.now = 3
    assert assembler.due() == []
    clock.now = 3.5
    (held,) = assembler.due()
    assert names([held]) == [("a", "root_ended", 3)]
    assert held.tokens == [1, 2, 3]
    assert held.incomplete is None
    assert len(assembler) == 1


def test_a_trace_whose_root_never_comes_is_due_when_it_has_been_quiet() -> None:
    clock = Clock()
    assembler = made(clock, quiet_s=30)
    assembler.feed([child("a", 1)], 1)
    clock.now = 29.9
    assert assembler.due() == []
    clock.now = 30
    (held,) = assembler.due()
    assert held.why is Closed.QUIET
    assert held.incomplete == "no_root_quiet"


def test_spans_of_a_trace_that_is_gone_are_counted_and_gathered_anew() -> None:
    clock = Clock()
    assembler = made(clock, grace_s=0)
    assembler.feed([root("a")], 1)
    assert len(assembler.due()) == 1
    assembler.feed([child("a", 1)], 2)
    assert assembler.late == 1
    assert names(assembler.flush()) == [("a", "end", 1)]


def test_what_waits_is_never_settled() -> None:
    clock = Clock()
    assembler = made(clock, grace_s=1)
    assembler.feed([root("a")], 1)
    assembler.feed([child("b", 1)], 2)
    assert sorted(assembler.open_tokens()) == [1, 2]
    clock.now = 1
    assembler.due()
    assert list(assembler.open_tokens()) == [2]


def test_too_many_open_spans_push_out_the_trace_that_has_waited_longest() -> None:
    assembler = made(Clock(), spans=3)
    assert assembler.feed([child("a", 1), child("b", 1), child("a", 2)], 1) == []
    assert names(assembler.feed([child("c", 1)], 2)) == [("b", "overflow", 1)]
    assert assembler.spans == 3


def test_a_trace_without_end_is_bounded_but_for_its_root_and_says_what_was_left_out() -> None:
    assembler = made(Clock(), spans_a_trace=2)
    assembler.feed([child("a", i) for i in range(5)] + [root("a")] * 3, 1)
    (held,) = assembler.flush()
    assert (len(held.spans), held.left_out, held.incomplete) == (3, 5, "too_many_spans")
    assert [span.parent_id for span in held.spans].count("") == 1


def test_what_is_left_out_keeps_nothing_of_what_it_came_in() -> None:
    taken: list[int] = []
    assembler: Assembler[int] = Assembler(Clock(), Bounds(spans_a_trace=2), taken.append)
    for token in range(5):
        assembler.feed([child("a", token)], token)
    (held,) = assembler.flush()
    assert held.tokens == taken == [0, 1]


def test_memory_is_bounded_by_weight_as_well() -> None:
    assembler = made(Clock(), size=50_000)
    heavy = Span("a", "a-1", "", attributes={"text": "x" * 40_000})
    assert names(assembler.feed([heavy], 1)) == [("a", "overflow", 1)]


def test_a_trace_that_never_rests_is_handed_over_when_it_is_too_old() -> None:
    clock = Clock()
    assembler = made(clock, quiet_s=3, age_s=10)
    closed: list[Gathered[int]] = []
    for second in range(11):
        clock.now = second
        closed += assembler.due()
        assembler.feed([child("a", second)], second)
    assert names(closed) == [("a", "age", 10)]


def test_flush_hands_traces_over_in_the_order_in_which_they_began() -> None:
    assembler = made(Clock())
    assembler.feed([child("b", 1), child("a", 1), child("b", 2)], 1)
    assert [held.trace_id for held in assembler.flush()] == ["b", "a"]
    assert len(assembler) == 0
    assert assembler.spans == 0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), max_size=60), st.integers(0, 9))
def test_no_span_is_lost_or_doubled_whatever_order_they_come_in(
    given: list[tuple[str, int]], seed: int
) -> None:
    clock = Clock()
    assembler = made(clock, spans=7, grace_s=1, quiet_s=4)
    spans = [root(name) if number == 0 else child(name, number) for name, number in given]
    random.Random(seed).shuffle(spans)
    closed: list[Gathered[int]] = []
    for i, span in enumerate(spans):
        clock.now += 0.5
        closed += assembler.feed([span], i)
        closed += assembler.due()
    closed += assembler.flush()
    assert sorted(id(span) for held in closed for span in held.spans) == sorted(map(id, spans))
    assert sorted(token for held in closed for token in held.tokens) == list(range(len(spans)))
