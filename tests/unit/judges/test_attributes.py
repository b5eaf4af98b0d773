"""What a record says of a key is held against claims that name the key."""

from __future__ import annotations

import json

import pytest

from judges.distilled.measuring.attributes import ATTRIBUTES, measure_attributes
from tests.unit.judges.measured import measure_one

RECORD = json.dumps(
    {
        "name": "Fjell",
        "OutdoorSeating": False,
        "RestaurantsTakeOut": True,
        "RestaurantsReservations": None,
        "BusinessParking": {"garage": False, "street": True},
        "WiFi": "no",
    }
)


def measured(answer: str, chunk: str = RECORD) -> dict[str, float]:
    measures = measure_attributes(measure_one(answer, [chunk]).part)
    return {name: float(measures[name].sum()) for name in ATTRIBUTES if measures[name].any()}


def test_a_claim_that_affirms_what_the_record_denies_is_noticed() -> None:
    found = measured("Guests enjoy the outdoor seating.")
    assert found["says_no"] == found["says_no_only"] == 1


@pytest.mark.parametrize("written", ["takeout", "take-out", "take out", "Take Out"])
def test_a_key_is_known_however_it_is_joined(written: str) -> None:
    assert measured(f"They offer {written} food.")["says_yes"] == 1


def test_a_claim_that_denies_is_told_from_one_that_affirms() -> None:
    assert measured("There is no outdoor seating.") == {"denies_no": 1.0}
    assert measured("Street parking is not available.")["denies_yes"] >= 1
    assert measured("Outdoor seating: No outdoor seating available.") == {"denies_no": 1.0}


def test_what_the_record_leaves_open_is_neither() -> None:
    assert measured("They accept reservations.")["says_nothing"] == 1
    assert measured("They do not accept reservations.") == {"denies_nothing": 1.0}


def test_the_last_word_of_a_key_names_it() -> None:
    assert "says_no" not in measured("It is a popular business.")
    assert "says_yes" in measured("There is plenty of parking.")


def test_a_parent_key_that_is_named_too_makes_it_plainer() -> None:
    assert measured("It has a parking garage.")["parent_no"] == 1
    assert "parent_no" not in measured("It has a garage.")


def test_chinese_keys_and_lines_count_alike() -> None:
    assert measured("餐厅提供露天座位。", "露天座位：否\n停车：是")["says_no"] == 1
    assert measured("餐厅没有露天座位。", "露天座位：否")["denies_no"] == 1


def test_plain_text_has_no_attributes() -> None:
    assert measured("There is outdoor seating.", "There is no outdoor seating here.") == {}


def test_a_key_that_repeats_counts_once() -> None:
    record = json.dumps([{"pool": False}, {"pool": False}, {"pool": False}])
    assert measured("There is a pool.", record)["says_no"] == 1


def test_one_record_is_not_held_against_another_trace() -> None:
    from judges.distilled.measuring.batch import read_case
    from judges.distilled.measuring.features import measure
    from tests.unit.judges.measured import trace_of

    cases = [
        read_case(trace_of("There is outdoor seating.", ["Bring cash."])),
        read_case(trace_of("There is outdoor seating.", [RECORD])),
    ]
    assert measure_attributes(measure(cases).part)["says_no"].tolist() == [0.0, 1.0]
