"""Closed word classes of Chinese and English, as flags on tokens.

Only function words, negations, number words and the like: words that a language has a fixed set of.
Wording of refusals and of follow-ups lives with the scorers that read it.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel import wording
from judges.distilled.kernel.hashing import table_size
from judges.distilled.measuring import codepoints as cp
from judges.distilled.measuring.tokens import Keys, Tokens, pair, value_keys, word_key

STOP, NEGATION, HEDGE, DENIAL = 1, 2, 8, 16

_WORDS_FILE = "words.txt"


def read_words() -> dict[str, list[str]]:
    """The sections of `data/words.txt`."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    text = files("judges.distilled").joinpath("data", _WORDS_FILE).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            current += line.split()
    return sections


WORD_LISTS = read_words()


class Lexicon:
    """A small hash table from keys to flags (1..255), looked up for whole arrays at once."""

    def __init__(self, flags: dict[int, int]) -> None:
        size = table_size(2 * len(flags))
        self.table = np.zeros(size, dtype=np.uint64), np.zeros(size, dtype=np.uint8)
        """Keys and flags, as the kernels read them."""
        for key, flag in flags.items():
            wording.store(*self.table, np.uint64(key), flag)

    def look_up(self, keys: Keys) -> npt.NDArray[np.int64]:
        """The flags of each key; 0 for keys that are not in the lexicon."""
        return wording.look_up_all(keys, *self.table)


def bigram_key(text: str) -> int:
    """The key of a pair of Chinese characters, as `units` makes it."""
    left, right = (np.array([word_key(c)], dtype=np.uint64) for c in text[:2])
    return int(pair(left, right)[0])


def _word_flags() -> dict[int, int]:
    flags: dict[int, int] = {}
    for section, flag in (
        ("stop en", STOP),
        ("stop zh", STOP),
        ("negation en", NEGATION),
        ("negation zh", NEGATION),
        ("denial in records", DENIAL),
        ("hedge en", HEDGE),
    ):
        for word in WORD_LISTS[section]:
            key = word_key(word)
            flags[key] = flags.get(key, 0) | flag
    return flags


WORDS = Lexicon(_word_flags())
_FALSE_NEGATION = Lexicon({bigram_key(w): 1 for w in WORD_LISTS["not negation zh"]})
_STOP_PAIRS = Lexicon({bigram_key(w): 1 for w in WORD_LISTS["stop pairs zh"]})
_NUMBER_WORDS = [entry.split("=") for entry in WORD_LISTS["numbers en"]]
_NUMBERS = Lexicon({word_key(word): i + 1 for i, (word, _) in enumerate(_NUMBER_WORDS)})
_NUMBER_VALUES = np.array([float(value) for _, value in _NUMBER_WORDS])
_NUMBER_KEYS = value_keys(_NUMBER_VALUES.tolist())


def read_number_words(tokens: Tokens) -> None:
    """Turn "three" into the number 3, in place: its key, and an entry in `values`."""
    index = _NUMBERS.look_up(tokens.word)
    spelled = np.flatnonzero(index)
    if not len(spelled):
        return
    which = index[spelled] - 1
    tokens.key[spelled] = _NUMBER_KEYS[which]
    tokens.number[spelled] = len(tokens.value_first) - 1 + np.arange(len(spelled))
    tokens.kind[spelled] = cp.DIGIT
    tokens.value_first = np.concatenate([tokens.value_first, len(tokens.value) + 1 + np.arange(len(spelled))])
    tokens.value = np.concatenate([tokens.value, _NUMBER_VALUES[which]])
    tokens.value_key = np.concatenate([tokens.value_key, _NUMBER_KEYS[which]])


def word_flags(tokens: Tokens) -> npt.NDArray[np.int64]:
    """`STOP`, `NEGATION` … of each token; 不 in 不仅 or 非 in 非常 negates nothing."""
    return wording.flag_words(
        tokens.word, tokens.kind, tokens.adjacent, WORDS.table, _STOP_PAIRS.table, _FALSE_NEGATION.table
    )
