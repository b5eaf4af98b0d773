"""Names of people: told by a title, by words that introduce somebody, or by what people are usually called."""

from __future__ import annotations

from collections.abc import Iterator

from judges.redaction.fold import Folded
from judges.redaction.people_en import find_english
from judges.redaction.people_zh import find_chinese
from judges.redaction.spans import Item


def find_people(folded: Folded) -> Iterator[Item]:
    """Every person that is named."""
    if not folded.text.isascii():
        yield from find_chinese(folded.text)
    yield from find_english(folded)


__all__ = ["find_people"]
