"""One sentence of an answer, read word by word: does it decline, and does it answer something besides?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from judges.distilled.reading.wording.grammar import PAUSE, Match
from judges.distilled.reading.wording.parsing import read_grammar
from judges.distilled.reading.wording.reading import ChineseReader, EnglishReader

SUBSTANCE = 4
"""A part of a sentence with fewer words (twice as many Chinese characters) has no content."""

_HAN = re.compile(r"[\u3400-\u9fff]")
_JOINT_EN = re.compile(
    r"(?:[,;:]|(?<![\s,;:]))\s++(?=(?:but|however|though|although|yet)\b)|(?<=\w),\s+|\s[–—-]\s"
)
_JOINT_ZH = re.compile(r"[,;:](?=\S)|——|\s(?=但|不过)")
MAX_JOINTS = 6
_LATIN_WORDS = re.compile(r"[a-z'] [a-z]++ [a-z]")
_FIGURE = re.compile(r"(?<![\[【(])\d")
_EDGES = re.compile(r"^[\s>#*•·-]*(?:\d{1,2}[.、)]\s*)?|[\s。.!]{1,20}$")
_ASKED = re.compile(r"\?\W*$")


@dataclass(slots=True, frozen=True)
class Reading:
    """What one sentence does. `before` and `after`: it answers something before, or after, it declines."""

    declines: bool = False
    before: bool = False
    after: bool = False


NOTHING = Reading()


class _English:
    """Parts end at but, however …, and at the first comma of a sentence that opens with although."""

    def __init__(self) -> None:
        self.grammar = read_grammar("refusal.en.words", "refusal.en", "idle.en")
        self._reader = EnglishReader(self.grammar)
        self._turn = set(self.grammar.letters_of("TURN"))
        self._concede = set(self.grammar.letters_of("CONCEDE"))
        self._pause = set(self.grammar.letters_of(PAUSE))
        self._condition = set(self.grammar.letters_of("IF"))

    def read(self, sentence: str) -> str:
        return self._reader.read(sentence)

    def counts(self, letters: str, match: Match) -> bool:
        """Whether a match is no condition."""
        begin = _begin(letters, match.start, self._pause)
        return not self._condition & set(letters[begin : match.start])

    def split(self, letters: str) -> list[tuple[int, int]]:
        ends = [i for i, x in enumerate(letters) if x in self._turn and i > 0]
        if letters and letters[0] in self._concede:
            ends += [i for i, x in enumerate(letters) if x in self._pause][:1]
        bounds = [0, *sorted(set(ends)), len(letters)]
        return list(pairwise(bounds))

    def answers(self, part: str, *, before: bool) -> bool:
        words = sum(1 for x in part if x not in self._pause)
        return words >= SUBSTANCE and not self.is_idle(part)

    def turns(self, part: str) -> bool:
        return bool(self._turn & set(part[:2]))

    def is_idle(self, letters: str) -> bool:
        return next(self.grammar.find(letters, "idle"), None) is not None


class _Chinese:
    """Parts end at every comma. Before declining, only a part with a predicate of its own answers."""

    def __init__(self) -> None:
        self.grammar = read_grammar("refusal.zh.words", "refusal.zh", "idle.zh")
        self._reader = ChineseReader(self.grammar)
        self._pause = set(self.grammar.letters_of(PAUSE))
        self._condition = set(self.grammar.letters_of("IF"))
        self._others = set(self.grammar.letters_of("OTHERS"))
        self._tails = set(self.grammar.letters_of("NOUN_TAIL"))
        self._you = set(self.grammar.letters_of("YOU"))
        self._speaker = set(self.grammar.letters_of("SPEAKER"))
        self._comma = set(self.grammar.letters_of(","))
        self._subjectless = set(self.grammar.letters_of("ADVERB")) | set(self.grammar.letters_of("TURN"))
        self._all_such = set(self.grammar.letters_of("ALL_SUCH"))
        self._pause_letters = self.grammar.letters_of(PAUSE)
        self._asking = set(self.grammar.letters_of("ASKING"))
        self._when = set(self.grammar.letters_of("WHEN"))
        self._of = set(self.grammar.letters_of("的"))
        self._turn = set(self.grammar.letters_of("TURN"))
        self._predicate = set(self.grammar.letters_of("PREDICATE"))

    def read(self, sentence: str) -> str:
        return self._reader.read(sentence)

    def counts(self, letters: str, match: Match) -> bool:
        """Whether a match is no condition (… 时), no attribute (没有说明的用户), nobody else's inability."""
        begin = _begin(letters, match.start, self._pause)
        if self._condition & set(letters[begin : match.end]):
            return False
        if match.group != "source" and self._is_somebodys(letters, match.start, begin):
            return False
        after = letters[match.end : _end(letters, match.end, self._pause)]
        if self._when & set(after):
            return False
        if any(a in self._of and b in self._others for a, b in pairwise(after)):
            return False
        of = next((i for i, x in enumerate(after) if x in self._of), None)
        return of is None or not self._all_such & set(after[of:])

    def _is_somebodys(self, letters: str, start: int, begin: int) -> bool:
        """The subject is named and not the speaker, here or (dropped) in the part of the sentence before."""
        before = letters[begin : start + 1]
        if (self._asking | self._speaker) & set(before):
            return False
        owned = max((i for i, x in enumerate(before) if x in self._of), default=-1)  # 您关心的这一点
        if _names(before, self._others, self._tails) or _names(before[owned + 1 :], self._you, self._tails):
            return True
        dropped = begin > 0 and letters[begin - 1] in self._comma and self._subjectless >= set(before[:-1])
        return dropped and _names(letters[:begin], self._others, self._tails)

    def split(self, letters: str) -> list[tuple[int, int]]:
        ends = [i for i, x in enumerate(letters) if x in self._pause]
        bounds = [0, *(i + 1 for i in ends), len(letters)]
        return [(a, b) for a, b in pairwise(bounds) if b > a]

    def answers(self, letters: str, *, before: bool) -> bool:
        return any(self._answers(letters[a:b], before) for a, b in self.split(letters))

    def _answers(self, part: str, before: bool) -> bool:
        part = part.rstrip(self._pause_letters)
        if len(part) < SUBSTANCE or self.is_idle(part):
            return False
        return not before or bool(self._predicate & set(part))

    def turns(self, part: str) -> bool:
        return bool(self._turn & set(part[:2]))

    def is_idle(self, letters: str) -> bool:
        return next(self.grammar.find(letters, "idle"), None) is not None


