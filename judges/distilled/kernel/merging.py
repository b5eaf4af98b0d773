"""Runs to tokens: one token a number, and the sentence, clause, window and text that each lies in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judges.distilled.kernel.compiled import compiled
from judges.distilled.kernel.hashing import Bools, Codes, Floats, Ints, Keys, mix
from judges.distilled.kernel.scanning import Runs, Spans
from judges.distilled.kernel.spans import DIGIT, LETTER, Classes

NUMBER_SALT = np.uint64(0xA5A5_5A5A_1234_9876)


class Merged(NamedTuple):
    """The arrays of `tokens.Tokens`, by the same names."""

    text: Ints
    start: Ints
    end: Ints
    kind: Classes
    word: Keys
    key: Keys
    sentence: Ints
    clause: Ints
    window: Ints
    capital: Bools
    adjacent: Bools
    opens: Bools
    number: Ints
    text_window: Ints
    clause_window: Ints
    window_text: Ints
    text_token: Ints


@compiled
def hash_values(values: Floats) -> Keys:
    """The key of a number that means each of `values`; 0 and -0 are one."""
    bits = values.view(np.uint64)
    keys = np.empty(len(values), np.uint64)
    for i in range(len(values)):
        keys[i] = mix((bits[i] if values[i] != 0 else np.uint64(0)) ^ NUMBER_SALT)
    return keys


@compiled
def merge(
    runs: Runs,
    spans: Spans,
    counts: Ints,
    value_keys: Keys,
    codes: Codes,
    folded: Codes,
    offset: Ints,
    window_tokens: int,
) -> Merged:
    """Make one token of each number that has a value.

    `counts`: how many values each span has (0: it is no number after all), `value_keys` the keys of all
    of them, in order; `number` counts the spans that have any. `offset`: where each text starts, and the
    end.
    """
    n = len(runs.first)
    texts = len(offset) - 1
    text, start, end = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    kind = np.empty(n, np.uint8)
    word, key = np.empty(n, np.uint64), np.empty(n, np.uint64)
    sentence, clause, window = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    capital, adjacent, opens = np.empty(n, np.bool_), np.empty(n, np.bool_), np.empty(n, np.bool_)
    number = np.empty(n, np.int64)
    clause_window, window_text = np.empty(n, np.int64), np.empty(n, np.int64)
    text_token, text_window = np.empty(texts + 1, np.int64), np.empty(texts + 1, np.int64)
    made = clauses = windows = within = numbers = value = span = here = 0
    text_token[0] = text_window[0] = 0
    raw_clause, raw_sentence, before = -1, -1, -1
    i = 0
    while i < n:
        first, last = runs.first[i], runs.last[i]
        following = i + 1
        kind[made], word[made], key[made], number[made] = runs.kind[i], runs.word[i], runs.key[i], -1
        while span < len(counts) and spans.begin[span] <= first:
            if counts[span] and first < spans.end[span]:
                last = spans.end[span]
                while following < n and runs.first[following] < last:
                    following += 1
                kind[made], number[made] = DIGIT, numbers
                key[made] = word[made] = value_keys[value]
            numbers += counts[span] > 0
            value += counts[span]
            span += 1
        while offset[here + 1] <= first:
            here += 1
            text_token[here], text_window[here] = made, windows
        opens[made] = runs.sentence[i] != raw_sentence or made == 0
        within = 0 if opens[made] else within + 1
        new_window = within % window_tokens == 0
        if new_window:
            window_text[windows] = here
            windows += 1
        if new_window or runs.clause[i] != raw_clause:
            clause_window[clauses] = windows - 1
            clauses += 1
        raw_sentence, raw_clause = runs.sentence[i], runs.clause[i]
        text[made], start[made], end[made] = here, first - offset[here], last - offset[here]
        sentence[made], clause[made], window[made] = raw_sentence, clauses - 1, windows - 1
        capital[made] = codes[first] != folded[first] and kind[made] == LETTER
        adjacent[made] = made > 0 and first == before
        before = last
        made += 1
        i = following
    for rest in range(here + 1, texts + 1):
        text_token[rest], text_window[rest] = made, windows
    return Merged(
        text[:made],
        start[:made],
        end[:made],
        kind[:made],
        word[:made],
        key[:made],
        sentence[:made],
        clause[:made],
        window[:made],
        capital[:made],
        adjacent[:made],
        opens[:made],
        number[:made],
        text_window,
        clause_window[:clauses],
        window_text[:windows],
        text_token,
    )
