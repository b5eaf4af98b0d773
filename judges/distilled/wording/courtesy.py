"""Is a sentence mere courtesy? Only if all its words are: a closed vocabulary, and a pattern that fits.

One word beyond the vocabulary ends the matter, so that most sentences are done with after two or three.
"""

from __future__ import annotations

import re

from judges.distilled.wording.fold import fold
from judges.distilled.wording.grammar import UNKNOWN
from judges.distilled.wording.parsing import read_grammar
from judges.distilled.wording.reading import ChineseReader, EnglishReader, Reader

MAX_COURTESY_CHARS = 160

_HAN = re.compile(r"[\u3400-\u9fff]")
_PICTURE = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")
ENGLISH, CHINESE = read_grammar("courtesy.en"), read_grammar("courtesy.zh")
_READ_EN, _READ_ZH = EnglishReader(ENGLISH), ChineseReader(CHINESE)


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence greets, thanks, apologises or offers help, and nothing else."""
    if len(sentence) > MAX_COURTESY_CHARS:
        return False
    text = fold(sentence)
    chinese = _HAN.search(text) is not None
    grammar = CHINESE if chinese else ENGLISH
    reader: Reader = _READ_ZH if chinese else _READ_EN
    if not reader.knows_first(text):
        return False
    letters = reader.read(_PICTURE.sub("", text))
    return UNKNOWN not in letters and next(grammar.find(letters, "courtesy"), None) is not None
