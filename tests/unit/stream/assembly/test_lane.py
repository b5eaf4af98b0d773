"""One partition's spans: its time is that of its messages, and it knows from where to be read again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from schemas.formats.span import Span
from stream.assembly.assembler import Bounds, Gathered
from stream.assembly.lane import Lane

BOUNDS = Bounds(grace_s=2, quiet_s=10, age_s=100)


def child(trace: str, number: int = 1) -> Span:
    return Span(trace, f"{trace}-{number}", f"{trace}-root")


def root(trace: str) -> Span:
    return Span(trace, f"{trace}-root")


def feed(lane: Lane[int], offset: int, *spans: Span) -> list[Gathered[int]]:
    return lane.feed(offset, spans, offset, 1)


def ids(closed: list[Gathered[int]]) -> list[str]:
    return [held.trace_id for held in closed]


def test_a_backlog_is_worked_off_in_the_time_of_its_messages() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    lane.hear(100.0)
    feed(lane, 0, root("a"))
    lane.tick(5_000.0, drained=False)  # however long the work on it takes
    lane.tick(9_000.0, drained=False)
    lane.hear(101.0)
    feed(lane, 1, child("a"))
    assert lane.due() == []
    lane.hear(103.5)
    assert ids(lane.due()) == ["a"]


def test_where_nothing_waits_unread_time_goes_by_the_clock() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    lane.hear(100.0)
    feed(lane, 0, root("a"))
    lane.tick(50.0, drained=True)
    lane.tick(51.9, drained=True)
    assert lane.due() == []
    lane.tick(52.0, drained=True)
    assert ids(lane.due()) == ["a"]


def test_messages_of_an_earlier_time_turn_nothing_back() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    lane.hear(100.0)
    feed(lane, 0, child("a"))
    lane.hear(10.0)
    feed(lane, 1, child("b"))
    lane.hear(111.0)
    assert ids(lane.due()) == ["a", "b"]


def test_it_is_to_be_read_again_from_where_the_oldest_trace_that_goes_on_began() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    feed(lane, 3, child("a"))
    feed(lane, 4, child("b"))
    feed(lane, 5, child("a", 2), child("c"))
    assert lane.resume_from(5) == 3
    lane.hear(50.0)
    assert lane.resume_from(6) == 6


def test_traces_that_ended_a_moment_ago_are_read_again_to_be_known() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    lane.hear(100.0)
    feed(lane, 3, root("a"))
    lane.hear(103.0)
    assert ids(lane.due()) == ["a"]
    assert lane.resume_from(4) == 3
    lane.hear(112.0)
    assert lane.resume_from(4) == 4


def test_what_was_done_before_completes_what_comes_and_makes_nothing_by_itself() -> None:
    lane: Lane[int] = Lane(BOUNDS, done_to=10)
    assert lane.is_context(9)
    assert not lane.is_context(10)
    lane.hear(100.0)
    lane.recall(7, [child("a"), child("done")], 7, 1)
    lane.recall(8, [root("done")], 8, 1)
    feed(lane, 10, root("a"))
    lane.hear(103.0)
    (held,) = lane.due()
    assert (held.trace_id, len(held.spans), held.tokens) == ("a", 2, [7, 10])
    lane.hear(113.0)
    assert lane.due() == []


def test_what_was_scored_before_a_restart_is_late_afterwards() -> None:
    lane: Lane[int] = Lane(BOUNDS, done_to=10)
    lane.hear(100.0)
    lane.recall(7, [root("done")], 7, 1)
    lane.hear(112.0)
    lane.due()
    feed(lane, 12, child("done"))
    lane.hear(115.0)
    (held,) = lane.due()
    assert held.late


def test_spans_that_come_late_open_their_trace_again_with_all_its_spans() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    lane.hear(100.0)
    feed(lane, 3, root("a"))
    lane.hear(103.0)
    (held,) = lane.due()
    lane.keep(held, 3, scored=True)
    lane.hear(104.0)
    feed(lane, 9, child("a"))
    assert lane.due() == []
    lane.hear(106.0)
    (again,) = lane.due()
    assert (len(again.spans), again.tokens, again.late) == (2, [3, 9], False)
    assert lane.is_again("a")
    assert not lane.is_again("a")


def test_doubles_of_what_was_handed_over_open_nothing_again() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    lane.hear(100.0)
    feed(lane, 3, root("a"), child("a"))
    lane.hear(103.0)
    lane.keep(lane.due()[0], 3, scored=True)
    feed(lane, 4, child("a"), child("b"))
    feed(lane, 5, root("a"))
    assert list(lane.assembler.open_tokens()) == [4]
    lane.hear(112.0)
    assert ids(lane.due()) == []
    lane.hear(113.0)
    assert ids(lane.due()) == ["b"]


def test_what_is_forgotten_is_late_where_it_was_scored_and_new_where_it_was_not() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    lane.hear(100.0)
    feed(lane, 3, root("scored"), root("other"))
    lane.hear(103.0)
    for held in lane.due():
        lane.keep(held, 3, scored=held.trace_id == "scored")
    lane.hear(115.0)
    assert lane.due() == []
    assert lane.spans == 0
    feed(lane, 9, child("scored"), child("other"))
    lane.hear(126.0)
    assert {held.trace_id: held.late for held in lane.due()} == {"scored": True, "other": False}


def test_what_is_remembered_is_the_first_to_go() -> None:
    lane: Lane[int] = Lane(BOUNDS)
    lane.hear(100.0)
    feed(lane, 3, root("a"))
    lane.hear(103.0)
    lane.keep(lane.due()[0], 3, scored=True)
    feed(lane, 4, child("b"))
    assert (lane.spans, lane.push_out()) == (2, None)
    pushed = lane.push_out()
    assert pushed is not None
    assert (lane.spans, pushed.trace_id) == (0, "b")


def test_context_is_kept_in_mind_until_it_was_used_or_has_been_quiet() -> None:
    lane: Lane[int] = Lane(BOUNDS, done_to=10)
    lane.hear(100.0)
    lane.recall(7, [child("a")], 7, 1)
    assert lane.resume_from(10) == 7
    feed(lane, 11, child("a", 2))
    assert lane.resume_from(11) == 7
    lane.hear(113.0)
    lane.due()
    assert lane.resume_from(12) == 12


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=6, max_size=60), st.data())
def test_whoever_resumes_makes_the_same_traces_whatever_was_done_before(
    plan: list[tuple[int, bool]], data: st.DataObject
) -> None:
    """A log of spans a second apart, and a crash somewhere; the committed prefix is the ledger's."""
    log = []
    for at, (back, is_root) in enumerate(plan):
        trace = f"t{(at + back) // 3}"  # the spans of a trace are seldom, and never long, further apart
        log.append(root(trace) if is_root else child(trace, at))
    bounds = Bounds(grace_s=4, quiet_s=4, age_s=1_000)  # the same after a root as without one
    whole = run(Lane(bounds), log, range(len(log)))

    crash_at = data.draw(st.integers(1, len(log)))
    first: Lane[int] = Lane(bounds)
    before = run(first, log, range(crash_at), end=False)
    done_to = min([crash_at, *first.assembler.open_tokens()])
    resume_at = first.resume_from(done_to)
    after = run(Lane(bounds, done_to), log, range(resume_at, len(log)))

    assert last_of_each(before + after) == last_of_each(whole)


def last_of_each(closed: list[tuple[str, frozenset[str], bool]]) -> dict[str, frozenset[str]]:
    return {trace: spans for trace, spans, late in closed if not late}


def due(lane: Lane[int]) -> list[Gathered[int]]:
    closed = lane.due()
    for held in closed:
        lane.keep(held, held.tokens[0], scored=True)
    return closed


def run(
    lane: Lane[int], log: list[Span], offsets: range, end: bool = True
) -> list[tuple[str, frozenset[str], bool]]:
    closed: list[Gathered[int]] = []
    for offset in offsets:
        lane.hear(float(offset))
        closed += due(lane)
        if lane.is_context(offset):
            lane.recall(offset, [log[offset]], offset, 1)
        else:
            closed += feed(lane, offset, log[offset])
    if end:
        lane.hear(len(log) + 1_000.0)
        closed += due(lane)
    return [(h.trace_id, frozenset(span.span_id for span in h.spans), h.late) for h in closed]
