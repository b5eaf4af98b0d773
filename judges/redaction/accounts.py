"""Bank cards, accounts, wallets, and handles of messengers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.redaction import checksums
from judges.redaction.kinds import ACCOUNT
from judges.redaction.spans import Item
from judges.redaction.zones import NOT_PERSONAL, before

_CARD = re.compile(r"(?<![\w.-])\d{4}(?:[ -]?\d){9,15}(?![\w.]|-\d)")
_ISSUED = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|60\d{14,17}"
    r"|9558\d{12,15}|35\d{14}|3[068]\d{12}|220[0-4]\d{12}"
)
_CARD_WORDS = re.compile(
    r"(?:银行卡|信用卡|借记卡|储蓄卡|卡号|尾号|账号|账户|帐号|card|account|acct|a/c|visa|mastercard|amex)[^\d]{0,24}$",
    re.IGNORECASE,
)
_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?: ?[0-9A-Z]{2,4}){3,8}(?![0-9A-Za-z])")
_NAMED = re.compile(
    r"(?:银行账号|银行账户|对公账户|收款账号|账号|帐号|账户|(?<![A-Za-z])(?:bank account|account|acct|a/c|sort code|routing))"
    r"(?:[ _-]?(?:number|num|no|#))?[.#]{0,2}(?:号码|号)?\s{0,2}[:=是为]?\s{0,2}(?:is)?[\s#]{0,2}(?P<value>\d(?:[ -]?\d){5,24})(?![0-9A-Za-z])",
    re.IGNORECASE,
)
_HANDLE = re.compile(
    r"(?:微信号?|wechat|weixin|vx|v信|威信|加v|qq号?码?|扣扣|支付宝|telegram|skype|line|whatsapp|kakao)(?:[ _]?(?:id|账号|帐号|号码|号))?\s{0,2}(?:[:=是为]|is|@|搜索?|加)?\s{0,2}[:@]?\s{0,2}"
    r"(?P<value>(?=[\w.-]{0,30}\d)[A-Za-z0-9][\w.-]{4,29}|@[A-Za-z]\w{3,29})(?![A-Za-z0-9])",
    re.IGNORECASE | re.ASCII,
)
_WXID = re.compile(r"(?<![0-9A-Za-z])wxid_[0-9a-z]{6,30}(?![0-9A-Za-z])")
_WALLET = re.compile(
    r"(?<![0-9A-Za-z])(?:0x[0-9a-fA-F]{40}|bc1[02-9ac-hj-np-z]{25,59}|T[1-9A-HJ-NP-Za-km-z]{33})(?![0-9A-Za-z])"
)


def find_accounts(text: str) -> Iterator[Item]:
    """Every number or name under which money or messages reach somebody."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        words = before(text, match.start())
        said = _CARD_WORDS.search(words)
        if said or (
            _ISSUED.fullmatch(digits) and checksums.is_luhn(digits) and not NOT_PERSONAL.search(words)
        ):
            yield Item(ACCOUNT, *match.span())
    for match in _IBAN.finditer(text):
        if checksums.is_iban(match[0].replace(" ", "")):
            yield Item(ACCOUNT, *match.span())
    for pattern in (_NAMED, _HANDLE):
        for match in pattern.finditer(text):
            yield Item(ACCOUNT, *match.span("value"))
    for pattern in (_WXID, _WALLET):
        for match in pattern.finditer(text):
            yield Item(ACCOUNT, *match.span())
