"""The parts of the benchmarks under load: sizes, the search, latencies, memory, pictures, documents."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import orjson
import pytest

from benchmarks import _load_peers, load, outage, throughput
from benchmarks._common import load_messages
from benchmarks._documents import marks, picture, put, table
from benchmarks._drawing import MOST_POINTS, Panel, Span, draw
from benchmarks._load_latency import PRECISION, find_highest
from benchmarks._memory import Watch, peak_mb, resident_mb, slope_mb_per_hour
from benchmarks._peers_quality import area
from benchmarks._publishing import Publisher
from benchmarks._reading import Latencies, Reader
from benchmarks._sized_traces import TOLERANCE, resize
from schemas.trace import Trace

# --- sizes ---


@pytest.mark.parametrize("wanted", [2_048, 8_192, 32_768])
def test_traces_come_in_the_size_that_is_wanted_and_remain_traces(wanted: int) -> None:
    bodies = load_messages().bodies
    resized = resize(bodies, wanted)
    assert len(resized) > len(bodies) / 3
    for body in resized:
        assert abs(len(orjson.dumps(body)) - wanted) <= wanted * TOLERANCE
        assert Trace.model_validate(body).answer == body["answer"]


def test_the_originals_stay_as_they_were() -> None:
    bodies = load_messages().bodies[:20]
    before = orjson.dumps(bodies)
    resize(bodies, 8_192)
    assert orjson.dumps(bodies) == before


def test_a_size_below_question_and_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="10 bytes"):
        resize(load_messages().bodies[:5], 10)


# --- the search ---


@pytest.mark.parametrize("limit", [3.2, 70, 99, 101, 777, 5_000])
@pytest.mark.parametrize("start", [50.0, 100.0])
def test_the_highest_rate_is_found_to_within_a_tenth(limit: float, start: float) -> None:
    tried: list[float] = []

    def attempt(rate: float) -> bool:
        tried.append(rate)
        return rate <= limit

    found = find_highest(attempt, start)
    assert found is not None
    assert found <= limit < found * PRECISION
    assert len(tried) < 15


def test_a_rate_that_never_holds_is_not_searched_for_ever() -> None:
    tried: list[float] = []

    def fails(rate: float) -> bool:
        tried.append(rate)
        return False

    assert find_highest(fails, 100) is None
    assert len(tried) == 6


# --- latencies ---


def test_percentiles_count_what_was_never_seen() -> None:
    all_seen = Latencies.over([n / 100 for n in range(100)], expected=100)
    assert (all_seen.p50, all_seen.p99, all_seen.most) == (0.5, 0.99, 0.99)
    two_lost = Latencies.over([0.1] * 98, expected=100)
    assert two_lost.p50 == 0.1
    assert math.isinf(two_lost.p99)
    assert math.isinf(Latencies.over([], expected=0).p99)


def test_the_reader_counts_each_row_once_though_it_asks_for_the_last_insert_again() -> None:
    reader = Reader("http://127.0.0.1:9/nowhere")
    reader._note([(1_000, 5_000, 2), (2_000, 5_000, 1)], now=6.0)
    reader._note([(1_000, 5_000, 2), (2_000, 5_000, 3), (3_000, 6_000, 4)], now=7.0)
    assert reader.seen == 9
    seen = reader.latencies(0.0, 10.0, expected=9)
    assert (seen.seen, seen.most) == (9, 5.0)
    assert reader.latencies(2.5, 3.5, expected=4).p50 == 4.0


def test_how_many_were_due_follows_from_the_rate() -> None:
    publisher = Publisher("127.0.0.1:9", "t", [{}], rate=100, name="n")
    publisher.began, publisher.count = 1_000.0, 250
    assert publisher.due_between(1_000.0, 1_001.0) == 100
    assert publisher.due_between(999.0, 1_000.015) == 2
    assert publisher.due_between(1_002.0, 1_010.0) == 50


def test_what_was_due_and_what_came_are_cut_at_the_same_millisecond() -> None:
    publisher = Publisher("127.0.0.1:9", "t", [{}], rate=3_000, name="n")
    publisher.began, publisher.count = 1_000.0, 6_000
    reader = Reader("http://127.0.0.1:1/x")
    for number in range(publisher.count):
        reader._note([(publisher._stamp(number), number + 1, 1)], now=1_003.0)
    for since in (1_000.5, 1_000.50031, 1_000.50034, 1_000.50067, 1_000.5009):
        expected = publisher.due_between(since, since + 0.7)
        assert reader.latencies(since, since + 0.7, expected).seen == expected


# --- memory ---


def test_memory_is_that_of_the_process() -> None:
    resident = resident_mb(os.getpid())
    assert resident is not None
    assert 10 < resident <= peak_mb(os.getpid()) * 1.01
    assert resident_mb(2**22 + 1) is None


def test_the_slope_is_that_of_a_straight_line() -> None:
    assert slope_mb_per_hour([(at, 100 + at / 360) for at in range(100)]) == pytest.approx(10)
    assert slope_mb_per_hour([(0, 1)]) == 0


def test_a_leak_is_told_from_noise() -> None:
    noisy = [(float(at), 200.0 + at % 7) for at in range(300)]
    leaking = [(float(at), 200.0 + at / 3) for at in range(300)]
    assert not outage.grew(noisy)
    assert outage.grew(leaking)


def test_a_watch_samples_memory_and_what_else_is_asked_for() -> None:
    with Watch(lambda: {"me": os.getpid()}, {"five": lambda: 5.0}) as watch:
        until = time.monotonic() + 10
        while not watch.values["five"] and time.monotonic() < until:
            time.sleep(0.01)
    assert watch.values["five"][0][1] == 5.0
    assert watch.between("me", watch.began - 1, watch.began + 60)
    assert watch.between("nobody", 0, 1) == []


# --- what is shown ---


def test_a_picture_is_well_formed_and_keeps_peaks() -> None:
    flat = [(float(at), 1.0) for at in range(10 * MOST_POINTS)]
    flat[1_234] = (1_234.0, 99.0)
    svg = draw(
        [Panel("a & b", {"<x>": flat}, (50.0, "goal")), Panel("empty", {"y": []})], [Span(3, 9, "away")]
    )
    root = ElementTree.fromstring(svg)
    lines = [element for element in root if element.tag.endswith("polyline")]
    points = [tuple(map(float, point.split(","))) for point in lines[0].attrib["points"].split()]
    assert len(points) <= 2 * MOST_POINTS
    assert min(y for _, y in points) < min(y for x, y in points if x > 400)
    assert "a & b" in "".join(root.itertext())


def test_a_part_is_written_anew_and_leaves_the_others_alone(tmp_path: Path) -> None:
    report = tmp_path / "LOAD.md"
    put(report, "python -m x", "one", "first")
    put(report, "python -m x", "two", "second")
    put(report, "python -m x", "one", table(["a"], [["1"]]))
    text = report.read_text()
    assert text.count("written by") == 2
    assert "first" not in text
    assert text.index("| 1 |") < text.index("second")
    assert picture(report, "p", "<svg/>") == "load/p.svg"
    assert (tmp_path / "load" / "p.svg").read_text() == "<svg/>"


PARTS = [
    *(("LOAD.md", part, f"{load.COMMAND} --only {part}") for part in load.PARTS),
    ("LOAD.md", "outage", outage.COMMAND),
    ("BENCHMARKS.md", "throughput", throughput.COMMAND),
]


@pytest.mark.parametrize(("document", "part", "command"), PARTS, ids=lambda given: given.split()[-1])
def test_the_documents_have_one_place_for_each_part(document: str, part: str, command: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / document).read_text()
    for mark in marks(command, part):
        assert text.count(mark) == 1


def test_the_area_is_how_often_the_wrong_ones_score_higher() -> None:
    wrong = np.array([True, True, False, False])
    assert area([0.9, 0.8, 0.2, 0.1], wrong) == 1.0
    assert area([0.9, 0.2, 0.2, 0.1], wrong) == 0.875
    assert area([None, None, None, None], wrong) == 0.5
    assert area([None, 0.8, 0.2, 0.1], wrong) == 0.5


def test_memory_is_judged_once_batches_are_full() -> None:
    filling = [(float(at), min(80.0 + at, 140.0)) for at in range(150)]
    assert outage.grew(filling)
    assert not outage.grew(outage.later(filling))


def test_a_peer_that_is_not_installed_is_skipped_with_the_reason(tmp_path: Path) -> None:
    assert "make peers" in (_load_peers.absent("q", tmp_path / "python") or "")
    assert _load_peers.absent("w", tmp_path / "python") is None
