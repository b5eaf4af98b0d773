"""Addresses of mailboxes, also as people write them to hide them from machines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.redaction.kinds import EMAIL
from judges.redaction.spans import Item

_PLAIN = re.compile(r"(?:@|%40)[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9-]{0,62}\.){1,6}[A-Za-z]{2,24}", re.ASCII)
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$")
_HIDDEN = re.compile(
    r"[\w.+-]{1,64}\s{0,2}(?:[\[({<]\s?(?:at|@|艾特)\s?[\])}>]|\sat\s|\s@\s|#|艾特)\s{0,2}[\w-]{1,40}"
    r"(?:\s{0,2}(?:[\[({<]\s?(?:dot|\.|点)\s?[\])}>]|\sdot\s|\.|点)\s{0,2}[A-Za-z][\w-]{1,20}){1,3}",
    re.IGNORECASE | re.ASCII,
)
_HIDDEN_SIGNS = re.compile(
    r"[\[({<]\s?(?:at|@|艾特)\s?[\])}>]|\bat\b.{1,40}\bdot\b|艾特|#\w{2,20}\.com|\s@\s", re.IGNORECASE
)


def find_emails(text: str) -> Iterator[Item]:
    """Every mailbox."""
    if "@" in text or "%40" in text:
        for match in _PLAIN.finditer(text):
            local = _LOCAL.search(text[max(0, match.start() - 64) : match.start()])
            if local:
                yield Item(EMAIL, match.start() - len(local[0]), match.end())
    if _HIDDEN_SIGNS.search(text):
        for match in _HIDDEN.finditer(text):
            if not match[0].startswith("#"):
                yield Item(EMAIL, *match.span())
