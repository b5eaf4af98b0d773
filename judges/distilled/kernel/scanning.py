"""One pass over the code points of a part: fold, classify, split into runs, hash, stem, find numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judges.distilled.kernel.compiled import compiled, inlined
from judges.distilled.kernel.hashing import Bools, Codes, Floats, Ints, Keys, mix
from judges.distilled.kernel.spans import (
    DIGIT,
    ENDS_CLAUSE,
    ENDS_SENTENCE,
    LETTER,
    NUMERAL,
    SPACE,
    Classes,
    Marks,
    find_span_end,
)
from judges.distilled.kernel.stems import find_stem_end

GAP, HAN, APOSTROPHE = 0, 3, 4
"""As in `codepoints`."""
MAX_WORD_CHARS = 64
LONGEST_ENDING = 5
SHORTEST_STEMMED = 4
EXACT_DIGITS = 15
"""A number of so many digits is exact as a float."""

_QUOTE, _DOT, _ZERO = ord("'"), ord("."), ord("0")
_SHORT_SALT = np.uint64(0x0000_0001_0000_7F4B)


class Tables(NamedTuple):
    """What is known of each code point, and what the scan needs besides. See `codepoints`, `spans`."""

    fold: Codes
    kind: Classes
    marks: Marks
    powers: Keys
    tails: Codes


class Runs(NamedTuple):
    """Runs of letters, of digits, and single Chinese characters, in order: one entry a run."""

    first: Ints
    last: Ints
    kind: Classes
    word: Keys
    key: Keys
    sentence: Ints
    clause: Ints


class Spans(NamedTuple):
    """Numbers in order, at characters `[begin, end)`; `value`: what it means where it is `plain`, digits
    alone."""

    begin: Ints
    end: Ints
    plain: Bools
    value: Floats


@compiled
def fold_codes(raw: Codes, tables: Tables) -> tuple[Codes, Codes, Classes]:
    """Code points clipped to the tables, what each is compared as, and its class.

    An apostrophe between letters belongs to the word (don't); any other is punctuation.
    """
    n = len(raw)
    codes, folded = np.empty(n, np.uint32), np.empty(n, np.uint32)
    kind = np.empty(n, np.uint8)
    top = np.uint32(len(tables.fold) - 1)
    marks = 0
    for i in range(n):
        code = min(raw[i], top)
        codes[i] = code
        folded[i] = tables.fold[code]
        kind[i] = tables.kind[folded[i]]
        marks += kind[i] == APOSTROPHE
    if marks:
        before = np.uint8(GAP)
        for i in range(n):
            here = kind[i]
            if here == APOSTROPHE:
                joins = before == LETTER and i + 1 < n and kind[i + 1] == LETTER
                kind[i] = LETTER if joins else GAP
            before = here
    return codes, folded, kind


@inlined
def _ends_at_dot(codes: Codes, kind: Classes, marks: Marks, i: int) -> bool:
    """A point before a space ends a sentence, unless an initial or a place in a list stands before it."""
    if not 1 < i < len(codes) - 1 or not marks[codes[i + 1]] & SPACE:
        return False
    if kind[i - 1] == LETTER and kind[i - 2] != LETTER:
        return False
    return not (kind[i - 1] == DIGIT and marks[codes[i - 2]] & SPACE)


@inlined
def _hash_run(folded: Codes, powers: Keys, begin: int, end: int) -> np.uint64:
    total = np.uint64(0)
    for j in range(min(end - begin, MAX_WORD_CHARS)):
        total += np.uint64(folded[begin + j]) * powers[j]
    return total


@inlined
def _read_digits(folded: Codes, begin: int, end: int) -> float:
    value = 0.0
    for j in range(begin, end):
        value = value * 10.0 + (np.int64(folded[j]) - _ZERO)
    return value


@compiled
def scan(codes: Codes, folded: Codes, kind: Classes, tables: Tables) -> tuple[Runs, Spans]:
    """The runs and the numbers of a part. See `fold_codes` for the arguments."""
    n = len(codes)
    marks, powers = tables.marks, tables.powers
    most = 0
    for i in range(n):
        most += kind[i] != GAP and (
            i == 0 or kind[i] != kind[i - 1] or kind[i] == HAN or codes[i] != folded[i]
        )
    first, last = np.empty(most, np.int64), np.empty(most, np.int64)
    run_kind = np.empty(most, np.uint8)
    word, key = np.empty(most, np.uint64), np.empty(most, np.uint64)
    sentence, clause = np.empty(most, np.int64), np.empty(most, np.int64)
    span_begin, span_end = np.empty(most, np.int64), np.empty(most, np.int64)
    span_plain, span_value = np.empty(most, np.bool_), np.empty(most, np.float64)
    runs = spans = sentences = clauses = 0
    part_stop = -1
    i = 0
    while i < n:
        code = codes[i]
        mark = marks[code]
        here = kind[i]
        if here == GAP:
            ends = (mark & ENDS_SENTENCE) != 0 or (folded[i] == _DOT and _ends_at_dot(codes, kind, marks, i))
            sentences += ends
            if ends:
                clauses += 1
            elif mark & ENDS_CLAUSE:
                within = 0 < i < n - 1 and kind[i - 1] == DIGIT and kind[i + 1] == DIGIT
                clauses += not within
            i += 1
            continue
        reached = -1
        if i >= part_stop and (here == DIGIT or (here == HAN and marks[folded[i]] & NUMERAL)):
            reached, part_stop = find_span_end(folded, kind, marks, tables.tails, i)
        stop = i + 1
        if here != HAN:
            changed = codes[i] != folded[i] and folded[i] != _QUOTE
            while stop < n and kind[stop] == here:
                now = codes[stop] != folded[stop] and folded[stop] != _QUOTE
                if here == LETTER and now and not changed:
                    break  # a capital behind a small letter starts a word (outdoorSeating)
                changed = now
                stop += 1
        first[runs], last[runs], run_kind[runs] = i, stop, here
        raw = _hash_run(folded, powers, i, stop)
        word[runs] = mix(raw)
        key[runs] = word[runs]
        if here == LETTER and SHORTEST_STEMMED <= stop - i <= MAX_WORD_CHARS:
            stem, short = find_stem_end(folded, i, stop)
            if stem < stop:
                for j in range(max(stem, stop - LONGEST_ENDING), stop):
                    raw -= np.uint64(folded[j]) * powers[j - i]
                key[runs] = mix(raw ^ _SHORT_SALT if short else raw)
        sentence[runs], clause[runs] = sentences, clauses
        if reached >= 0:
            span_begin[spans], span_end[spans] = i, reached
            span_plain[spans] = here == DIGIT and stop == reached and stop - i <= EXACT_DIGITS
            span_value[spans] = _read_digits(folded, i, stop) if span_plain[spans] else 0.0
            spans += 1
        runs += 1
        i = stop
    return (
        Runs(
            first[:runs],
            last[:runs],
            run_kind[:runs],
            word[:runs],
            key[:runs],
            sentence[:runs],
            clause[:runs],
        ),
        Spans(
            span_begin[:spans],
            span_end[:spans],
            span_plain[:spans],
            span_value[:spans],
        ),
    )
