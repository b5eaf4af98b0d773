"""Is a question a follow-up that cannot be searched for as it stands? Chinese and English.

Three signs: a word that points back (它, 这个, it, that one), an ellipsis (那价格呢, what about …), or a
question too short to name its subject. A pronoun whose antecedent stands in the question itself points
nowhere ("what happens to a battery when it freezes", 如果手机进水了,它还能修好吗). The signs count only
where there is a history to point back to. The wording stands in `data/followup.*.txt`.
"""

from __future__ import annotations

import re

from judges.distilled.reading.wording.fold import fold
from judges.distilled.reading.wording.grammar import UNKNOWN, Grammar
from judges.distilled.reading.wording.parsing import read_grammar
from judges.distilled.reading.wording.reading import ChineseReader, EnglishReader

MAX_QUESTION_CHARS = 400
SHORT_HAN = 7
SHORT_WORDS = 4

_HAN = re.compile(r"[\u3400-\u9fff]")
_QUOTED = re.compile('“[^“”]{1,200}”|「[^「」]{1,200}」|《[^《》]{1,200}》|"[^"]{1,200}"')
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|[\u3400-\u9fff]|\d+")
_NAMED = re.compile(
    r"[《“「\"'][^》”」\"']{2,40}[》”」\"']|(?<![\w.-])(?>[\w.-]*?[A-Za-z]{2})[\w.-]*?\d"
    r"|[\u3400-\u9fff][A-Z]{2}|[A-Z]{2}[\u3400-\u9fff]"
)
"""A name of its own: 《爱玛》是谁写的, RK3588 price."""


class _Language:
    """Rules over letters, and what lies between a pronoun and its antecedent."""

    def __init__(self, grammar: Grammar, join: str, content: int) -> None:
        self.grammar = grammar
        self._join = set(grammar.letters_of(join))
        # "How did Jerry lose his finger": an owner may stand in the same part.
        self._owners = set(grammar.letters_of("OWNER"))
        self._content = content

    def points_back(self, letters: str) -> bool:
        """Whether a question leans on what was said before it."""
        if next(self.grammar.find(letters, "ellipsis"), None):
            return True
        pointing = list(self.grammar.find(letters, "pointing"))
        if not pointing:
            return False
        harmless = [(m.start, m.end) for m in self.grammar.find(letters, "harmless")]
        pointing = [m for m in pointing if not any(a < m.end and m.start < b for a, b in harmless)]
        return any(not self._has_antecedent(letters, m.start) for m in pointing)

    def _has_antecedent(self, letters: str, at: int) -> bool:
        """Something is named before, in an earlier part of the question."""
        first = letters.find(UNKNOWN, 0, at)
        if letters.count(UNKNOWN, 0, at) < self._content:
            return False
        return any(x in self._join for x in letters[first:at]) or letters[at] in self._owners


class _English(_Language):
    def __init__(self) -> None:
        super().__init__(read_grammar("followup.en"), "LATER", 1)
        self._reader = EnglishReader(self.grammar)

    def read(self, question: str) -> str:
        return self._reader.read(question)


class _Chinese(_Language):
    def __init__(self) -> None:
        super().__init__(read_grammar("followup.zh"), "LATER", 2)
        self._reader = ChineseReader(self.grammar)
        self._asking = set(self.grammar.letters_of("ASKING"))

    def read(self, question: str) -> str:
        return self._reader.read(question)

    def points_back(self, letters: str) -> bool:
        if next(self.grammar.find(letters, "left_open"), None) and not self._asking & set(letters[:-2]):
            return True
        return super().points_back(letters)


ENGLISH, CHINESE = _English(), _Chinese()


def points_back(question: str) -> bool:
    """Whether the question itself shows that it leans on an earlier turn."""
    text = fold(question.strip()[:MAX_QUESTION_CHARS])
    text = _QUOTED.sub(lambda m: m[0][0] + "x" * (len(m[0]) - 2) + m[0][-1], text)
    language = CHINESE if _HAN.search(text) else ENGLISH
    return language.points_back(language.read(text))


def is_fragment(question: str) -> bool:
    """Whether the question is so short that it may lean on an earlier turn without saying so."""
    text = question[:MAX_QUESTION_CHARS]
    words = _WORD.findall(text)
    han = sum(1 for w in words if _HAN.match(w))
    if len(words) > (SHORT_HAN if han * 2 > len(words) else SHORT_WORDS):
        return False
    return _NAMED.search(text) is None
