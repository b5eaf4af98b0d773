"""What two texts are compared by: content words, numbers and pairs of Chinese characters, weighted.

Weights are inverse document frequencies over open text (`data/idf.npz`, see its card): a unit that is
in every passage says little. Function words weigh nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from judges.distilled import codepoints as cp
from judges.distilled.lexicon import STOP
from judges.distilled.tokens import Bools, Ints, Keys, Tokens, pair

Floats = npt.NDArray[np.float64]

IDF_BITS = 20
_IDF_SHIFT = np.uint64(64 - IDF_BITS)
NUMBER_WEIGHT = 5.0
"""As much as a fairly rare word: the idf of a number says how common it is, not how much it matters."""
SMALL_NUMBER, SMALL_NUMBER_WEIGHT = 2, 1.0
"""One and two are mostly grammar (一个, two of them)."""


@dataclass(slots=True)
class Units:
    """What is looked for, and what finding it proves. One entry a unit, in reading order.

    `key` is a word's stem, a number's value, or a pair of neighbouring Chinese characters; finding it
    covers the tokens `first` to `last` (a pair covers both its characters).
    """

    key: Keys
    first: Ints
    last: Ints


@cache
def _idf_table() -> tuple[npt.NDArray[np.uint8], float, int]:
    """Quantised frequency by hash bucket, the scale of a step, and the step of what was never seen."""
    source = files("judges.distilled").joinpath("data", "idf.npz")
    with source.open("rb") as file, np.load(file, allow_pickle=False) as data:
        return data["idf"], float(data["scale"]), int(data["idf"].max())


MAX_IDF = 7.0
"""Rarer is not more telling: beyond it lie misspellings and pairs that straddle two Chinese words."""


def idf(keys: Keys) -> Floats:
    """Inverse document frequency of each key, in nats, at most `MAX_IDF`."""
    table, scale, _ = _idf_table()
    return np.minimum(table[(keys >> _IDF_SHIFT).astype(np.int64)] / scale, MAX_IDF)


def is_unseen(keys: Keys) -> Bools:
    """Whether a key stood in less than two passages of the text that the weights come from."""
    table, _, unseen = _idf_table()
    return table[(keys >> _IDF_SHIFT).astype(np.int64)] >= unseen


def find_units(tokens: Tokens, flags: npt.NDArray[np.int64]) -> Units:
    """The content units of all texts. Function words, and pairs of two function characters, are none."""
    stop = (flags & STOP).astype(np.bool_)
    han = tokens.kind == cp.HAN
    number = tokens.number >= 0
    paired = _paired_with_previous(tokens, han)
    following = np.append(paired[1:], False)
    is_pair = paired.copy()
    is_pair[1:] &= ~(stop[1:] & stop[:-1])
    single = ~stop & ~(han & (paired | following))  # words, numbers, lone characters
    last = np.flatnonzero(is_pair | single | number)
    pairs = is_pair[last]
    key = tokens.key[last]
    at = last[pairs]
    key[pairs] = pair(tokens.word[at - 1], tokens.word[at])
    return Units(key, last - pairs, last)


def token_weights(tokens: Tokens, flags: npt.NDArray[np.int64]) -> Floats:
    """What each token counts for, in nats: its idf; 0 for function words; numbers as set above."""
    weights = idf(np.where(tokens.kind == cp.HAN, tokens.word, tokens.key))
    weights[(flags & STOP) != 0] = 0.0
    numbers = np.flatnonzero(tokens.number >= 0)
    small = np.array(
        [abs(tokens.values[i][0]) <= SMALL_NUMBER for i in tokens.number[numbers].tolist()], dtype=np.bool_
    )
    weights[numbers] = np.where(small, SMALL_NUMBER_WEIGHT, NUMBER_WEIGHT)
    return weights


def _paired_with_previous(tokens: Tokens, han: Bools) -> Bools:
    paired = han & tokens.adjacent
    paired[1:] &= han[:-1]
    if len(paired):
        paired[0] = False
    return paired
