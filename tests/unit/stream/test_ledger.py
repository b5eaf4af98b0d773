"""Only the contiguous done prefix of a partition is ever committed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stream.kafka.ledger import Ledger, Slot

A, B = ("traces", 0), ("traces", 1)


def test_nothing_is_committed_while_the_first_message_is_in_work() -> None:
    ledger = Ledger()
    ledger.open(A, 0)
    second = ledger.open(A, 1)
    ledger.settle(second)
    assert ledger.committable() == {}
    assert ledger.in_flight == 1


def test_a_message_is_done_when_its_last_output_is_confirmed() -> None:
    ledger = Ledger()
    slot = ledger.open(A, 7)
    slot.left += 2
    ledger.settle(slot)
    ledger.settle(slot)
    assert ledger.committable() == {}
    ledger.settle(slot)
    assert ledger.committable() == {A: 8}


def test_gaps_between_offsets_do_not_hold_the_prefix_back() -> None:
    ledger = Ledger()
    for offset in (3, 9, 40):
        ledger.settle(ledger.open(A, offset))
    assert ledger.committable() == {A: 41}


def test_what_was_committed_is_not_committed_again() -> None:
    ledger = Ledger()
    ledger.settle(ledger.open(A, 0))
    ledger.committed(ledger.committable())
    assert ledger.committable() == {}
    ledger.settle(ledger.open(A, 1))
    assert ledger.committable() == {A: 2}


def test_a_commit_that_failed_is_tried_again() -> None:
    ledger = Ledger()
    ledger.settle(ledger.open(A, 0))
    assert ledger.committable() == {A: 1}
    assert ledger.committable() == {A: 1}


def test_work_on_a_partition_that_was_taken_away_is_abandoned() -> None:
    ledger = Ledger()
    ours, theirs = ledger.open(A, 0), ledger.open(B, 0)
    assert ledger.drop([B]) == 1
    assert theirs.abandoned
    ledger.settle(theirs)
    ledger.settle(ours)
    assert ledger.committable() == {A: 1}
    assert ledger.in_flight == 0


def test_a_partition_that_comes_back_starts_afresh() -> None:
    ledger = Ledger()
    late = ledger.open(A, 5)
    ledger.drop([A])
    again = ledger.open(A, 5)
    ledger.settle(late)
    assert ledger.committable() == {}
    ledger.settle(again)
    assert ledger.committable() == {A: 6}


def test_offsets_that_fall_are_refused() -> None:
    ledger = Ledger()
    ledger.open(A, 5)
    with pytest.raises(ValueError, match="offset 5"):
        ledger.open(A, 5)


@st.composite
def journeys(draw: st.DrawFn) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Messages (partition, offset, outputs) and a shuffled order of all their settlements."""
    next_offset = {0: 0, 1: 0, 2: 0}
    messages = []
    for _ in range(draw(st.integers(1, 25))):
        partition = draw(st.integers(0, 2))
        next_offset[partition] += draw(st.integers(1, 3))
        messages.append((partition, next_offset[partition], draw(st.integers(0, 3))))
    settlements = [at for at, (_, _, outputs) in enumerate(messages) for _ in range(outputs + 1)]
    return messages, draw(st.permutations(settlements))


@given(journeys(), st.data())
def test_shuffled_completions_never_commit_past_what_is_in_work(
    journey: tuple[list[tuple[int, int, int]], list[int]], data: st.DataObject
) -> None:
    messages, settlements = journey
    ledger = Ledger()
    slots: list[Slot] = []
    for partition, offset, outputs in messages:
        slot = ledger.open(("traces", partition), offset)
        slot.left += outputs
        slots.append(slot)
    left = [outputs + 1 for _, _, outputs in messages]
    for at in settlements:
        ledger.settle(slots[at])
        left[at] -= 1
        offsets = ledger.committable()
        for (partition, offset, _), open_work in zip(messages, left, strict=True):
            if open_work:
                assert offsets.get(("traces", partition), 0) <= offset
        if data.draw(st.booleans()):
            ledger.committed(offsets)
    ends = {("traces", partition): offset + 1 for partition, offset, _ in messages}
    assert {at: ledger.position(at) for at in ends} == ends
    assert ledger.in_flight == 0


def test_a_message_of_which_a_part_waits_is_not_done_and_counts_as_waiting() -> None:
    ledger = Ledger()
    slot = ledger.open(A, 0)
    ledger.hold(slot)
    ledger.hold(slot)
    ledger.settle(slot)
    assert (ledger.in_flight, ledger.waiting) == (1, 1)
    assert ledger.idle([A])
    assert ledger.committable() == {}
    ledger.settle(ledger.gather([slot]))
    assert ledger.waiting == 1
    ledger.settle(ledger.gather([slot]))
    assert (ledger.in_flight, ledger.waiting) == (0, 0)
    assert ledger.committable() == {A: 1}


def test_what_stands_on_several_messages_is_done_when_its_last_output_is_confirmed() -> None:
    ledger = Ledger()
    slots = [ledger.open(A, 0), ledger.open(A, 1)]
    for slot in slots:
        ledger.hold(slot)
        ledger.settle(slot)
    joint = ledger.gather(slots)
    assert not ledger.idle([A])
    joint.left += 1
    ledger.settle(joint)
    assert ledger.committable() == {}
    ledger.settle(joint)
    assert ledger.committable() == {A: 2}


def test_what_waits_of_a_partition_that_goes_away_is_abandoned_and_holds_up_nothing_else() -> None:
    ledger = Ledger()
    gone, stays = ledger.open(A, 0), ledger.open(B, 0)
    for slot in (gone, stays):
        ledger.hold(slot)
        ledger.settle(slot)
    assert ledger.drop([A]) == 1
    assert (ledger.in_flight, ledger.waiting) == (1, 1)
    ledger.settle(ledger.gather([gone, stays]))
    assert (ledger.in_flight, ledger.waiting) == (0, 0)
    assert ledger.committable() == {B: 1}
