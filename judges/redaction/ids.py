"""Numbers that states, employers and schools give to people, and plates of cars."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from judges.redaction import checksums
from judges.redaction.cues import find_cues
from judges.redaction.fold import Folded
from judges.redaction.kinds import ID_NUMBER
from judges.redaction.spans import Item
from judges.redaction.zones import before, is_of_a_thing, touches, zones

_RESIDENT: Final = re.compile(
    r"[1-8]\d{5}[ -]?(?:19|20)\d{2}[ -]?\d{4}[ -]?\d{3}[\dXx](?![0-9A-Za-z])", re.ASCII
)
_OLD_RESIDENT: Final = re.compile(r"[1-8]\d{14}(?![0-9A-Za-z])", re.ASCII)
_CREDIT: Final = re.compile(r"[0-9A-HJ-NP-RTUW-Y]{18}(?![0-9A-Za-z])")
_SOCIAL: Final = re.compile(
    r"(?<![\d.-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])", re.ASCII
)
_INSURANCE: Final = re.compile(
    r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]"
    r"(?![0-9A-Za-z])",
    re.ASCII,
)
_PLATE: Final = re.compile(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼使领][A-HJ-NP-Z][·. -]?"
    r"(?:[0-9A-HJ-NP-Z]{4}[0-9A-HJ-NP-Z学警港澳挂领]|[0-9A-HJ-NP-Z]{6})(?![0-9A-Za-z])"
)
_LABELS_ZH: Final = (
    "身份证", "护照", "通行证", "居住证", "回乡证", "台胞证", "军官证", "士兵证", "警官证", "驾驶证",
    "驾照", "行驶证",
    "社保", "医保", "社会保障", "公积金", "学籍", "学号", "准考证", "工号", "员工号", "员工编号", "病历",
    "住院",
    "门诊", "就诊卡", "诊疗卡", "会员号", "会员卡", "会员编号", "客户编号", "客户号", "患者编号", "证件",
    "档案号",
    "车牌", "号牌", "纳税人识别", "税号", "社会信用代码", "信用代码", "胸卡", "工牌", "警号", "执业证",
    "教师证", "登记号", "个人编号", "个人号", "参保号", "考号", "考生号", "编制号", "职工号", "员工代码",
    "患者号", "就诊号", "门急诊号", "客户代码", "会员代码", "用户编号", "用户号",
)  # fmt: skip
_LABELS_EN: Final = (
    "passport", "license", "licence", "license plate", "licence plate", "number plate", "plate",
    "registration",
    "reg", "social security", "ssn", "sin", "national insurance", "nino", "ni", "nhs", "medicare", "medicaid",
    "national id", "id card", "identity card", "tax id", "tin", "itin", "ein", "student id", "employee id",
    "staff id", "badge", "badge id", "patient id", "patient", "mrn", "medical record", "member id", "member",
    "membership", "customer id", "visa number", "green card", "alien", "resident permit", "payroll",
    "pesel", "aadhaar",
    "pan", "nric", "hkid", "my id", "id number", "id no", "policyholder id", "enrollment",
    "matriculation", "cpf",
)  # fmt: skip
_PEOPLE_EN: Final = (
    "employee", "staff", "student", "pupil", "personnel", "crew", "customer", "chart",
    "patient", "member", "subscriber", "insured", "candidate", "taxpayer",
)  # fmt: skip
"""With a word for a number behind them these are labels, too."""
_NUMBERED: Final = re.compile(r"[ _-]?(?:number|num|no|id|code|#)(?![a-z])|[ ]?#", re.IGNORECASE)
_PLATES_EN: Final = re.compile(r"[A-Z]{2}\d{2} ?[A-Z]{3}")
"""As Britain gives them out since 2001."""
_LABELLED: Final = re.compile(
    r"(?i:[ _-]?(?:card|number|num|no|id|#|code))?[.#]{0,2}(?:号码|编号|卡号|证号|字号|卡|证|号)?\s{0,2}"
    r"(?:[:=#]|是|为|(?i:is|was)(?![a-z]))?[:=]?[\s\"'(#]{0,3}"
    r"(?P<value>(?:军字第)?[A-Z]{0,3}[ -]?[0-9A-Z]{0,3}\d[0-9A-Z]{0,18}"
    r"(?:[ -][0-9A-Z]{1,8}){0,4}号?)(?![0-9A-Za-z])",
)


def find_ids(folded: Folded) -> Iterator[Item]:
    """Every number of a person or company that its own check or the words before it betray."""
    text = folded.text
    for start, end in zones(text):
        for match in _numbers(text, start, end):
            yield Item(ID_NUMBER, *match.span())
    for match in _CREDIT.finditer(text):
        if checksums.is_credit_code(match[0]) and not touches(text, match.start()):
            yield Item(ID_NUMBER, *match.span())
    for match in _INSURANCE.finditer(text):
        if not touches(text, match.start()) and not is_of_a_thing(before(text, match.start())):
            yield Item(ID_NUMBER, *match.span())
    if not text.isascii():
        for match in _PLATE.finditer(text):
            if any(character.isdigit() for character in match[0]):
                yield Item(ID_NUMBER, *match.span())
    yield from _find_labelled(folded)


def _numbers(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Resident ids and social security numbers in a stretch of digits (and one letter behind it)."""
    for match in _RESIDENT.finditer(text, start, min(len(text), end + 2)):
        number = re.sub(r"[ -]", "", match[0])
        if not touches(text, match.start()) and (
            checksums.is_resident_id(number)
            or (checksums.is_resident_shape(number) and not is_of_a_thing(before(text, match.start())))
        ):
            yield match
    for pattern, is_one in (
        (_OLD_RESIDENT, checksums.is_old_resident_id),
        (_SOCIAL, checksums.is_social_security),
    ):
        for match in pattern.finditer(text, start, min(len(text), end + 1)):
            thing = touches(text, match.start()) or is_of_a_thing(before(text, match.start()))
            if is_one(match[0]) and not thing:
                yield match


def _find_labelled(folded: Folded) -> Iterator[Item]:
    labels = _LABELS_EN if folded.low.isascii() else _LABELS_EN + _LABELS_ZH
    for end in chain(find_cues(folded.low, labels), _numbered(folded.low)):
        match = _LABELLED.match(folded.text, end)
        if match and (sum(map(str.isdigit, match["value"])) >= 4 or _PLATES_EN.fullmatch(match["value"])):
            yield Item(ID_NUMBER, *match.span("value"))


def _numbered(low: str) -> Iterator[int]:
    """Where the word for a person ends that has a word for a number behind it."""
    return (end for end in find_cues(low, _PEOPLE_EN) if _NUMBERED.match(low, end))
