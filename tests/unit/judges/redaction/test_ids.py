"""Numbers that states, employers and schools give to people."""

from __future__ import annotations

import pytest

from judges.redaction import checksums
from tests.unit.judges.redaction.cases import taken, values

FOUND = [
    ("11010519491231002X", "11010519491231002X"),
    ("号码11010519491231002x没错", "11010519491231002x"),
    ("110105 19491231 002X", "110105 19491231 002X"),
    ("证件 440524188001010014", "440524188001010014"),
    ("130503670401001是老证", "130503670401001"),
    ("身份证:110105194912310021(最后一位记不清)", "110105194912310021"),
    ("护照E12345678", "E12345678"),
    ("护照号:EA1234567", "EA1234567"),
    ("港澳居民来往内地通行证 H1234567890", "H1234567890"),
    ("京A·12345", "京A·12345"),
    ("粤B12345挂靠", "粤B12345"),
    ("车牌 沪AD12345 违章", "沪AD12345"),
    ("工号:008872", "008872"),
    ("学号是20190304", "20190304"),
    ("病历号 0012345", "0012345"),
    ("社保卡号A12345678", "A12345678"),
    ("会员卡号 88001234", "88001234"),
    ("税号91310000MA1FL0000X", "91310000MA1FL0000X"),
    ("passport number: X1234567", "X1234567"),
    ("Passport 533380006", "533380006"),
    ("driver's license B1234567", "B1234567"),
    ("SSN: 536-90-4399", "536-90-4399"),
    ("social security number 536 90 4399", "536 90 4399"),
    ("my NINO is JG103759A", "JG103759A"),
    ("JG 10 37 59 A on the payslip", "JG 10 37 59 A"),
    ("employee ID 4471-A", "4471-A"),
    ("MRN: 0048392", "0048392"),
    ("member id XGH884920", "XGH884920"),
    ("plate 7XYZ123", "7XYZ123"),
    ("NHS number 401 023 2137", "401 023 2137"),
    ("badge #10293", "10293"),
    ("Aadhaar 2345 6789 0123", "2345 6789 0123"),
]
LEFT = [
    "订单号110105194912310021",
    "part number 123-45-6789",
    "model JG103759A",
    "身份证号码由18位数字组成",
    "GB11643-1999规定了校验码",
    "passport valid for 10 years",
    "护照有效期10年",
    "license: MIT",
    "member since 2019",
    "plate 12 mm thick",
    "京A类牌照和沪B类牌照",
    "20240315123456789012",
    "工号忘记了怎么办",
    "the student id format has changed",
    "version 536.90.4399",
]


@pytest.mark.parametrize(("text", "number"), FOUND)
def test_a_number_of_a_person_is_taken_out(text: str, number: str) -> None:
    assert values(text, "id_number") == [number]


@pytest.mark.parametrize("text", LEFT)
def test_talk_about_numbers_and_numbers_of_things_stay(text: str) -> None:
    assert taken(text) == []


def test_the_check_digit_of_a_resident_id_follows_the_standard() -> None:
    """The example in GB 11643-1999, annex A."""
    assert checksums.is_resident_id("11010519491231002X")
    assert checksums.is_resident_id("440524188001010014") is False  # nobody of 1880 is alive
    assert not checksums.is_resident_id("110105194912310021")
    assert checksums.is_resident_shape("110105194912310021")
    assert not checksums.is_resident_shape("990105194912310021")
    assert not checksums.is_resident_shape("110105194913310021")


def test_the_check_digit_of_a_social_credit_code_follows_the_standard() -> None:
    """Known codes, and each with a digit changed or two exchanged."""
    assert checksums.is_credit_code("91350100M000100Y43")  # the example in GB 32100-2015
    assert not checksums.is_credit_code("91350100M000100Y44")
    assert not checksums.is_credit_code("93150100M000100Y43")


def test_cards_and_ibans_are_told_by_their_checks() -> None:
    assert checksums.is_luhn("4111111111111111")
    assert not checksums.is_luhn("4111111111111112")
    assert not checksums.is_luhn("0000000000000000")
    assert checksums.is_iban("DE89370400440532013000")
    assert checksums.is_iban("GB29NWBK60161331926819")
    assert not checksums.is_iban("DE88370400440532013000")
    assert not checksums.is_iban("DE8937040044053201300")
