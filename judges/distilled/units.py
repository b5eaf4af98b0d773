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
HALF_FUNCTION = 0.5
"""Weight of a pair of Chinese characters of which one is a function word (的人), against a full one."""


@dataclass(slots=True)
class Units:
    """Content units of a batch. One entry a unit: its `key`, its `token` (the last one of a pair),
    its `weight` (nats, above 0)."""

    key: Keys
    token: Ints
    weight: Floats


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
    """The content units of all texts, in reading order."""
    stop = (flags & STOP).astype(np.bool_)
    han = tokens.kind == cp.HAN
    number = tokens.number >= 0
    paired = _paired_with_previous(tokens, han)
    words = np.flatnonzero(~han & ~number & ~stop)
    numbers = np.flatnonzero(number)
    pairs = np.flatnonzero(paired)
    pairs = pairs[~(stop[pairs] & stop[pairs - 1])]
    following = np.append(paired[1:], False)
    single = np.flatnonzero(han & ~paired & ~following & ~stop)

    pair_keys = pair(tokens.word[pairs - 1], tokens.word[pairs])
    half = stop[pairs] | stop[pairs - 1]
    pair_weights = idf(pair_keys) * np.where(half, HALF_FUNCTION, 1.0)
    word_keys, single_keys = tokens.key[words], tokens.key[single]
    token = np.concatenate([words, numbers, pairs, single])
    key = np.concatenate([word_keys, tokens.key[numbers], pair_keys, single_keys])
    weight = np.concatenate(
        [idf(word_keys), np.full(len(numbers), NUMBER_WEIGHT), pair_weights, HALF_FUNCTION * idf(single_keys)]
    )
    order = np.argsort(token, kind="stable")
    return Units(key[order], token[order], weight[order])


def _paired_with_previous(tokens: Tokens, han: Bools) -> Bools:
    paired = han & tokens.adjacent
    paired[1:] &= han[:-1]
    if len(paired):
        paired[0] = False
    return paired
