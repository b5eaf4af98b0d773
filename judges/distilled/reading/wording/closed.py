"""Sentences made of nothing but a closed vocabulary: courtesy, and the messages of a broken service.

One word beyond the vocabulary ends the matter, so that most sentences are done with after their first.
"""

from __future__ import annotations

import re

from judges.distilled.reading.wording.fold import fold
from judges.distilled.reading.wording.parsing import read_grammar
from judges.distilled.reading.wording.reading import ChineseReader, EnglishReader, Reader

MAX_CHARS = 160
"""Nothing longer is mere courtesy."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_NUMBER = re.compile(r"\d+")
_PICTURE = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")


class ClosedWording:
    """The vocabularies of one purpose (`data/PURPOSE.en.txt`, `data/PURPOSE.zh.txt`) and its patterns."""

    def __init__(self, purpose: str) -> None:
        self.purpose = purpose
        self.english, self.chinese = read_grammar(f"{purpose}.en"), read_grammar(f"{purpose}.zh")
        self._read_english: Reader = EnglishReader(self.english)
        self._read_chinese: Reader = ChineseReader(self.chinese)

    def fits(self, sentence: str, folded: str | None = None) -> bool:
        """Whether all words of a sentence are in the vocabulary of its language, and a pattern fits.

        `folded`: the sentence as `fold` makes it, where that is at hand.
        """
        if len(sentence) > MAX_CHARS:
            return False
        text = fold(sentence) if folded is None else folded
        chinese = _HAN.search(text) is not None
        reader = self._read_chinese if chinese else self._read_english
        if not reader.knows_first(text):
            return False
        letters = reader.read_known(_NUMBER.sub("0", _PICTURE.sub("", text)))
        if letters is None:
            return False
        grammar = self.chinese if chinese else self.english
        return next(grammar.find(letters, self.purpose), None) is not None


COURTESY = ClosedWording("courtesy")
OUTAGE = ClosedWording("outage")
