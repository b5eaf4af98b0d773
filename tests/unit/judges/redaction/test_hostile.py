"""Texts made to take long: none does, for time grows with length and no faster."""

from __future__ import annotations

import time

import pytest

from judges.redaction import redact, redact_trace

UNITS = [
    "1",
    "1 ",
    "1-",
    "+1(",
    "138",
    "13812345678 ",
    "4111111111111111 ",
    "+49 30 1234567 ",
    "a",
    "a.",
    "a@",
    "@",
    "a@a.",
    "at dot ",
    "A",
    "Aa ",
    "Aa-",
    "A. ",
    "John ",
    "John Smith, ",
    "O'",
    "张",
    "张伟",
    "张伟,",
    "老师",
    "我叫",
    "·",
    "阿·",
    "路1号",
    "一号",
    "号",
    "北京市海淀区",
    "地址",
    "地址:路区",
    "address: 1 ",
    "1 Main Street ",
    "1 A A A A ",
    "密码",
    "password is ",
    "key=",
    "?token=aaaa&",
    "://",
    "://a:",
    "eyJaaaaaaaa.",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN ",
    "sk-",
    "幺",
    "DE89 ",
    "::",
    "1.1.1.1",
    "from 1.1.1.1 ",
    "身份证1",
    "passport A1 ",
    "[电话]",
    "[",
    "\u200b1",
    "１",
    " ",
    "\n",
    "微信",
    "wechat a1b2c3 ",
    "P.O. Box ",
    "陳",
    "é",
    "Ⅷ",
    "Smith v. ",
    "Hope & ",
    "my wife jen ",
    "May said ",
    "张伟和",
    "高翔和向明",
    "密码忘了a1@",
    "code 123 456 ",
    "小凡",
    "扎西",
    "employee no. ",
]
SMALL, LARGE = 1 << 12, 1 << 15


def _seconds(text: str) -> float:
    start = time.process_time()
    redact(text)
    return time.process_time() - start


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_eight_times_the_text_takes_no_more_than_a_few_times_eight_times_as_long(unit: str) -> None:
    """Quadratic time would take 64 times as long. The margin is for a machine with other things to do."""
    small = min(_seconds((unit * SMALL)[:SMALL]) for _ in range(2))
    most = 28 * small + 0.2
    assert any(_seconds((unit * LARGE)[:LARGE]) < most for _ in range(3)), (
        f"more than {most:.2f} s, three times"
    )


def test_a_thousand_people_in_one_trace_are_all_taken_out() -> None:
    """Only so many values are remembered; what stands behind a label is found all the same."""
    people = " ".join(
        f"phone 138{n:08d}, name: Alice Mc{'abcdefghij'[n % 10]}{'abcdefghij'[n // 10 % 10]}ux;"
        for n in range(1000)
    )
    trace = {"trace_id": "t", "question": people, "answer": people, "extra": {"n": [people] * 3}}
    clean, _, counts = redact_trace(trace)
    assert counts["phone"] == 5000
    assert "138" not in clean["answer"].replace("[phone 138]", "")
    assert "Alice" not in clean["answer"]
