"""Does a quote occur in a text? The same words in the same order, in whatever width, case and punctuation.

A judge that copies changes little things: full-width digits become half-width, curly quotes straight, two
spaces one, traditional characters simplified ones. None of that makes a quote invented. Another number, a
word left out or put in does: a quote is one passage, and no mark of omission joins two.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from judges.distilled.reading.wording.fold import fold
from judges.llm.hostile import INVISIBLE, MARKS, defang_tags

MIN_WORDS: Final = 2
"""A quote of fewer words (Chinese: characters) proves nothing, unless the whole text is no longer."""

_UNSEEN = re.compile(f"[{INVISIBLE}\ufe0e\ufe0f\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]+")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])-[ \t]*\n[ \t|]*(?=[^\W\d_])")
"""A word that its line breaks."""
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_RAISED = str.maketrans({c: f"^{unicodedata.normalize('NFKC', c)}" for c in "⁰¹²³⁴⁵⁶⁷⁸⁹"})
"""10⁶ is not 106."""
_HAN = "\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U000323af"
_LETTERS = rf"(?:(?![{_HAN}])[^\W\d_])+"
_WORD = re.compile(
    rf"[{_HAN}]"  # one by one
    r"|(?:(?<![\w)])-)?\d+(?:[.:]\d+)*"  # 3.5, 17:30, -5
    rf"|{_LETTERS}(?:'{_LETTERS})*"
    r"|[%‰°$€£¥+±<>=≠≤≥^]"  # what changes a number
)
_COMMON = frozenset(
    "abou afte also been befo both coul duri each from have into more most much must only othe over shou "
    "some such than that thei them then ther thes they this thos unti very well were what when wher whic "
    "whil will with woul your".split()
)
"""Beginnings of words that any two English sentences may share."""


def words_of(text: str) -> list[str]:
    """The words of a text as quotes are compared: folded, numbers whole, Chinese by character."""
    text = defang_tags(MARKS.sub("", _UNSEEN.sub("", text))).translate(_RAISED)
    text = unicodedata.normalize("NFKC", _HYPHENATED.sub("", text))
    text = fold(unicodedata.normalize("NFKC", text)).replace("ß", "ss").replace("’", "'")
    return _WORD.findall(_GROUPED.sub("", text.replace("−", "-")))


class Passage:
    """A text that quotes are looked up in; its words are found once."""

    __slots__ = ("_joined", "_length")

    def __init__(self, text: str) -> None:
        words = words_of(text)
        self._length = len(words)
        self._joined = _join(words)

    def holds(self, quote: Sequence[str]) -> bool:
        """Whether a quote of these words is a passage of this text. Too few words prove nothing."""
        return len(quote) >= min(MIN_WORDS, self._length) and self.has(quote)

    def has(self, words: Sequence[str]) -> bool:
        """Whether `words`, be it only one, stand here one behind the other."""
        return bool(words) and _join(words) in self._joined


def occurs_in(quote: str, text: str) -> bool:
    """Whether `quote` is a passage of `text`."""
    return Passage(text).holds(words_of(quote))


def have_nothing_in_common(claim: str, quote: str) -> bool:
    """Whether a quote shares no number, no longer word and no pair of characters with a claim.

    Only where both are in Chinese characters, or neither is: across languages nothing can be told this way.
    Words count by their first four letters, so that inflection does not part them.
    """
    claimed, quoted = words_of(claim), words_of(quote)
    if _is_han(claimed) != _is_han(quoted):
        return False
    a, b = _terms(claimed), _terms(quoted)
    return bool(a) and bool(b) and not a & b


def _is_han(words: Sequence[str]) -> bool:
    return any(word > "\u2e80" for word in words)


def _terms(words: Sequence[str]) -> set[str]:
    pairs = {a + b for a, b in pairwise(words) if len(a) == len(b) == 1 and min(a, b) > "\u2e80"}
    return pairs | {word[:4] for word in words if len(word) > 3 or word[-1].isdigit()} - _COMMON


def _join(words: Sequence[str]) -> str:
    return "\0" + "\0".join(words) + "\0"


__all__ = ["MIN_WORDS", "Passage", "have_nothing_in_common", "occurs_in", "words_of"]
