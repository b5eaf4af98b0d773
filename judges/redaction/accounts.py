"""Bank cards, accounts, wallets, and handles of messengers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judges.redaction import checksums
from judges.redaction.cues import find_cues
from judges.redaction.fold import Folded
from judges.redaction.kinds import ACCOUNT
from judges.redaction.spans import Item
from judges.redaction.zones import before, is_of_a_thing, touches, zones

_CARD: Final = re.compile(r"\d{4}(?:[ -]?\d){9,17}(?![A-Za-z0-9_]|[.-]\d)", re.ASCII)
_ISSUED: Final = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}"
    r"|60\d{14,17}|9558\d{12,15}|35\d{14}|3[068]\d{12}|220[0-4]\d{12}"
)
_CARD_WORDS: Final = re.compile(
    r"(?:卡|卡号|尾号|账号|账户|帐号|帐户|转账给|打到|汇到|card|account|acct|a/c|visa|mastercard"
    r"|amex)[^\d\]]{0,12}$",
    re.IGNORECASE,
)
"""None of them stands in a mark (`[账号]`), or a text that is redacted twice would lose more each time."""
_IBAN: Final = re.compile(r"[A-Z]{2}\d{2}(?: ?[0-9A-Z]{2,4}+){3,8}+[0-9A-Z]?(?![0-9A-Za-z])", re.ASCII)
_ACCOUNTS: Final = (
    "account", "acct", "a/c", "sort code", "routing", "iban", "bsb", "card number", "card no", "card",
    "card ending",
    "卡号", "账号", "帐号", "账户", "帐户", "公积金账号",
)  # fmt: skip
_ACCOUNT: Final = re.compile(
    r"(?:[ _-]?(?:number|num|no|#))?[.#]{0,2}(?:号码|号)?\s{0,2}(?:[:=#]|是|为|is(?![a-z]))?\s{0,2}"
    r"(?P<value>\d(?:[ -]?\d){5,24})(?![0-9A-Za-z])",
    re.IGNORECASE | re.ASCII,
)
_MESSENGERS: Final = (
    "微信", "微信号", "vx", "v信", "威信", "加v", "扣扣", "支付宝", "支付宝账号", "wechat", "weixin",
    "qq", "qq号", "telegram", "skype",
    "line", "line id", "whatsapp", "kakao", "signal", "discord", "instagram", "twitter", "tiktok",
    "抖音", "小红书", "微博",
    "snapchat", "venmo", "cashapp", "paypal",
)  # fmt: skip
_HANDLE: Final = re.compile(
    r"(?:[ _]?(?:id|账号|帐号|号码|号|handle|username|user))?\s{0,2}(?P<sign>[:=]|是|为|(?:is"
    r"|as)(?![a-z])|搜索?|加)?\s{0,2}:?\s{0,2}"
    r"(?P<value>@[A-Za-z]\w{3,29}|[A-Za-z0-9][\w.-]{4,29})(?![A-Za-z0-9])",
    re.IGNORECASE | re.ASCII,
)
_WXID: Final = re.compile(r"(?<![0-9A-Za-z])wxid_[0-9a-z]{6,30}(?![0-9A-Za-z])")
_WALLETS: Final = {
    "0x": re.compile(r"0x[0-9a-fA-F]{40}(?![0-9A-Za-z])"),
    "bc1": re.compile(r"bc1[02-9ac-hj-np-z]{25,59}(?![0-9A-Za-z])"),
    "T": re.compile(r"T[1-9A-HJ-NP-Za-km-z]{33}(?![0-9A-Za-z])"),
}
"""Ethereum, Bitcoin, Tron."""


def find_accounts(folded: Folded) -> Iterator[Item]:
    """Every number or name under which money or messages reach somebody."""
    text, low = folded.text, folded.low
    for match in _cards(text):
        digits = re.sub(r"\D", "", match[0])
        words = before(text, match.start())
        issued = bool(_ISSUED.fullmatch(digits)) and checksums.is_luhn(digits) and not is_of_a_thing(words)
        if issued or _CARD_WORDS.search(words):
            yield Item(ACCOUNT, *match.span())
    for match in _IBAN.finditer(text):
        if not touches(text, match.start()) and checksums.is_iban(match[0].replace(" ", "")):
            yield Item(ACCOUNT, *match.span())
    for place in find_cues(low, _ACCOUNTS):
        if found := _ACCOUNT.match(text, place):
            yield Item(ACCOUNT, *found.span("value"))
    for place in find_cues(low, _MESSENGERS):
        found = _HANDLE.match(text, place)
        if found and _is_handle(found):
            yield Item(ACCOUNT, *found.span("value"))
    if "wxid_" in text:
        for match in _WXID.finditer(text):
            yield Item(ACCOUNT, *match.span())
    for sign, pattern in _WALLETS.items():
        if sign in text:
            for match in pattern.finditer(text):
                if not touches(text, match.start()):
                    yield Item(ACCOUNT, *match.span())


def _cards(text: str) -> Iterator[re.Match[str]]:
    for start, end in zones(text):
        for match in _CARD.finditer(text, start, min(len(text), end + 2)):
            if not touches(text, match.start()):
                yield match


def _is_handle(match: re.Match[str]) -> bool:
    value = match["value"]
    if value.startswith("@"):
        return True
    if any(character.isdigit() for character in value):
        return True
    return match["sign"] is not None and any(character in "_." for character in value.rstrip("."))
