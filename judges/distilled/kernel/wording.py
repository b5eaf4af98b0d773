"""Flags, units and weights of tokens: what each token is, and what finding it would prove."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel.compiled import compiled
from judges.distilled.kernel.hashing import Bools, Floats, Ints, Keys, pair
from judges.distilled.kernel.scanning import HAN
from judges.distilled.kernel.spans import Classes

Small = npt.NDArray[np.uint8]

STOP, NEGATION = 1, 2
"""As in `lexicon`."""


@compiled
def look_up(words: Keys, flags: Small, key: np.uint64) -> int:
    """The flags of `key` in a lexicon's table (open addressing, 0: free), 0 where it is not in it."""
    mask = len(words) - 1
    slot = np.int64(key) & mask
    while flags[slot]:
        if words[slot] == key:
            return int(flags[slot])
        slot = (slot + 1) & mask
    return 0


@compiled
def look_up_all(keys: Keys, words: Keys, flags: Small) -> Ints:
    """`look_up` for each of `keys`."""
    found = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        found[i] = look_up(words, flags, keys[i])
    return found


@compiled
def store(words: Keys, flags: Small, key: np.uint64, flag: int) -> None:
    """Put a key into a lexicon's table, which must have room."""
    mask = len(words) - 1
    slot = np.int64(key) & mask
    while flags[slot] and words[slot] != key:
        slot = (slot + 1) & mask
    words[slot], flags[slot] = key, flag


@compiled
def flag_words(
    word: Keys,
    kind: Classes,
    adjacent: Bools,
    words: tuple[Keys, Small],
    stop_pairs: tuple[Keys, Small],
    false_negations: tuple[Keys, Small],
) -> Ints:
    """`STOP`, `NEGATION` … of each token; 不 in 不仅 or 非 in 非常 negates nothing. Tables: see `look_up`."""
    n = len(word)
    flags = np.empty(n, np.int64)
    for i in range(n):
        flags[i] = look_up(words[0], words[1], word[i])
    for i in range(1, n):
        paired = kind[i] == HAN and kind[i - 1] == HAN and adjacent[i]
        if paired and look_up(stop_pairs[0], stop_pairs[1], pair(word[i - 1], word[i])):
            flags[i] |= STOP
            flags[i - 1] |= STOP
    for i in range(n):
        if flags[i] & NEGATION and kind[i] == HAN:
            following = word[min(i + 1, n - 1)]
            if look_up(false_negations[0], false_negations[1], pair(word[i], following)):
                flags[i] &= ~NEGATION
    return flags


@compiled
def find_units(
    word: Keys, key: Keys, kind: Classes, adjacent: Bools, number: Ints, flags: Ints
) -> tuple[Keys, Ints, Ints]:
    """Keys, first and last tokens of the content units: words, numbers, pairs of Chinese characters.

    Function words, and pairs of two function characters, are none.
    """
    n = len(word)
    keys = np.empty(n, np.uint64)
    first, last = np.empty(n, np.int64), np.empty(n, np.int64)
    units = 0
    paired = False
    for i in range(n):
        han = kind[i] == HAN
        follows = i + 1 < n and han and kind[i + 1] == HAN and adjacent[i + 1]
        stop = flags[i] & STOP
        if paired and not (stop and flags[i - 1] & STOP):
            keys[units], first[units], last[units] = pair(word[i - 1], word[i]), i - 1, i
            units += 1
        elif number[i] >= 0 or not (stop or paired or follows):
            keys[units], first[units], last[units] = key[i], i, i
            units += 1
        paired = follows
    return keys[:units], first[:units], last[:units]


@compiled
def weigh_tokens(
    word: Keys,
    key: Keys,
    kind: Classes,
    flags: Ints,
    number: Ints,
    value: Floats,
    value_first: Ints,
    steps: npt.NDArray[np.uint8],
    idf: Floats,
    shift: np.uint64,
    small: float,
    small_weight: float,
    number_weight: float,
) -> Floats:
    """What each token counts for, in nats. `idf`: by the step of a hash, which stands
    in `steps` at its high bits, above `shift`."""
    n = len(word)
    weight = np.empty(n, np.float64)
    for i in range(n):
        if number[i] >= 0:
            meant = abs(value[value_first[number[i]]])
            weight[i] = small_weight if meant <= small else number_weight
        elif flags[i] & STOP:
            weight[i] = 0.0
        else:
            hashed = word[i] if kind[i] == HAN else key[i]
            weight[i] = idf[steps[np.int64(hashed >> shift)]]
    return weight


@compiled
def assign_groups(
    text: Ints, start: Ints, text_case: Ints, text_role: Ints, claim_text: Ints, claim_start: Ints,
    claim_end: Ints, last_fixed: int, fixed_per_case: int,
) -> tuple[Ints, Ints, Ints]:  # fmt: skip
    """Case, role and group of each token. Claims are given in order, by the text that they lie in.

    Groups count the claims first, then `fixed_per_case` for each case: one for each role up to
    `last_fixed`. -1: none.
    """
    n, claims = len(text), len(claim_start)
    case, role, group = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    at = 0
    for i in range(n):
        owner = text[i]
        case[i], role[i], group[i] = text_case[owner], text_role[owner], -1
        if role[i] <= last_fixed:
            group[i] = claims + fixed_per_case * case[i] + role[i]
            continue
        while at < claims and (
            claim_text[at] < owner or (claim_text[at] == owner and claim_end[at] <= start[i])
        ):
            at += 1
        if at < claims and claim_text[at] == owner and claim_start[at] <= start[i]:
            group[i] = at
    return case, role, group
