"""A small glossary of what people ask help desks about, in Chinese and English: `glossary.txt` beside this.

It is the bridge between the languages where no name and no number is, and lets synonyms of one language meet.
It knows everyday business and nothing of anybody's products.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

_ENDINGS: Final = re.compile(r"(?:'s|s'|')$")
_VOWEL: Final = re.compile("[aeiouy]")
_WORD: Final = re.compile(r"[a-z\d]+")
_MOST_WORDS: Final = 3
"""Of a term in English."""


def take_concepts(folded: str) -> tuple[str, dict[str, str]]:
    """What is left of a folded text without terms of the glossary, and these: the name that both languages
    share to how the text has it. The longest wins."""
    english, chinese, _ = _tables()
    found: dict[str, str] = {}

    def take(match: re.Match[str]) -> str:
        found.setdefault(chinese[match[0]], match[0])
        return " | "

    rest = _chinese_pattern().sub(take, folded)
    words = list(_WORD.finditer(rest))
    stems = [stem(word[0]) for word in words]
    left, place, kept = [], 0, 0
    while place < len(words):
        for length in range(min(_MOST_WORDS, len(words) - place), 0, -1):
            concept = english.get(" ".join(stems[place : place + length]))
            if concept is not None:
                start, end = words[place].start(), words[place + length - 1].end()
                found.setdefault(concept, rest[start:end])
                left.append(rest[kept:start])
                kept = end
                place += length - 1
                break
        place += 1
    return " ".join((*left, rest[kept:])), found


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """An English word without its plural, -ing or -ed: rough, and the same for all."""
    word = _ENDINGS.sub("", word)
    if not word.isalpha() or len(word) <= 3:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= 3 and _VOWEL.search(bare):
            word = bare
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word.removesuffix("e") if len(word) > 3 else word


def is_weak(concept: str) -> bool:
    """Whether a term is asked about anything (a price, an order), and so says little alone."""
    return concept in _tables()[2]


@cache
def _tables() -> tuple[dict[str, str], dict[str, str], frozenset[str]]:
    """Stemmed English and Chinese wordings to the name of their concept, which is its first English wording;
    and the names of those that are weak."""
    weak = set()
    english: dict[str, str] = {}
    chinese: dict[str, str] = {}
    text = files("judges.clustering").joinpath("glossary.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        left, right = line.removeprefix("~").split("|")
        wordings = [each.strip() for each in left.split(",")]
        if line.startswith("~"):
            weak.add(wordings[0])
        for wording in wordings:
            english[" ".join(stem(word) for word in _WORD.findall(wording))] = wordings[0]
        for wording in right.split():
            chinese[wording] = wordings[0]
    return english, chinese, frozenset(weak)


@cache
def _chinese_pattern() -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, _tables()[1]), key=lambda each: (-len(each), each))))


__all__ = ["is_weak", "stem", "take_concepts"]
