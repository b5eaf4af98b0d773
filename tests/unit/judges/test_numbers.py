"""The same fact in other spellings has the same value; another fact has not."""

from __future__ import annotations

import pytest

from judges.distilled.measuring.lexicon import read_number_words
from judges.distilled.measuring.tokens import tokenize

SAME = [
    ("1,200 units", "1200 units", 1200),
    ("1,234,567", "1234567", 1_234_567),
    ("１，２００元", "1200元", 1200),
    ("12%", "12 percent", 12),
    ("百分之十二", "12％", 12),
    ("3万", "30,000", 30_000),
    ("三万", "30000", 30_000),
    ("兩萬", "20000", 20_000),
    ("三万五千", "35,000", 35_000),
    ("1.5 million", "150万", 1_500_000),
    ("1.2亿", "120 million", 120_000_000),
    ("2k users", "2000 users", 2000),
    ("二〇二四年", "2024年", 2024),
    ("２０２４年", "2024", 2024),
    ("三个", "three of them", 3),
    ("兩年", "2 years", 2),
    ("十五天", "15 days", 15),
    ("一千二百元", "1200元", 1200),
    ("叁佰元", "300元", 300),
    ("三点五", "3.5", 3.5),
    ("12.50", "12.5", 12.5),
    ("007", "7", 7),
    ("twenty-five days", "25 days", 25),
    ("Twenty five days", "二十五天", 25),
    ("ninety-nine thousand", "99,000", 99_000),
    ("八折", "80%", 80),
    ("打八五折", "8.5折", 85),
    ("½ cup", "0.5 cup", 0.5),
    ("2½ cups", "2.5 cups", 2.5),
    ("3 ¾", "3.75", 3.75),
]


def values_of(text: str) -> list[tuple[float, ...]]:
    tokens = tokenize([text])
    read_number_words(tokens)
    return [tokens.values[i] for i in tokens.number.tolist() if i >= 0]


@pytest.mark.parametrize(("one", "other", "value"), SAME)
def test_the_same_number_in_other_spellings(one: str, other: str, value: float) -> None:
    assert values_of(one)[0][0] == value
    assert values_of(other)[0][0] == value


@pytest.mark.parametrize(("one", "other", "value"), SAME)
def test_the_same_number_has_the_same_key(one: str, other: str, value: float) -> None:
    tokens = tokenize([one, other])
    read_number_words(tokens)
    keys = [tokens.key[(tokens.text == i) & (tokens.number >= 0)][0] for i in (0, 1)]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5:30 PM", "17:30"),
        ("3 pm", "15:00"),
        ("12:00 am", "0:00"),
        ("9:05", "09:05"),
        ("下午三点", "15:00"),
        ("下午 3 点", "3 pm"),
        ("下午3点半", "15:30"),
        ("早上八点四十", "8:40"),
        ("晚上十点十五分", "22:15"),
        ("凌晨12点", "0:00"),
        ("中午十二点", "12:00"),
        ("中午一点", "13:00"),
        ("九点一刻", "9:15"),
        ("15时30分", "15:30"),
        ("三点钟", "下午3点"),
        ("半年", "6个月"),
        ("半小时", "30分钟"),
        ("半个小时", "30分钟"),
    ],
)
def test_times_of_day_agree_across_clocks(one: str, other: str) -> None:
    assert set(values_of(one)[0]) & set(values_of(other)[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5:30", "530"),
        ("5:30 PM", "5:30 AM"),
        ("1,200", "1,300"),
        ("12%", "13%"),
        ("三万", "三千"),
        ("2024", "2025"),
        ("3万", "3"),
        ("2 million", "2"),
        ("twenty-five", "20"),
        ("下午三点", "03:00"),
        ("下午三点", "下午四点"),
        ("八折", "七折"),
        ("八折", "8"),
        ("半年", "一年"),
    ],
)
def test_other_numbers_do_not_agree(one: str, other: str) -> None:
    assert not set(values_of(one)[0]) & set(values_of(other)[0])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no numbers",
        "万一下雨",
        "一起走",
        "点心",
        "some",
        "①②",
        "m²",
        "有一点",
        "转折",
        "下半年",
        "一半",
        "pretty one",
    ],
)
def test_words_that_look_like_numbers_are_none(text: str) -> None:
    assert values_of(text) == []


@pytest.mark.parametrize(
    "text", ["9" * 400, "1" + ",000" * 200, "1." * 300, ":" * 50 + "5", "点" * 90, "万" * 90, "5:99", "25:00"]
)
def test_absurd_numbers_do_no_harm(text: str) -> None:
    assert all(value == value and abs(value) != float("inf") for found in values_of(text) for value in found)


def test_points_are_not_hours() -> None:
    assert values_of("以下三点建议，另有2点") == [(2.0,)]


def test_two_and_a_half_hours_are_no_half_hour() -> None:
    assert (0.5, 30.0) not in values_of("两个半小时")


def test_numbers_as_they_are_said_leave_their_neighbours_alone() -> None:
    assert values_of("3件八折，下午三点前twenty-five人，7天") == [
        (3.0,),
        (80.0,),
        (100_900.0,),
        (25.0,),
        (7.0,),
    ]
