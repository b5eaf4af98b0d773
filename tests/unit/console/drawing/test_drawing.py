"""Pictures are plain SVG, the same for the same numbers, whatever a name in them says."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from console.drawing import (
    Bar,
    Column,
    Mark,
    Point,
    draw_bars,
    draw_columns,
    draw_interval,
    draw_spark,
    draw_timeline,
)
from console.drawing.axis import percent, round_top, ticks
from console.drawing.meter import draw_meter
from console.figures import NOT_MEASURED, Figure, share

NAME = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>\" onload='x'"


def parse(svg: str) -> ElementTree.Element:
    """As a browser that minds the rules would; fails on anything that is not well-formed."""
    return ElementTree.fromstring(svg)


def names(svg: str) -> list[str]:
    return [element.tag for element in parse(svg).iter()]


def test_an_interval_is_a_dot_on_a_bar() -> None:
    assert draw_interval(Figure(0.5, 0.25, 0.75, 40), width=108) == (
        '<svg class="interval" viewBox="0 0 108 16" width="108" height="16" '
        'aria-hidden="true" focusable="false">'
        '<line class="axis" x1="4" y1="8" x2="104" y2="8"/>'
        '<line class="bar" x1="29" y1="8" x2="79" y2="8"/>'
        '<line class="end" x1="29" y1="5" x2="29" y2="11"/>'
        '<line class="end" x1="79" y1="5" x2="79" y2="11"/>'
        '<circle class="dot" cx="54" cy="8" r="3.5"/></svg>'
    )


def test_what_was_not_measured_has_no_dot() -> None:
    svg = draw_interval(NOT_MEASURED)
    assert "unmeasured" in svg
    assert "circle" not in svg


def test_a_spark_is_a_line_with_a_band() -> None:
    points = [Point(0, Figure(0.1, 0.05, 0.2, 9)), Point(10, Figure(0.2, 0.1, 0.3, 9))]
    assert draw_spark(points, 0, 10, width=102, height=34) == (
        '<svg class="spark" viewBox="0 0 102 34" width="102" height="34" '
        'aria-hidden="true" focusable="false">'
        '<line class="axis" x1="0" y1="32.5" x2="102" y2="32.5"/>'
        '<path class="band" d="M1 12L101 2L101 22L1 27Z"/>'
        '<path class="line" d="M1 22L101 12"/></svg>'
    )


def test_a_stretch_without_a_measurement_is_a_gap() -> None:
    measured = Figure(0.1, 0.0, 0.2, 9)
    figures = [measured, measured, NOT_MEASURED, measured, measured]
    svg = draw_spark([Point(at, figure) for at, figure in enumerate(figures)], 0, 4)
    assert svg.count('class="line"') == 2


def test_a_measurement_alone_is_a_dot() -> None:
    svg = draw_spark([Point(0, NOT_MEASURED), Point(1, Figure(0.1, 0.0, 0.2, 9))], 0, 2)
    assert "circle" in svg
    assert "path" not in svg


def test_bars_are_as_wide_as_their_parts_and_carry_a_sign() -> None:
    svg = draw_bars([Bar(3, "healthy", "Healthy", "✓"), Bar(1, "hallucination", "H", "✱")], "all", width=400)
    widths = [float(r.get("width", "0")) for r in parse(svg) if "part" in (r.get("class") or "")]
    assert widths == [300, 100]
    assert "✓" in svg
    assert 'aria-label="all"' in svg


def test_an_empty_whole_is_an_empty_frame() -> None:
    svg = draw_bars([Bar(0, "healthy", "Healthy", "✓")], "nothing")
    assert "part" not in svg
    assert "frame" in svg


def test_a_column_without_failures_has_a_foot_and_no_traffic_has_none() -> None:
    parts = (Bar(0, "hallucination", "H", "✱"),)
    svg = draw_columns([Column(0, 10, parts), Column(60, 0, parts)], 0, 120, 60, "label")
    assert svg.count('class="foot"') == 1


def test_the_parts_of_a_column_stand_on_each_other() -> None:
    parts = (Bar(2, "system_error", "S", "!"), Bar(3, "hallucination", "H", "✱"))
    svg = draw_columns([Column(0, 10, parts)], 0, 60, 60, "label")
    drawn = [e for e in parse(svg) if "part" in (e.get("class") or "")]
    lower, upper = ((float(e.get("y", "0")), float(e.get("height", "0"))) for e in drawn)
    assert upper[0] + upper[1] == pytest.approx(lower[0], abs=0.11)
    assert upper[1] / lower[1] == pytest.approx(1.5, abs=0.02)


def test_names_of_moments_near_each_other_stand_on_different_lines() -> None:
    marks = [Mark(500, "prompt=p8", "release"), Mark(501, "onset", "onset"), Mark(520, "found", "found")]
    points = [Point(at, share(at / 10, 1000)) for at in range(0, 1000, 100)]
    svg = draw_timeline(points, [(0, 0.1), (1000, 0.1)], marks, 0, 1000, "label")
    lines = [e.get("y") for e in parse(svg) if "named" in (e.get("class") or "")]
    assert len(set(lines)) == 3


def test_a_moment_outside_of_the_picture_is_left_out() -> None:
    assert "mark" not in draw_timeline([], [], [Mark(50, "before", "release")], 100, 200, "label")


@pytest.mark.parametrize(
    "svg",
    [
        draw_bars([Bar(1, "healthy", HOSTILE, HOSTILE)], HOSTILE),
        draw_timeline([], [], [Mark(5, HOSTILE, "release")], 0, 10, HOSTILE),
        draw_columns([Column(0, 2, (Bar(1, "hallucination", HOSTILE, "x"),))], 0, 60, 60, HOSTILE),
    ],
)
def test_a_hostile_name_is_a_text(svg: str) -> None:
    allowed = {"svg", "rect", "line", "path", "circle", "text", "title"}
    assert {name.removeprefix(NAME) for name in names(svg)} <= allowed
    assert not any(key.startswith("on") for element in parse(svg).iter() for key in element.attrib)


def test_something_is_never_drawn_as_nothing() -> None:
    assert 'width="2"' in draw_meter(1, 10_000_000)
    assert 'class="part"' not in draw_meter(0, 10)


@given(
    some.lists(
        some.one_of(
            some.none(),
            some.tuples(some.floats(0, 1), some.floats(0, 1), some.floats(0, 1)).map(sorted),
        ),
        max_size=30,
    )
)
def test_whatever_was_measured_lies_within_the_picture(values: list[Any]) -> None:
    points = [
        Point(at, NOT_MEASURED if v is None else Figure(v[1], v[0], v[2], 1)) for at, v in enumerate(values)
    ]
    svg = draw_spark(points, 0, 30, width=160, height=32)
    numbers = [float(n) for d in re.findall(r' d="([^"]*)"', svg) for n in re.findall(r"-?\d+\.?\d*", d)]
    assert all(0 <= n <= 160 for n in numbers)
    parse(svg)


def test_the_top_of_an_axis_is_the_next_round_number() -> None:
    assert [round_top([v]) for v in (0.0, 0.013, 0.21, 0.51, 0.99)] == [0.01, 0.02, 0.3, 0.6, 1.0]


def test_ticks_are_round_moments_and_few() -> None:
    day = 1_796_000_000
    for length in (900, 3_600, 21_600, 86_400, 604_800, 31 * 86_400):
        found = list(ticks(day, day + length))
        assert 2 <= len(found) <= 8
    assert [name for _, name in ticks(0, 3_600)] == [
        "00:00",
        "00:10",
        "00:20",
        "00:30",
        "00:40",
        "00:50",
        "01:00",
    ]


def test_a_small_share_keeps_its_place_after_the_point() -> None:
    assert [percent(v) for v in (0.0, 0.005, 0.05, 0.12)] == ["0%", "0.5%", "5.0%", "12%"]


def test_a_time_at_the_edge_is_written_within_the_picture() -> None:
    ends = {
        text.get("class"): text.text for text in parse(draw_columns([], 0.0, 900.0, 60.0, "x")).iter("text")
    }
    assert ends["tick x last"] == "00:15"
    inside = draw_columns([], 0.0, 930.0, 60.0, "x", width=520)
    assert "tick x last" in inside
    assert "tick x last" not in draw_columns([], 0.0, 1_000.0, 60.0, "x", width=520)