def _names(letters: str, who: set[str], tails: set[str]) -> bool:
    """Somebody is named, and not only as the owner of something (员工人数)."""
    return any(a in who and b not in tails for a, b in pairwise(letters))


ENGLISH, CHINESE = _English(), _Chinese()
DECLINING = ("speaker", "source", "bare", "policy", "ask")


def read_sentence(sentence: str) -> Reading:
    """What a folded sentence does."""
    return _read_bare(_EDGES.sub("", sentence))


@lru_cache(maxsize=512)
def _read_bare(sentence: str) -> Reading:
    """Remembered, because whoever looks for refusals and whoever looks for claims both ask."""
    if not _HAN.search(sentence):
        return _read(ENGLISH, sentence)
    reading = _read(CHINESE, sentence)
    if not reading.declines and _LATIN_WORDS.search(sentence):
        return _read(ENGLISH, sentence)
    return reading


def _read(language: _English | _Chinese, sentence: str) -> Reading:
    letters = language.read(sentence)
    ends = [m.end for m in _find_declining(language, letters, asked=_ASKED.search(sentence[-8:]) is not None)]
    if not ends:
        return NOTHING
    parts = language.split(letters)
    declining = [i for i, (a, b) in enumerate(parts) if any(a < e <= b for e in ends)]
    first = declining[0]
    before = any(language.answers(letters[a:b], before=True) for a, b in parts[:first])
    after = turned = False
    for i, (a, b) in enumerate(parts[first + 1 :], start=first + 1):
        turned |= language.turns(letters[a:b])
        after |= turned and i not in declining and language.answers(letters[a:b], before=False)
    return Reading(True, before, after)


def _find_declining(language: _English | _Chinese, letters: str, *, asked: bool) -> list[Match]:
    """The rules that fit and count. A question declines only by what it says of the speaker, or asks for."""
    matches = [
        match
        for match in language.grammar.find(letters, *DECLINING)
        if not (asked and match.group in ("bare", "source")) and language.counts(letters, match)
    ]
    if not matches:
        return matches
    harmless = [(m.start, m.end) for m in language.grammar.find(letters, "harmless")]
    return [m for m in matches if not any(a < m.end and m.start < b for a, b in harmless)]


def find_turn(sentence: str) -> int | None:
    """Where a folded sentence turns from declining to answering, or back: a place to cut it, or null."""
    joints = _JOINT_ZH if _HAN.search(sentence) else _JOINT_EN
    for joint in islice(joints.finditer(sentence), MAX_JOINTS):
        left, right = sentence[: joint.start()], sentence[joint.end() :]
        declines = read_sentence(left).declines
        if declines != read_sentence(right).declines and not is_idle(right if declines else left):
            return joint.end()
    return None


def is_idle(sentence: str) -> bool:
    """Whether a folded sentence says nothing of substance: redirection, courtesy, or too few words."""
    language = CHINESE if _HAN.search(sentence) else ENGLISH
    letters = language.read(sentence)
    if _FIGURE.search(sentence) and len(letters) >= 2 and not language.is_idle(letters):
        return False  # "Price: 349 euros" is short, and an answer
    return not language.answers(letters, before=False)


def _begin(letters: str, start: int, pause: set[str]) -> int:
    """One past the last pause before `start`."""
    while start > 0 and letters[start - 1] not in pause:
        start -= 1
    return start


def _end(letters: str, end: int, pause: set[str]) -> int:
    """The first pause from `end` on."""
    while end < len(letters) and letters[end] not in pause:
        end += 1
    return end
