"""A comparison as people and scripts are told it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import orjson
import pytest

from stream.report.as_markdown import as_markdown
from stream.report.compare import Stratum, arms_of, compare
from stream.report.read import Found, Release
from stream.report.release import release_page
from stream.report.show import facts
from stream.report.words import Words
from stream.rescore.items import Period
from stream.watch.records import Floats, Measure
from tests.unit.stream.report.test_compare import EN, ZH, rate

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
PERIOD = Period(NOON - timedelta(days=7), NOON)


def release(value: str, sums: dict[Stratum, Floats], hour: int) -> Release:
    begin = NOON - timedelta(hours=hour)
    mix = {stratum: int(one[0]) for stratum, one in sums.items()}
    return Release(value, sum(mix.values()), begin, begin + timedelta(minutes=50), mix)


def found(
    a: dict[Stratum, Floats], b: dict[Stratum, Floats], hours: tuple[int, int] = (3, 3), name: str = "kb-2"
) -> Found:
    both = [{kind: np.tile(sums, (len(Measure), 1)) for kind, sums in arm.items()} for arm in (a, b)]
    return Found(release("kb-1", a, hours[0]), release(name, b, hours[1]), arms_of(*both))


def shown(one: Found) -> str:
    return as_markdown(release_page("index", one, compare(one.arms), PERIOD, Words("en"), "made"))


def told(one: Found) -> dict[str, Any]:
    made = facts("index", one, compare(one.arms), PERIOD, 0.0)
    back: dict[str, Any] = orjson.loads(orjson.dumps(made))
    return back


WORSE = found({EN: rate(1000, 50)}, {EN: rate(1000, 150)})


def test_faithfulness_falls_where_hallucination_rises() -> None:
    text = shown(WORSE)
    fives, fifteens = "5.0%<br>[3.8, 6.5] n = 1,000", "15.0%<br>[12.9, 17.3] n = 1,000"
    assert f"| Hallucination | {fives} | {fifteens} | +10.0 points" in text
    fives, fifteens = "95.0%<br>[93.5, 96.2] n = 1,000", "85.0%<br>[82.7, 87.1] n = 1,000"
    assert f"| Faithfulness | {fives} | {fifteens} | -10.0 points" in text
    measures = told(WORSE)["measures"]
    assert measures["faithfulness"]["difference"] == pytest.approx(-0.1)
    assert measures["faithfulness"]["low"] < measures["faithfulness"]["high"] < 0
    assert measures["faithfulness"]["verdict"] == measures["hallucination"]["verdict"] == "worse"


def test_what_is_worse_stands_in_the_first_line_and_a_correct_refusal_does_not() -> None:
    first = shown(WORSE).splitlines()[2]
    assert first.startswith("**kb-2 is clearly worse in Hallucination, Faithfulness, Refusal, Over-refusal")
    assert "orrect refusal" not in first


def test_releases_that_ran_one_after_the_other_are_said_to() -> None:
    assert "one after the other" not in shown(WORSE)
    assert "one after the other" in shown(found({EN: rate(100, 5)}, {EN: rate(100, 5)}, (5, 3)))
    assert "one after the other" in shown(found({EN: rate(100, 5)}, {EN: rate(100, 5)}, (3, 5)))


def test_what_was_left_out_is_told_with_its_share() -> None:
    text = shown(found({EN: rate(1000, 50)}, {EN: rate(1000, 50), ZH: rate(1000, 50)}))
    assert "50% of the traces of kb-2 are of a kind that the other has none of" in text
    assert "| language zh | 0.0% | 50.0% |" in text


def test_a_mix_that_did_not_move_is_not_listed() -> None:
    assert "## The mix" not in shown(WORSE)
    assert told(WORSE)["mix"] == []


def test_a_name_does_not_break_the_table_nor_the_terminal() -> None:
    hostile = ("help|desk", "en", "a\x1b[2J", "s-1")
    text = shown(found({EN: rate(500, 5)}, {EN: rate(500, 5), hostile: rate(500, 5)}, name="a|b\x1b[31m"))
    assert "\x1b" not in text
    assert "help\\|desk" in text


def test_nothing_to_compare_is_said_and_is_no_acquittal() -> None:
    empty = Found(Release("kb-1"), Release("kb-9"), arms_of({}, {}))
    assert "**Not comparable:" in shown(empty)
    assert "kb-9: no trace" in shown(empty)
    assert (told(empty)["comparable"], told(empty)["worse"]) == (False, False)
