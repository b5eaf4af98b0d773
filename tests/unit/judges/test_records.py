"""Records in chunks are read key by key: JSON whole or cut, Python's spelling, and lines of `Key: yes`."""

from __future__ import annotations

import json

import pytest

from judges.distilled.measuring.records import ABSENT, FALSE, NODE, TRUE, VALUE, find_records
from tests.unit.judges.measured import measure_one

NAMES = {ABSENT: "absent", FALSE: "no", TRUE: "yes", VALUE: "value", NODE: "node"}


def read(*chunks: str) -> dict[str, str]:
    part = measure_one("x", chunks).part
    records = find_records(part)
    tokens = part.tokens
    found = {}
    for i in range(len(records.first)):
        at = range(int(records.first[i]), int(records.last[i]))
        words = [tokens.joined[tokens.offset[tokens.text[t]] :][tokens.start[t] : tokens.end[t]] for t in at]
        found[" ".join(words)] = NAMES[int(records.says[i])]
    return found


def test_each_key_of_a_json_object_says_yes_no_nothing_or_something_else() -> None:
    record = {"OutdoorSeating": False, "takeOut": True, "music": None, "stars": 4.5, "name": "Fjell"}
    assert read(json.dumps(record)) == {
        "Outdoor Seating": "no",
        "take Out": "yes",
        "music": "absent",
        "stars": "value",
        "name": "value",
    }


@pytest.mark.parametrize(
    ("value", "said"),
    [('"yes"', "yes"), ('"no"', "no"), ('"None"', "absent"), ('""', "absent"), ('"nothing much"', "value")],
)
def test_words_in_quotes_count_too(value: str, said: str) -> None:
    assert read(f'{{"wifi": {value}}}') == {"wifi": said}


def test_a_node_says_yes_where_one_of_its_keys_does() -> None:
    record = {"parking": {"garage": True, "valet": False}, "music": {"dj": False, "live": None}}
    found = read(json.dumps(record))
    assert (found["parking"], found["music"]) == ("yes", "no")


def test_a_record_that_was_cut_is_read_as_far_as_it_goes() -> None:
    assert read('{"a": true, "b": {"c": false, "d": "unfini') == {
        "a": "yes",
        "b": "node",
        "c": "no",
        "d": "value",
    }


def test_python_and_chinese_records_are_read_as_well() -> None:
    assert read("{'pets allowed': False, 'lift': None}", '{"是否营业": true}') == {
        "pets allowed": "no",
        "lift": "absent",
        "是 否 营 业": "yes",
    }


def test_lines_count_only_where_they_plainly_say_yes_or_no() -> None:
    assert read("Outdoor seating: no\nParking: yes\nNote: bring cash") == {
        "Outdoor seating": "no",
        "Parking": "yes",
    }
    assert read("停车：有\n无线网络：无") == {"停 车": "yes", "无 线 网 络": "absent"}


def test_prose_holds_no_record() -> None:
    assert read('He said: "no, never": that was all. It opens at 9:00.') == {}
    assert read('She wrote "yes"') == {}


def test_keys_in_a_list_of_objects_lie_in_what_the_list_lies_in() -> None:
    part = measure_one("x", ['{"reviews": [{"stars": 1}, {"stars": 2}]}']).part
    assert find_records(part).parent.tolist() == [-1, 0, 0]


@pytest.mark.parametrize(
    "text", ["{", '{"', '{"a', '{"a"', '{"a":', "'" * 50, '{"a\\', "[[[[" * 50, "}" * 9 + ":"]
)
def test_broken_records_harm_nothing(text: str) -> None:
    read(text)
