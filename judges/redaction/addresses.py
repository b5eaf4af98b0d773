"""Where somebody lives or is to be sent something: down to a street and a number, or a house and a door.

A country, a province, a town or a street alone is nobody's address and stays. Chinese addresses are found
from their numbers: what a number of a house stands behind is read backwards, and what else is in the house
forwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judges.redaction.cues import find_cues
from judges.redaction.fold import Folded
from judges.redaction.kinds import ADDRESS
from judges.redaction.spans import Item
from judges.redaction.zones import touches

_N: Final = (
    r"(?:[0-9]{1,5}(?:-[0-9]{1,4})?[A-Za-z]?|[A-Za-z][0-9]{0,4}|[一二三四五六七八九十百]{1,4}"
    r"|[甲乙丙丁东南西北])"
)
_DOORS: Final = "号楼|号院|号|弄|栋|幢|座|单元|楼|层|室|户|房|门|组|队|塔|期|区|铺|档"
_NUMBERED: Final = re.compile(
    r"(?:[0-9]{1,5}(?:-[0-9]{1,4})? ?|[一二三四五六七八九十]{1,4}|[A-Za-z][0-9]{0,3})"
    r"(?:号楼|号院|号(?!线)|弄|栋|幢|座|组|队|巷)"
)
_PLACE: Final = (
    "路|街|道|巷|弄|胡同|村|庄|屯|寨|乡|镇|里|坊|条|小区|花园|大厦|广场|苑|公寓|家园|新村"
    "|社区|公馆|府|宿舍|别墅|豪庭|城|园|湾|院|段|街道|区|中心|大楼|楼|国际|山庄|家属院|工业园|科技园|产业园|开发区"
)
_ENDS_IN_PLACE: Final = re.compile(
    rf"(?:{_PLACE})(?:[东南西北中]|[东南西北中一二三四五六七八九]段|[一二三四五六七八九][区期])?[ ]?$"
)
_BODY_BACKWARDS: Final = re.compile(r"\n? ?[\u4e00-\u9fffA-Za-z0-9·-]{1,48}")
"""What stands before a number, read from there to the left: it is tried at one place alone."""
_LEADS: Final = re.compile(
    r"^(?:.*(?:位于|坐落|寄到|寄往|送到|送货|发到|快递|地址|住址|住在|家住|搬到|改成|改为|填的|户籍|籍贯"
    r"|收货|老家|我家|登记|注册|[在到往是为放寄送住至从由将把给请于:]))"
)
_FORWARD_STEP: Final = re.compile(rf"[ ]?[\u4e00-\u9fffA-Za-z0-9]{{0,12}}?{_N} ?(?:{_DOORS})(?![起内以])")
_FORWARD_LAST: Final = re.compile(
    r"[ ]?[A-Za-z]?-?\d{1,5}(?:-\d{1,4}){0,2}(?:室|房)?(?![\d.:%A-Za-z年月日元天个人次点岁小分万])", re.ASCII
)
_MOST_STEPS: Final = 5
_STREET: Final = frozenset("路街道巷弄")
_LABELS_ZH: Final = (
    "地址",
    "住址",
    "住在",
    "家住",
    "寄到",
    "寄往",
    "送到",
    "送货到",
    "收货地",
    "老家",
    "户籍地",
    "现住",
    "住所地",
    "通讯地",
)
_LABELLED_ZH: Final = re.compile(r"(?:址)?\s?[:是为在]{0,2}\s?(?P<value>[\u4e00-\u9fffA-Za-z0-9·() -]{4,60})")
_FINE: Final = re.compile(r"(?:路|街|道|巷|弄|胡同|村|小区|花园|大厦|公寓|家园|新村|苑|大楼|镇|乡|街道)")
_REGION: Final = re.compile(r"(?:省|市|区|县|自治区|州|旗)")

_SUFFIX: Final = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace"
    r"|Ter|Parkway|Pkwy"
    r"|Highway|Hwy|Circle|Cir|Way|Close|Crescent|Cres|Gardens|Grove|Mews|Row|Hill|Walk|Alley|Loop|Trail"
    r"|Broadway)(?![A-Za-z-])\.?"
)
_UNIT: Final = (
    r"(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|Room|Rm|Bldg|Building|#)\.? ?#?[0-9A-Za-z-]{1,6})"
)
_POSTCODE: Final = r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
_TOWN: Final = r"(?:,? (?:[A-Z][A-Za-z.'-]{1,20} ?){1,3})"
_END: Final = rf"(?:,? (?:[A-Z]{{2}} )?\d{{5}}(?:-\d{{4}})?|,? {_POSTCODE}|,? [A-Z]{{2}}(?![A-Za-z]))"
_ENGLISH: Final = re.compile(
    rf"\d{{1,5}}[A-Za-z]?,? (?:[NSEW]\.? )?(?:[A-Z0-9][A-Za-z0-9.'-]{{0,20}} ){{1,4}}{_SUFFIX}"
    rf"(?P<tail>{_UNIT}(?:{_TOWN}{{0,3}}{_END})?|{_TOWN}{{0,3}}{_END})?"
)
_WEAK: Final = re.compile(r"^\d .* (?:Way|Place|Row|Hill|Walk|Drive|Close|Court|Loop|Trail|Square|Circle)$")
"""Few houses, and many titles of books, are called so."""
_FLAT: Final = re.compile(r"(?:Flat|Apartment|Apt|Unit|Suite|Room)\.? (?:[0-9A-Za-z]{1,5},? )?$")
_BOX: Final = re.compile(
    r"P\.? ?O\.? Box \d{1,6}(?:,? [A-Z][A-Za-z.'-]{1,20}){0,3}(?:,? [A-Z]{2})?(?: \d{5}(?:-\d{4})?)?",
    re.IGNORECASE,
)
_LABELS_EN: Final = (
    "address",
    "live at",
    "lives at",
    "living at",
    "deliver to",
    "ship to",
    "shipped to",
    "mail to",
    "moved to",
    "sent to",
    "located at",
)
_LABELLED_EN: Final = re.compile(
    r"(?:es)?(?:[:=]| is(?![a-z]))?\s{0,2}[\"']?(?P<value>\d{1,5}[A-Za-z]?,? [^\n;|\"']{6,80})"
)
_LABELLED_END: Final = re.compile(r"[.!?](?:\s|$)|, (?:please|thanks|and|but|so)\b|\t")
_CODES: Final = ("postcode", "post code", "postal code", "zip", "zip code", "zipcode", "邮编", "邮政编码")
_CODE: Final = re.compile(
    rf"[\s:=是为]{{0,3}}(?:is )?(?P<value>{_POSTCODE}|\d{{5,6}}(?:-\d{{4}})?)(?![\dA-Za-z])", re.ASCII
)


def find_addresses(folded: Folded) -> Iterator[Item]:
    """Every address of a house, of China, North America and Britain."""
    text, low = folded.text, folded.low
    if not text.isascii():
        yield from _find_chinese(text)
        yield from _find_labelled(low, text)
    for match in _ENGLISH.finditer(text):
        if touches(text, match.start()) or (match["tail"] is None and _WEAK.search(match[0])):
            continue
        flat = _FLAT.search(text, max(0, match.start() - 20), match.start())
        yield Item(ADDRESS, flat.start() if flat else match.start(), match.end())
    for place in find_cues(low, _LABELS_EN):
        found = _LABELLED_EN.match(text, place)
        if found:
            end = _LABELLED_END.search(text, found.start("value"), found.end("value"))
            yield Item(ADDRESS, found.start("value"), end.start() if end else found.end("value"))
    if " box " in low:
        for match in _BOX.finditer(text):
            yield Item(ADDRESS, *match.span())
    for place in find_cues(low, _CODES):
        if found := _CODE.match(text, place):
            yield Item(ADDRESS, *found.span("value"))


def _find_chinese(text: str) -> Iterator[Item]:
    done = 0
    for match in _NUMBERED.finditer(text):
        if match.start() < done:
            continue
        start = _begin(text, match.start(), done)
        if start is None:
            continue
        end = _go_on(text, match.end())
        if " " in match[0] and end == match.end() and not _is_of_street(text, match):
            continue
        done = end
        yield Item(ADDRESS, start, done)


def _begin(text: str, number: int, floor: int) -> int | None:
    """Where the address begins that a number belongs to; null where nothing before it is a place."""
    lowest = max(floor, number - 48)
    if not _ENDS_IN_PLACE.search(text, max(lowest, number - 8), number):
        return None
    found = _BODY_BACKWARDS.match(text[lowest:number][::-1])
    if found is None:
        return None
    body = found[0][::-1]
    lead = _LEADS.match(body)
    start = number - len(body) + (lead.end() if lead else 0)
    return start if number - start >= 2 else None


def _is_of_street(text: str, number: re.Match[str]) -> bool:
    """Whether a number with a blank in it is that of a house: `8 号` behind a shop is a day as well."""
    street = text[max(0, number.start() - 2) : number.start()].rstrip(" ")[-1:] in _STREET
    return street and not "\u4e00" <= text[number.end() : number.end() + 1] <= "\u9fff"


def _go_on(text: str, end: int) -> int:
    """Where the address ends: past floors, doors, and names of houses between them."""
    for _ in range(_MOST_STEPS):
        step = _FORWARD_STEP.match(text, end)
        if step is None:
            break
        end = step.end()
    last = _FORWARD_LAST.match(text, end)
    return last.end() if last else end


def _find_labelled(low: str, text: str) -> Iterator[Item]:
    """Behind `地址` a place down to a village or street is one, also without a number."""
    for place in find_cues(low, _LABELS_ZH):
        found = _LABELLED_ZH.match(text, place)
        if found and _FINE.search(found["value"]) and _REGION.search(found["value"]):
            last = [match.end() for match in _FINE.finditer(found["value"])][-1]
            yield Item(ADDRESS, found.start("value"), found.start("value") + last)
