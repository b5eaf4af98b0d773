"""What two texts are compared by: content words, numbers and pairs of Chinese characters, weighted.

Weights are inverse document frequencies over open text (`data/idf.npz`, see its card): a unit that is
in every passage says little. Function words weigh nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel import wording
from judges.distilled.measuring.tokens import Bools, Ints, Keys, Tokens

Floats = npt.NDArray[np.float64]

IDF_BITS = 20
IDF_SHIFT = np.uint64(64 - IDF_BITS)
NUMBER_WEIGHT = 5.0
"""As much as a fairly rare word: the idf of a number says how common it is, not how much it matters."""
SMALL_NUMBER, SMALL_NUMBER_WEIGHT = 2.0, 1.0
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


class Idf(NamedTuple):
    """Quantised frequency by hash bucket; the idf of each step; the step of what was never seen."""

    steps: npt.NDArray[np.uint8]
    idf: Floats
    unseen: int


MAX_IDF = 7.0
"""Rarer is not more telling: beyond it lie misspellings and pairs that straddle two Chinese words."""


@cache
def read_idf() -> Idf:
    """The weights that ship with this version."""
    source = files("judges.distilled").joinpath("data", "idf.npz")
    with source.open("rb") as file, np.load(file, allow_pickle=False) as data:
        steps, scale = data["idf"], float(data["scale"])
    return Idf(steps, np.minimum(np.arange(256) / scale, MAX_IDF), int(steps.max()))


def is_unseen(keys: Keys) -> Bools:
    """Whether a key stood in less than two passages of the text that the weights come from."""
    table = read_idf()
    return table.steps[(keys >> IDF_SHIFT).astype(np.int64)] >= table.unseen


def find_units(tokens: Tokens, flags: Ints) -> Units:
    """The content units of all texts. Function words, and pairs of two function characters, are none."""
    t = tokens
    return Units(*wording.find_units(t.word, t.key, t.kind, t.adjacent, t.number, flags))


def token_weights(tokens: Tokens, flags: Ints) -> Floats:
    """What each token counts for, in nats: its idf; 0 for function words; numbers as set above."""
    t, table = tokens, read_idf()
    return wording.weigh_tokens(
        t.word,
        t.key,
        t.kind,
        flags,
        t.number,
        t.value,
        t.value_first,
        table.steps,
        table.idf,
        IDF_SHIFT,
        SMALL_NUMBER,
        SMALL_NUMBER_WEIGHT,
        NUMBER_WEIGHT,
    )
