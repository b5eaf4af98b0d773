"""Texts to arrays: words, numbers and Chinese characters of a whole batch in one pass.

Everything after this module works on integers. A token is a run of letters, a number, or one Chinese
character; its `key` is a 64-bit hash of its normal form, so that 1,200 = 1200, 三万 = 30000,
兩年 = 两年, Ｗｉｄｅ = wide and "policies" = "policy" hold wherever two texts are compared.

The hash of a word is the polynomial Σ c_j · B^j (mod 2^64) of its folded code points, finished by a
multiply-xorshift; the prefix hashes that stemming needs then come from subtraction alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from judges.distilled import codepoints as cp
from judges.distilled.numbers import find_number_spans, number_values

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]

WINDOW_TOKENS = 48
"""A sentence longer than this (a JSON record, a table, text without punctuation) is cut into windows."""

MAX_WORD_CHARS = 64
EXACT_DIGITS = 15
_BASE = np.uint64(0x9E3779B97F4A7C15)
with np.errstate(over="ignore"):
    _POWERS = np.cumprod(np.full(MAX_WORD_CHARS + 1, _BASE, dtype=np.uint64))
_SHORT_SALT = np.uint64(0x0000_0001_0000_7F4B)
_NUMBER_SALT = np.uint64(0xA5A5_5A5A_1234_9876)

_ENDS_SENTENCE = cp.is_any("。！？!?；\n\r…\0{}[]")
_ENDS_CLAUSE = cp.is_any("，,；;：、()（）—|")
_SPACE = cp.is_any(" \t\n\r\0\"'”’)」』")


def mix(keys: Keys) -> Keys:
    """Finish a hash: every input bit reaches the high bits (the ones that tables index by)."""
    with np.errstate(over="ignore"):
        mixed: Keys = (keys ^ (keys >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        return mixed ^ (mixed >> np.uint64(32))


def pair(left: Keys, right: Keys) -> Keys:
    """Hash of an ordered pair of hashes."""
    with np.errstate(over="ignore"):
        return mix(left * np.uint64(0xD6E8FEB86659FD93) + (right ^ (right << np.uint64(17))))


@dataclass(slots=True)
class Tokens:
    """Tokens of many texts, in reading order. All arrays have one entry a token.

    `text` says which text, `start`/`end` are offsets in characters *within that text*, `kind` is a
    class of `codepoints`, `word` the hash of the folded form, `key` that of the normal form (stem or
    number value), `sentence` and `clause` number the units of all texts through, `window` is a
    sentence or a piece of a long one. `capital`: the first letter is a capital.
    """

    count: int
    text: Ints
    start: Ints
    end: Ints
    kind: npt.NDArray[np.uint8]
    word: Keys
    key: Keys
    sentence: Ints
    clause: Ints
    window: Ints
    capital: Bools
    adjacent: Bools
    """No gap between this token and the one before it (Chinese characters of one run)."""
    opens: Bools
    """The first token of its sentence."""
    number: Ints
    """Index into `values`, or -1."""
    values: list[tuple[float, ...]]
    """Every number: the values it may stand for; the first is the one it most likely means."""
    text_window: Ints
    """First window of each text, and one past the last: `count + 1` entries."""
    clause_window: Ints
    """The window that each clause lies in."""
    window_text: Ints
    """The text that each window lies in."""
    text_token: Ints
    """First token of each text, and one past the last."""
    joined: str
    offset: Ints
    """Where each text starts in `joined`."""
    codes: cp.Codes
    """Code points of `joined`."""
    classes: npt.NDArray[np.uint8]
    """Class of each of them."""


def tokenize(texts: Sequence[str]) -> Tokens:
    """Split `texts` into tokens. Linear in their length; every text keeps its number."""
    joined = "\0".join(texts) + "\0"
    codes = cp.encode(joined)
    folded = cp.FOLD[codes]
    kind = cp.CLASS[folded]
    _attach_apostrophes(kind)
    offset = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(t) + 1 for t in texts], out=offset[1:])

    first, last = _runs(kind, (codes != folded) & (folded != ord("'")))
    token_kind = kind[first]
    word = _hash_runs(folded, first, last, token_kind)
    key = _stem_keys(folded, first, last, token_kind, word)
    keep, first, last, number, values = _merge_numbers(folded, kind, first, last, token_kind)
    token_kind, word, key = token_kind[keep], word[keep], key[keep]
    first, last = first[keep], last[keep]
    number = number[keep]
    if values:
        is_number = number >= 0
        key[is_number] = _number_keys(values)[number[is_number]]
        word[is_number] = key[is_number]
        token_kind[is_number] = cp.DIGIT

    sentence, clause = _number_units(codes, folded, kind, first)
    text = np.searchsorted(offset, first, side="right") - 1
    opens = np.ones(len(first), dtype=np.bool_)
    opens[1:] = sentence[1:] != sentence[:-1]
    window = _number_windows(sentence, opens)
    clause = _number_clauses(clause, window)
    adjacent = np.zeros(len(first), dtype=np.bool_)
    adjacent[1:] = first[1:] == last[:-1]
    bounds = np.arange(len(texts) + 1)
    text_token = np.searchsorted(text, bounds)
    padded = np.append(window, window[-1] + 1 if len(window) else 0)
    return Tokens(
        count=len(texts),
        text=text,
        start=first - offset[text],
        end=last - offset[text],
        kind=token_kind,
        word=word,
        key=key,
        sentence=sentence,
        clause=clause,
        window=window,
        capital=(codes[first] != folded[first]) & (token_kind == cp.LETTER),
        adjacent=adjacent,
        opens=opens,
        number=number,
        values=values,
        text_window=padded[text_token],
        clause_window=window[_first_of(clause)],
        window_text=text[_first_of(window)],
        text_token=text_token,
        joined=joined,
        offset=offset,
        codes=codes,
        classes=kind,
    )


@lru_cache(maxsize=65_536)
def word_key(word: str) -> int:
    """The `word` hash of one word or character: for lexicons, through the same path as all text."""
    tokens = tokenize([word])
    if len(tokens.word) != 1:
        raise ValueError(f"{word!r} is {len(tokens.word)} tokens, not one")
    return int(tokens.word[0])


def _attach_apostrophes(kind: npt.NDArray[np.uint8]) -> None:
    """An apostrophe between letters belongs to the word (don't); any other is punctuation."""
    marks = np.flatnonzero(kind == cp.APOSTROPHE)
    if not len(marks):
        return
    inner = marks[(marks > 0) & (marks < len(kind) - 1)]
    joins = inner[(kind[inner - 1] == cp.LETTER) & (kind[inner + 1] == cp.LETTER)]
    kind[marks] = cp.GAP
    kind[joins] = cp.LETTER


def _runs(kind: npt.NDArray[np.uint8], changed: Bools) -> tuple[Ints, Ints]:
    """First and one-past-last positions of runs of one class; each Chinese character is a run.

    `changed` marks what folding changed: a capital behind a small letter starts a word (outdoorSeating).
    """
    starts = np.empty(len(kind), dtype=np.bool_)
    starts[0] = True
    np.not_equal(kind[1:], kind[:-1], out=starts[1:])
    starts[1:] |= changed[1:] & ~changed[:-1] & (kind[1:] == cp.LETTER)
    starts |= kind == cp.HAN
    first = np.flatnonzero(starts)
    last = np.append(first[1:], len(kind))
    keep = kind[first] != cp.GAP
    return first[keep], last[keep]


def _hash_runs(folded: cp.Codes, first: Ints, last: Ints, kind: npt.NDArray[np.uint8]) -> Keys:
    """The raw polynomial hash of each run (the first `MAX_WORD_CHARS` characters count)."""
    words = folded[first].astype(np.uint64) * _BASE
    many = np.flatnonzero(last - first > 1)
    if len(many):
        lengths = np.minimum(last[many] - first[many], MAX_WORD_CHARS)
        ends = np.cumsum(lengths)
        begins = ends - lengths
        within = np.arange(ends[-1]) - np.repeat(begins, lengths)
        terms = folded[np.repeat(first[many], lengths) + within].astype(np.uint64)
        with np.errstate(over="ignore"):
            words[many] = np.add.reduceat(terms * _POWERS[within], begins)
    return words


def _stem_keys(folded: cp.Codes, first: Ints, last: Ints, kind: npt.NDArray[np.uint8], word: Keys) -> Keys:
    """Hash of each word without its ending; turns `word` into finished hashes on the way."""
    key = word.copy()
    long = np.flatnonzero((kind == cp.LETTER) & (last - first >= 4) & (last - first <= MAX_WORD_CHARS))
    if len(long):
        begin, end = first[long], last[long]
        stem_end, short = _stem_ends(folded, begin, end)
        raw = word[long].copy()
        at = end - 1
        with np.errstate(over="ignore"):
            for _ in range(5):
                cut = at >= stem_end
                if not cut.any():
                    break
                dropped = folded[at].astype(np.uint64) * _POWERS[at - begin]
                raw = np.where(cut, raw - dropped, raw)
                at = at - 1
        raw[short] ^= _SHORT_SALT
        key[long] = raw
    word[:] = mix(word)
    return mix(key)


def _stem_ends(folded: cp.Codes, begin: Ints, end: Ints) -> tuple[Ints, Bools]:
    """Where the stem of each word ends: plural, -ed, -ing, -ly, then silent e, y, double letters.

    The flags mark stems of three letters that a y was cut from: "busy" is no "bus".
    """

    def at(back: int) -> cp.Codes:
        return folded[np.maximum(stop - back, begin)]

    def cut(mask: Bools, letters: int) -> None:
        np.subtract(stop, letters, out=stop, where=mask & (stop - begin - letters >= 3))

    letter = {c: ord(c) for c in "'abcdefghijklmnopqrstuvwxyz"}
    stop = end.copy()
    cut((at(1) == letter["s"]) & (at(2) == letter["'"]), 2)
    plural = (at(1) == letter["s"]) & ~np.isin(at(2), [letter["s"], letter["u"], letter["i"], letter["'"]])
    cut(plural & (at(2) == letter["e"]) & (at(3) == letter["i"]), 2)
    cut(plural & (at(1) == letter["s"]), 1)
    cut((at(1) == letter["d"]) & (at(2) == letter["e"]), 2)
    cut((at(1) == letter["g"]) & (at(2) == letter["n"]) & (at(3) == letter["i"]), 3)
    cut((at(1) == letter["y"]) & (at(2) == letter["l"]), 2)
    cut(at(1) == letter["e"], 1)
    ends_in_y = (at(1) == letter["y"]) | (at(1) == letter["i"])
    short: Bools = ends_in_y & (stop - begin == 4)
    cut(ends_in_y, 1)
    cut((at(1) == at(2)) & (stop - begin >= 4), 1)
    return stop, short


def _merge_numbers(
    folded: cp.Codes,
    kind: npt.NDArray[np.uint8],
    first: Ints,
    last: Ints,
    token_kind: npt.NDArray[np.uint8],
) -> tuple[Bools, Ints, Ints, Ints, list[tuple[float, ...]]]:
    """Make one token of each number: 1,200 and 3万 and 百分之十五. Returns what to keep of the old."""
    keep = np.ones(len(first), dtype=np.bool_)
    number = np.full(len(first), -1, dtype=np.int64)
    values: list[tuple[float, ...]] = []
    spans = find_number_spans(folded, kind)
    if not len(spans):
        return keep, first, last, number, values
    left = np.searchsorted(first, spans[:, 0])
    right = np.searchsorted(first, spans[:, 1])
    whole = (left < len(first)) & (right > left)
    spans, left, right = spans[whole], left[whole], right[whole]
    plain = _are_plain(kind, spans)
    values = [(v,) for v in _plain_values(folded, spans[plain]).tolist()]
    number[left[plain]] = np.arange(len(values))
    spans, left, right = spans[~plain], left[~plain], right[~plain]
    last = last.copy()
    for (begin, end), i, j in zip(spans.tolist(), left.tolist(), right.tolist(), strict=True):
        meant = number_values("".join(map(chr, folded[begin:end].tolist())))
        if meant:
            number[i] = len(values)
            values.append(meant)
            last[i] = end
            keep[i + 1 : j] = False
    return keep, first, last, number, values


def _are_plain(kind: npt.NDArray[np.uint8], spans: Ints) -> Bools:
    """Spans of digits alone, short enough to be exact as a float: most numbers are."""
    digits = np.concatenate(([0], np.cumsum(kind == cp.DIGIT)))
    length = spans[:, 1] - spans[:, 0]
    plain: Bools = (digits[spans[:, 1]] - digits[spans[:, 0]] == length) & (length <= EXACT_DIGITS)
    return plain


def _plain_values(folded: cp.Codes, spans: Ints) -> npt.NDArray[np.float64]:
    """What digits mean: Σ digit · 10^place."""
    length = spans[:, 1] - spans[:, 0]
    if not len(length):
        return np.zeros(0)
    ends = np.cumsum(length)
    begins = ends - length
    within = np.arange(ends[-1]) - np.repeat(begins, length)
    digits = folded[np.repeat(spans[:, 0], length) + within].astype(np.float64) - ord("0")
    place = np.repeat(length, length) - 1 - within
    return np.add.reduceat(digits * 10.0**place, begins)


def _number_keys(values: Sequence[tuple[float, ...]]) -> Keys:
    heads = np.array([v[0] for v in values], dtype=np.float64) + 0.0
    return mix(heads.view(np.uint64) ^ _NUMBER_SALT)


def value_keys(values: Sequence[float]) -> Keys:
    """The `key` of a number token that means each of `values`."""
    return _number_keys([(v,) for v in values]) if len(values) else np.zeros(0, dtype=np.uint64)


def _number_units(
    codes: cp.Codes, folded: cp.Codes, kind: npt.NDArray[np.uint8], first: Ints
) -> tuple[Ints, Ints]:
    """Number the sentences and the clauses, and say in which of them each token lies."""
    ends = _ENDS_SENTENCE[codes]
    dots = np.flatnonzero(folded == ord("."))
    if len(dots):
        inside = dots[(dots > 1) & (dots < len(folded) - 1)]
        spaced = _SPACE[codes[inside + 1]]
        initial = (kind[inside - 1] == cp.LETTER) & (kind[inside - 2] != cp.LETTER)
        listed = (kind[inside - 1] == cp.DIGIT) & _SPACE[codes[inside - 2]]
        ends[inside[spaced & ~initial & ~listed]] = True
    marks = _ENDS_CLAUSE[codes]
    between = np.flatnonzero(marks)
    between = between[(between > 0) & (between < len(folded) - 1)]
    digits = (kind[between - 1] == cp.DIGIT) & (kind[between + 1] == cp.DIGIT)
    marks[between[digits]] = False
    sentences: Ints = np.cumsum(ends, dtype=np.int64)
    clauses: Ints = np.cumsum(marks | ends, dtype=np.int64)
    return sentences[first], clauses[first]


def _first_of(groups: Ints) -> Ints:
    """Index of the first token of each group; groups are numbered through, in order."""
    return np.flatnonzero(np.append(True, groups[1:] != groups[:-1])) if len(groups) else groups


def _number_clauses(clause: Ints, window: Ints) -> Ints:
    """Number the clauses through without gaps; a new window starts a new clause."""
    if not len(clause):
        return np.zeros(0, dtype=np.int64)
    new = np.ones(len(clause), dtype=np.bool_)
    new[1:] = (clause[1:] != clause[:-1]) | (window[1:] != window[:-1])
    return np.cumsum(new) - 1


def _number_windows(sentence: Ints, opens: Bools) -> Ints:
    """Number the sentences through, cutting long ones into windows of `WINDOW_TOKENS`."""
    if not len(sentence):
        return np.zeros(0, dtype=np.int64)
    begins = np.flatnonzero(opens)
    lengths = np.diff(np.append(begins, len(sentence)))
    within = np.arange(len(sentence)) - np.repeat(begins, lengths)
    return np.cumsum(opens | (within % WINDOW_TOKENS == 0)) - 1
