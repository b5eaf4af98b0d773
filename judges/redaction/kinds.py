"""What is taken out, and the words that are left in its place."""

from __future__ import annotations

import re
from typing import Final

PERSON: Final = "person"
PHONE: Final = "phone"
EMAIL: Final = "email"
ID_NUMBER: Final = "id_number"
ADDRESS: Final = "address"
ACCOUNT: Final = "account"
"""Bank cards, IBANs, account numbers, handles of messengers, wallets."""
KEY: Final = "key"
"""API keys, tokens, private keys, passwords, one-time codes."""
IP: Final = "ip"

LABELS: Final = {
    PERSON: ("person", "人名"),
    PHONE: ("phone", "电话"),
    EMAIL: ("email", "邮箱"),
    ID_NUMBER: ("id number", "证件号"),
    ADDRESS: ("address", "地址"),
    ACCOUNT: ("account", "账号"),
    KEY: ("key", "密钥"),
    IP: ("ip", "IP地址"),
}
"""Of each kind, the word in English and in Chinese."""
KINDS: Final = tuple(LABELS)
RANK: Final = {
    kind: rank for rank, kind in enumerate((KEY, EMAIL, ID_NUMBER, ACCOUNT, PHONE, IP, ADDRESS, PERSON))
}
"""Where two finds overlap, the first of these names both."""

MARK: Final = re.compile(
    r"\[(?:" + "|".join(re.escape(word) for pair in LABELS.values() for word in pair) + r")(?: ?\d{1,6})?\]"
)
"""What stands where something was taken out."""

_HAN: Final = re.compile(r"[\u3400-\u9fff]")
_AROUND: Final = 30
"""Characters to either side whose script decides the language of a mark."""


def mark(kind: str, number: int, *, chinese: bool) -> str:
    """`[phone]` or `[电话]`; the second value of a kind is `[phone 2]` or `[电话2]`."""
    word = LABELS[kind][chinese]
    if number == 1:
        return f"[{word}]"
    return f"[{word}{number}]" if chinese else f"[{word} {number}]"


def is_chinese(text: str, start: int, end: int) -> bool:
    """Whether the words around a span are Chinese."""
    before, after = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
    return bool(_HAN.search(before) or _HAN.search(after) or _HAN.search(text[start : min(end, start + 40)]))
