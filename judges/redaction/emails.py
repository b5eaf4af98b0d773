"""Addresses of mailboxes, also as people write them to hide them from machines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judges.redaction.fold import Folded
from judges.redaction.kinds import EMAIL
from judges.redaction.spans import Item

_LOCAL: Final = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$")
_LOCAL_HAN: Final = re.compile(r"[\u4e00-\u9fffA-Za-z0-9._+-]{1,16}$")
_DOMAIN: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,6}[A-Za-z]{2,24}", re.ASCII)
_DOMAIN_HAN: Final = re.compile(
    r"[\u4e00-\u9fffA-Za-z0-9-]{1,30}\.(?:公司|网络|中国|[\u4e00-\u9fff]{2,4}|[A-Za-z]{2,10})"
)
_AT: Final = re.compile(
    r"\s{0,2}(?:[\[({<]\s?(?:at|@|a|艾特|圈a)\s?[\])}>]|艾特|圈a)\s{0,2}|\s{1,2}at\s{1,2}|\s@\s|#",
    re.IGNORECASE,
)
_HIDDEN_DOMAIN: Final = re.compile(
    r"[\w-]{1,40}(?:\s{0,2}(?:[\[({<]\s?(?:dot|\.|点)\s?[\])}>]|\sdot\s|\.|点)\s{0,2}[A-Za-z][\w-]{1,20}){1,3}",
    re.IGNORECASE | re.ASCII,
)
_DOTTED: Final = re.compile(
    r"[\w+-]{1,32}+(?:(?:\.|\sdot\s|点)[\w+-]{1,32}+){0,3}+$", re.IGNORECASE | re.ASCII
)


def find_emails(folded: Folded) -> Iterator[Item]:
    """Every mailbox."""
    text, low = folded.text, folded.low
    for sign in ("@", "%40"):
        place = text.find(sign)
        while place >= 0:
            found = _around(text, place, place + len(sign))
            if found:
                yield found
            place = text.find(sign, place + 1)
    if (
        "at" in low
        or "艾特" in text
        or "圈" in text
        or "#" in text
        or " @ " in text
        or "@)" in text
        or "@]" in text
    ):
        yield from _find_hidden(text, low)


def _around(text: str, at: int, behind: int) -> Item | None:
    domain = _DOMAIN.match(text, behind)
    if domain:
        local = _LOCAL.search(text, max(0, at - 64), at)
        return Item(EMAIL, local.start(), domain.end()) if local else None
    if text.isascii():
        return None
    domain = _DOMAIN_HAN.match(text, behind)
    local = _LOCAL_HAN.search(text, max(0, at - 16), at)
    return Item(EMAIL, local.start(), domain.end()) if domain and local else None


def _find_hidden(text: str, low: str) -> Iterator[Item]:
    """zhang (at) example.com, jane at example dot com, wang#example.com."""
    for match in _AT.finditer(text):
        domain = _HIDDEN_DOMAIN.match(text, match.end())
        if domain is None:
            continue
        bare = match[0].strip().lower() == "at"
        if bare and " dot " not in domain[0].lower():
            continue  # "look at example.com" is no mailbox
        local = _DOTTED.search(text, max(0, match.start() - 64), match.start())
        if local:
            yield Item(EMAIL, local.start(), domain.end())
