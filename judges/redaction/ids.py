"""Numbers that states, employers and schools give to people, and plates of cars."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.redaction import checksums
from judges.redaction.kinds import ID_NUMBER
from judges.redaction.spans import Item
from judges.redaction.zones import NOT_PERSONAL, before

_RESIDENT = re.compile(r"(?<![0-9A-Za-z])\d{6}[ -]?(?:19|20)\d{2}[ -]?\d{4}[ -]?\d{3}[\dXx](?![0-9A-Za-z])")
_OLD_RESIDENT = re.compile(r"(?<![0-9A-Za-z])\d{15}(?![0-9A-Za-z])")
_CREDIT = re.compile(r"(?<![0-9A-Za-z])[0-9A-HJ-NP-RTUW-Y]{2}\d{6}[0-9A-HJ-NP-RTUW-Y]{10}(?![0-9A-Za-z])")
_SOCIAL = re.compile(r"(?<![\d.-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])")
_INSURANCE = re.compile(
    r"(?<![0-9A-Za-z])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![0-9A-Za-z])"
)
_PLATE = re.compile(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼使领][A-HJ-NP-Z][·. -]?"
    r"(?:[0-9A-HJ-NP-Z]{4}[0-9A-HJ-NP-Z学警港澳挂领]|[0-9A-HJ-NP-Z]{6})(?![0-9A-Za-z])"
)
_NAMED = re.compile(
    r"(?:身份证|护照|通行证|居住证|回乡证|台胞证|军官证|士兵证|驾驶证|驾照|行驶证|社保|医保|社会保障|公积金|学籍|学号|工号|员工号|员工编号|病历|住院|门诊|就诊卡|诊疗卡|会员|客户编号|客户号|患者编号|证件|档案号|车牌|纳税人识别|税号|统一社会信用代码|信用代码"
    r"|(?<![A-Za-z])(?:passport|driver'?s? licen[cs]e|driving licen[cs]e|licen[cs]e plate|number plate|plate|vehicle registration|reg(?:istration)? plate|social security|ssn|national insurance|nino|ni|nhs|medicare|medicaid"
    r"|national id|id card|identity card|id|tax id|tin|itin|ein|student id|employee id|staff id|badge|patient id|patient|mrn|medical record|member id|member|membership|customer id|visa|green card|alien|resident permit))"
    r"(?:[ _-]?(?:card|number|num|no|id|#|code))?[.#]{0,2}(?:号码|编号|卡号|证号|卡|证|号)?\s{0,2}[:=是为]?\s{0,2}(?:is|was|:)?[\s\"'(#]{0,3}"
    r"(?P<value>[A-Z]{0,3}[ -]?\d[0-9A-Z]{0,5}(?:[ -]?[0-9A-Z]{1,8}){0,5})(?![0-9A-Za-z])",
    re.IGNORECASE,
)


def find_ids(text: str) -> Iterator[Item]:
    """Every number of a person or company that its own check or the words before it betray."""
    for match in _RESIDENT.finditer(text):
        number = re.sub(r"[ -]", "", match[0])
        if checksums.is_resident_id(number) or (
            checksums.is_resident_shape(number) and not NOT_PERSONAL.search(before(text, match.start()))
        ):
            yield Item(ID_NUMBER, *match.span())
    for match in _OLD_RESIDENT.finditer(text):
        if checksums.is_old_resident_id(match[0]) and not NOT_PERSONAL.search(before(text, match.start())):
            yield Item(ID_NUMBER, *match.span())
    for match in _CREDIT.finditer(text):
        if checksums.is_credit_code(match[0]):
            yield Item(ID_NUMBER, *match.span())
    for pattern in (_SOCIAL, _INSURANCE):
        for match in pattern.finditer(text):
            if not NOT_PERSONAL.search(before(text, match.start())):
                yield Item(ID_NUMBER, *match.span())
    for match in _PLATE.finditer(text):
        yield Item(ID_NUMBER, *match.span())
    for match in _NAMED.finditer(text):
        if sum(character.isdigit() for character in match["value"]) >= 4:
            yield Item(ID_NUMBER, *match.span("value"))
