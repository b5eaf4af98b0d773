"""What a question is about, as words: the terms that it is grouped by.

Latin script is read word by word, without function words and endings; Chinese by pairs of characters; both
are folded first (width, case, accents, traditional characters). Names with digits (A10, 2FA) and numbers stay
whole. Terms of the glossary stand in for the words that they were found in, the same in both languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from judges.clustering.glossary import is_weak, stem, take_concepts
from judges.distilled.measuring.codepoints import FOLD, SIZE
from judges.distilled.measuring.lexicon import WORD_LISTS
from judges.distilled.reading.language import detect, normalise

MOST_CHARS: Final = 400
"""What a question is about is said by then."""
WEAK: Final = 0.4
"""Weight of a word that anything is asked with, and of a pair of which one character is such."""

CONCEPT: Final = "="
"""Before the name of a glossary's term, so that it is no word."""
_TELLING_DIGITS: Final = 3
"""From which a number is hardly there by chance in two languages."""
_NUMBER_WEIGHT: Final = 0.5
"""A number alone says little of what is asked."""

_STOP_WORDS: Final = frozenset((
    *WORD_LISTS["stop en"],
    *"much many long big often early late far away kind sort way use using used make help work works".split(),
))  # fmt: skip
_WEAK_WORDS: Final = frozenset((
    *"day days hour hours minute minutes week weeks month months year years time times date kb mb gb".split(),
    *"amount number limit maximum minimum most least happen happens start starts end ends begin wait".split(),
    *"ago new old still back before item items thing things something anything someone possible tb".split(),
    *"allowed require required take takes go goes put find ask offer offered mean means say says".split(),
))  # fmt: skip
_STOP_CHARS: Final = frozenset((
    *WORD_LISTS["stop zh"],
    *"想几天时候日月年次内外最每要能会可以不多少前后请用什怎收做看去来点各只同",
))  # fmt: skip
"""Function characters, and those that ask how long, how many and when."""
_STOP_PAIRS: Final = re.compile("|".join(sorted(WORD_LISTS["stop pairs zh"], key=len, reverse=True)))
_PIECE: Final = re.compile(
    r"(?P<han>[\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af]+)"
    r"|(?P<number>\d+(?:[.,]\d+)*(?![a-z\d]))"
    r"|(?P<word>(?:(?![\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[^\W_])+(?:'[a-z]+)?)"
)


@dataclass(slots=True, frozen=True)
class Terms:
    """Of one question."""

    language: str
    weights: dict[str, float]
    """Term to weight: words without endings, pairs of characters, names, numbers, and the glossary's terms
    (after `CONCEPT`), which take the place of the words that they were read from."""
    spelled: dict[str, str]
    """Term to how the question has it."""
    abroad: frozenset[str]
    """Terms that another language may have as well: the glossary's, names with digits, words in Latin script,
    longer numbers."""


def read_terms(text: str, language: str = "") -> Terms:
    """The terms of a question. `language`: as its trace tells it, if it does."""
    folded = fold(text[:MOST_CHARS])
    weights: dict[str, float] = {}
    spelled: dict[str, str] = {}
    abroad = set()
    rest, concepts = take_concepts(folded)
    for concept, wording in concepts.items():
        weights[CONCEPT + concept] = WEAK if is_weak(concept) else 1.0
        spelled[CONCEPT + concept] = wording
        abroad.add(CONCEPT + concept)
    for piece in _PIECE.finditer(rest):
        if piece["han"]:
            for pair, weight in _pairs(piece["han"]):
                weights[pair] = weight
                spelled[pair] = pair
        elif piece["number"]:
            number = piece["number"].replace(",", "")
            weights[number], spelled[number] = _NUMBER_WEIGHT, piece["number"]
            if len(number) >= _TELLING_DIGITS:
                abroad.add(number)
        elif (word := _content(piece["word"])) is not None:
            weak = piece["word"] in _WEAK_WORDS
            weights[word], spelled[word] = WEAK if weak else 1.0, piece["word"]
            if not weak:
                abroad.add(word)
    spoken = normalise(language) or detect(text[:MOST_CHARS]) or ""
    return Terms(spoken, weights, spelled, frozenset(abroad))


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """As it is compared: one width, small letters, no accents, simplified characters, single spaces."""
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
    known = np.minimum(codes, SIZE - 1)
    folded = np.where(codes < SIZE, FOLD[known], codes).astype(np.uint32)
    return " ".join(folded.tobytes().decode("utf-32-le", "replace").split())


def _content(word: str) -> str | None:
    """A word without its ending; null for one that says nothing."""
    if word in _STOP_WORDS or len(word) == 1:
        return None
    bare = stem(word)
    return None if bare in _STOP_WORDS else bare


def _pairs(run: str) -> Iterator[tuple[str, float]]:
    for stretch in _STOP_PAIRS.split(run):
        if len(stretch) == 1 and stretch not in _STOP_CHARS:
            yield stretch, WEAK
        for left, right in pairwise(stretch):
            empty = (left in _STOP_CHARS) + (right in _STOP_CHARS)
            if empty < 2:
                yield left + right, WEAK if empty else 1.0


__all__ = ["CONCEPT", "MOST_CHARS", "Terms", "fold", "read_terms"]
