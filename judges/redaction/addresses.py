"""Where somebody lives or is to be sent something: down to a street and a number, or a house and a door.

A country, a province or a town alone is nobody's address and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.redaction.kinds import ADDRESS
from judges.redaction.spans import Item

_N = r"[0-9一二三四五六七八九十百甲乙丙丁A-Za-z]"
_DOOR = rf"(?:(?:之|-|－)?{_N}{{1,6}}(?:号楼|号院|栋|幢|座|单元|楼|层|室|房|户|门|弄|号|铺|档)[ ,]?)"
_STREET = re.compile(
    rf"[\u4e00-\u9fff]{{1,12}}?(?:路|街|道|巷|弄|胡同|大道|大街|里|村|条|坊|环|线|段)(?:[东南西北中]|[\u4e00-\u9fff]段)?[ ]?{_N}{{1,6}}(?:-\d{{1,4}})?(?:号|弄|巷|组|队){_DOOR}{{0,6}}"
)
_HOUSE = re.compile(
    rf"[\u4e00-\u9fffA-Za-z0-9]{{2,12}}?(?:小区|花园|大厦|公寓|家园|新村|苑|庄园|广场|中心|城|公馆|府|里|园|湾|宿舍|社区|别墅|豪庭|国际)[ ]?{_DOOR}{{1,6}}"
)
_REGION = re.compile(
    r"(?:[\u4e00-\u9fff]{2,8}(?:省|自治区|特别行政区))?(?:[\u4e00-\u9fff]{2,8}(?:市|自治州|地区|盟))?(?:[\u4e00-\u9fff]{1,8}(?:区|县|旗|市))?(?:[\u4e00-\u9fff]{1,8}(?:街道|镇|乡|开发区|新区))?[ ,]?$"
)
_CONTEXT_ZH = re.compile(
    r"(?:地址|住址|住在|家住|寄到|寄往|送到|送货到|快递到|收货地|户籍|籍贯地址|现住)[\s:是为在]{0,4}"
)
_SUFFIX = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter|Parkway|Pkwy|Highway|Hwy"
    r"|Circle|Cir|Way|Close|Crescent|Cres|Gardens|Grove|Mews|Row|Hill|Walk|Alley|Loop|Trail|Broadway)\b\.?"
)
_UNIT = (
    r"(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|Room|Rm|Bldg|Building|#)\.? ?#?[0-9A-Za-z-]{1,6})"
)
_POSTCODE = r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
_TOWN = r"(?:,? (?:[A-Z][A-Za-z.'-]{1,20} ?){1,3})"
_END = rf"(?:,? (?:[A-Z]{{2}} )?\d{{5}}(?:-\d{{4}})?|,? {_POSTCODE}|,? [A-Z]{{2}}(?![A-Za-z]))"
_ENGLISH = re.compile(
    rf"(?:(?:Flat|Apartment|Apt|Unit|Suite) [0-9A-Za-z]{{1,5}},? )?(?<![\w.-])\d{{1,5}}[A-Za-z]?,? (?:[NSEW]\.? )?(?:[A-Z0-9][A-Za-z0-9.'-]{{0,20}} ){{0,4}}{_SUFFIX}"
    rf"{_UNIT}?(?:{_TOWN}{{0,3}}{_END})?"
)
_BOX = re.compile(
    r"P\.? ?O\.? Box \d{1,6}(?:,? [A-Z][A-Za-z.'-]{1,20}){0,3}(?:,? [A-Z]{2})?(?: \d{5}(?:-\d{4})?)?",
    re.IGNORECASE,
)
_POST = re.compile(
    rf"(?:postcode|post code|postal code|邮编|zip(?: code)?)[\s:=is是为]{{0,5}}(?P<value>{_POSTCODE}|\d{{5,6}}(?:-\d{{4}})?)(?!\d)",
    re.IGNORECASE,
)


def find_addresses(text: str) -> Iterator[Item]:
    """Every address of a house, of China, North America and Britain."""
    if not text.isascii():
        for pattern in (_STREET, _HOUSE):
            for match in pattern.finditer(text):
                start = _begin(text, match.start())
                yield Item(ADDRESS, start, match.end())
    for pattern in (_ENGLISH, _BOX):
        for match in pattern.finditer(text):
            yield Item(ADDRESS, *match.span())
    for match in _POST.finditer(text):
        yield Item(ADDRESS, *match.span("value"))


def _begin(text: str, start: int) -> int:
    """Where the regions before a street begin."""
    words = text[max(0, start - 40) : start]
    region = _REGION.search(words)
    return start - len(region[0]) if region else start
