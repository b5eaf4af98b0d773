"""A megabyte of the worst text for every regular expression of the sources is read in a second.

The texts are made from each pattern's own structure (tests/fuzz/attacks.py); which is worst is found at a
small size. `make fuzz` tries all attacks on all patterns; here it is a draw of attacks, and a draw of the
patterns that are made by the hundred from word lists. Seconds are the processor's, not the clock's.
"""

from __future__ import annotations

import os
import random
import re
from collections import defaultdict
from collections.abc import Sequence

import pytest

from judges.clustering.glossary import _chinese_pattern
from judges.corruption.change_number import _BODY
from judges.corruption.entities import _group_patterns
from judges.corruption.traces.leave_out_zh import _ASKS
from judges.gate.probes import _alone
from judges.redaction.people_zh import _minorities
from tests.fuzz.patterns import Found, find_patterns, find_unknown
from tests.fuzz.timing import MEGABYTE, measure, worst_attacks
from tests.support.time_limit import TooSlow

THOROUGH = "RAGPULSE_FUZZ" in os.environ
SEED = os.environ.get("RAGPULSE_FUZZ_SEED", "1")
SECONDS = 1.0
ATTACKS, WORST = (None, 3) if THOROUGH else (16, 1)
FROM_A_LIST = 8
"""So many patterns of one place, where a list of words makes many that are alike."""

MADE_WHEN_NEEDED = {
    ("judges/clustering/glossary.py", "compile"): [_chinese_pattern().pattern],
    ("judges/corruption/add_invention.py", "search"): [r"\bwarranty\b"],
    ("judges/corruption/change_number.py", "compile"): [
        rf"(?<![A-Za-z0-9_.,:/-])({_BODY})\s?{unit}" for unit in ("days", "天")
    ],
    ("judges/corruption/change_number.py", "search"): [r"(?<![\d.,])1,200(?![\d,])"],
    ("judges/corruption/entities.py", "compile"): [
        pattern.pattern for language in ("en", "zh") for _, pattern in _group_patterns(language)
    ],
    ("judges/corruption/names_en.py", "finditer"): [r"(?<![A-Za-z])Paris(?![A-Za-z])"],
    ("judges/corruption/traces/leave_out_zh.py", "match"): [_ASKS],
    ("judges/gate/probes.py", "sub"): [_alone("30 days"), _alone("三十天")],
    ("judges/gate/probes.py", "search"): [_alone("30 days"), _alone("三十天")],
    ("judges/redaction/people_zh.py", "compile"): [_minorities().pattern],
    ("stream/demo/spoil.py", "search"): [r"(?<!\d)30(?!\d)"],
}
"""Calls whose pattern holds a text of the moment, escaped; with patterns as they make them."""


def groups() -> dict[str, list[Found]]:
    """What is tried, by the module that it stands in."""
    chance = random.Random(SEED)
    by_place = defaultdict(list)
    for found in find_patterns():
        by_place[found.place].append(found)
    for (path, _), patterns in MADE_WHEN_NEEDED.items():
        by_place[path, 0] += [Found((path, 0), re.compile(pattern)) for pattern in patterns]
    grouped: defaultdict[str, list[Found]] = defaultdict(list)
    for (path, _), ones in by_place.items():
        few = ones if THOROUGH or len(ones) <= FROM_A_LIST else chance.sample(ones, FROM_A_LIST)
        grouped["/".join(path.split("/")[:2])] += few
    return grouped


def too_slow(patterns: Sequence[Found]) -> list[str]:
    """What takes more than a second for its worst megabyte."""
    chance, slow = random.Random(SEED), []
    for found in patterns:
        try:
            for make in worst_attacks(found, ATTACKS, WORST, chance):
                take_twice(found, make(MEGABYTE))
        except TooSlow as error:
            slow.append(str(error))
    return slow


def take_twice(found: Found, text: str) -> None:
    """Measure again what takes too long: a neighbour at work on the same core makes all of it slower for a
    while, and what is slow by itself is slow again. Raises TooSlow."""
    try:
        measure(found, text, SECONDS)
    except TooSlow:
        measure(found, text, SECONDS)


def test_the_patterns_of_every_package_are_found() -> None:
    found = find_patterns()
    assert len(found) > 1_000
    packages = {one.place[0].split("/")[0] for one in found}
    assert packages == {"schemas", "judges", "sinks", "stream", "console"}


def test_every_pattern_that_is_made_at_the_moment_is_known_here() -> None:
    unknown = {(call.place[0], call.function) for call in find_unknown()}
    assert unknown <= set(MADE_WHEN_NEEDED), "say what these make, above"


@pytest.mark.parametrize("pattern", [r"(a+)+b", r"\s+$", r"(?:\w+\s?)*!", r"<!--.*?-->"])
def test_what_is_slow_is_told(pattern: str) -> None:
    assert too_slow([Found(("", 0), re.compile(pattern))])


@pytest.mark.timeout(7_200 if THOROUGH else 280)
@pytest.mark.parametrize("part", range(4))
def test_a_megabyte_of_the_worst_takes_no_pattern_more_than_a_second(part: int) -> None:
    assert not [slow for found in list(groups().values())[part::4] for slow in too_slow(found)]
