"""All finders, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from judges.redaction.accounts import find_accounts
from judges.redaction.addresses import find_addresses
from judges.redaction.emails import find_emails
from judges.redaction.fold import Folded
from judges.redaction.ids import find_ids
from judges.redaction.keys import find_ips, find_keys
from judges.redaction.people_en import find_english
from judges.redaction.people_zh import find_chinese
from judges.redaction.phones import find_phones
from judges.redaction.spans import Item

_DIGIT: Final = re.compile(r"[0-9]")


def find(folded: Folded) -> Iterator[Item]:
    """What is to be taken out of a text, in no order; what is found twice may overlap."""
    yield from find_keys(folded)
    yield from find_emails(folded)
    yield from find_accounts(folded)
    if _DIGIT.search(folded.text):
        yield from find_ids(folded)
        yield from find_ips(folded)
    yield from find_phones(folded)
    yield from find_addresses(folded)
    if not folded.text.isascii():
        yield from find_chinese(folded.text)
    yield from find_english(folded)
