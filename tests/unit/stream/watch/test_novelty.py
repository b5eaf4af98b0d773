"""A release that nobody announced is marked by its first trace, and nothing else is taken for one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stream.watch.novelty import Novelty
from stream.watch.records import COLUMNS, Batch, Mark


def batch(traces: Sequence[tuple[float, str]], app: str = "helpdesk", column: str = "release_index") -> Batch:
    """Traces by time and value of a release part."""
    size = len(traces)
    empty = np.array([""] * size, dtype=object)
    columns = dict.fromkeys(COLUMNS, empty)
    columns["app"] = np.array([app] * size, dtype=object)
    columns[column] = np.array([value for _, value in traces], dtype=object)
    return Batch(
        trace_id=empty, conversation=empty, timestamp=np.array([at for at, _ in traces]), columns=columns,
        hallucination=np.zeros(size), faithfulness=np.ones(size), failure=empty,
        refusal=np.zeros(size, dtype=bool), quadrant=empty, coverage=empty, scorer_version=empty,
    )  # fmt: skip


def running(value: str, since: float, until: float) -> list[tuple[float, str]]:
    return [(float(at), value) for at in np.arange(since, until)]


def told(marks: list[Mark]) -> list[tuple[float, str, str]]:
    return [(mark.at, mark.text, mark.previous) for mark in marks]


def test_a_value_never_seen_before_is_marked_at_its_first_trace_with_what_ran_before() -> None:
    novelty = Novelty()
    assert novelty.look(batch(running("kb-1", 0, 20))) == []
    (mark,) = novelty.look(batch([*running("kb-1", 20, 23), (23.5, "kb-2"), (24.0, "kb-1"), (25.0, "kb-2")]))
    assert (mark.at, mark.text, mark.previous) == (23.5, "index=kb-2", "kb-1")
    assert (mark.app, mark.source) == ("helpdesk", "detected")


def test_it_is_marked_once() -> None:
    novelty = Novelty()
    novelty.look(batch(running("kb-1", 0, 20)))
    assert len(novelty.look(batch(running("kb-2", 20, 25)))) == 1
    assert novelty.look(batch(running("kb-2", 25, 30))) == []


def test_what_an_app_began_with_is_no_release() -> None:
    assert Novelty().look(batch([(0.0, "kb-1"), (1.0, "kb-2"), (2.0, "kb-1")])) == []


def test_a_release_in_the_first_batch_of_a_long_past_is_one() -> None:
    found = Novelty().look(batch([*running("kb-1", 0, 50), *running("kb-2", 50, 60)]))
    assert told(found) == [(50.0, "index=kb-2", "kb-1")]


def test_a_value_that_comes_back_is_not_new() -> None:
    novelty = Novelty()
    for value, since in (("kb-1", 0), ("kb-2", 20), ("kb-1", 40)):
        marks = novelty.look(batch(running(value, since, since + 20)))
    assert marks == []


def test_the_same_value_is_new_to_another_app_and_to_another_part() -> None:
    novelty = Novelty()
    novelty.look(batch(running("v1", 0, 20)))
    for app, column in (("shop", "release_index"), ("helpdesk", "release_prompt")):
        novelty.look(batch(running("v0", 0, 20), app, column))
        assert [mark.app for mark in novelty.look(batch(running("v1", 20, 25), app, column))] == [app]


def test_traces_that_name_no_release_say_nothing() -> None:
    novelty = Novelty()
    novelty.look(batch(running("kb-1", 0, 20)))
    assert novelty.look(batch(running("", 20, 30))) == []


def test_what_is_stored_and_what_was_marked_is_known() -> None:
    novelty = Novelty()
    novelty.know({("helpdesk", "index"): {"kb-1": 5.0, "kb-2": 9.0}})
    novelty.learn([Mark(8.0, "helpdesk", "index", "kb-3", source="manual")])
    found = novelty.look(batch([(20.0, "kb-2"), (21.0, "kb-3"), (22.0, "kb-4")]))
    assert told(found) == [(22.0, "index=kb-4", "kb-3")]


def test_ids_in_the_place_of_releases_are_none() -> None:
    novelty = Novelty()
    novelty.look(batch(running("build-0", 0, 20)))
    found = novelty.look(batch([(20.0 + n, f"build-{n + 1}") for n in range(200)]))
    assert len(found) == 16
    assert novelty.look(batch([(300.0 + n, f"id-{n}") for n in range(50)])) == []
    quiet = 300.0 + 50 + 2 * 3_600
    assert len(novelty.look(batch([(quiet, "v2")]))) == 1


def test_memory_is_bounded() -> None:
    novelty = Novelty()
    for start in range(0, 5_000, 500):
        novelty.look(batch([(float(n), f"id-{n}") for n in range(start, start + 500)]))
    assert len(novelty._known["helpdesk", "index"]) <= 2_000
    assert "id-4999" in novelty._known["helpdesk", "index"]
