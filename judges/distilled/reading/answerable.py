"""What kind of answer does a question ask for? The wording stands in `data/question.*.txt`."""

from __future__ import annotations

import re
from functools import lru_cache

from judges.distilled.reading.wording.fold import fold
from judges.distilled.reading.wording.parsing import read_grammar
from judges.distilled.reading.wording.reading import ChineseReader, EnglishReader

NUMBER, TIME, PLACE, PERSON, OTHER = "number", "time", "place", "person", "other"
MAX_QUESTION_CHARS = 400

_HAN = re.compile(r"[\u3400-\u9fff]")
_ENGLISH, _CHINESE = read_grammar("question.en"), read_grammar("question.zh")
_READ_ENGLISH, _READ_CHINESE = EnglishReader(_ENGLISH), ChineseReader(_CHINESE)


@lru_cache(maxsize=4_096)
def kind_of_answer(question: str) -> str:
    """What a question asks for: `number`, `time`, `person`, `place` or `other`."""
    text = fold(question[:MAX_QUESTION_CHARS])
    chinese = _HAN.search(text) is not None
    grammar = _CHINESE if chinese else _ENGLISH
    letters = _READ_CHINESE.read(text) if chinese else _READ_ENGLISH.read(text)
    found = {match.group for match in grammar.find(letters, TIME, NUMBER, PERSON, PLACE)}
    return next((kind for kind in (TIME, NUMBER, PERSON, PLACE) if kind in found), OTHER)
