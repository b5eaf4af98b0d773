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
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel import merging, scanning, spans
from judges.distilled.measuring import codepoints as cp
from judges.distilled.measuring.numbers import ALONE, JOINTS, MEASURES, NUMERALS, TAILS, number_values
from judges.distilled.measuring.spoken import find_spoken_spans

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

WINDOW_TOKENS = 48
"""A sentence longer than this (a JSON record, a table, text without punctuation) is cut into windows."""

_BASE = np.uint64(0x9E3779B97F4A7C15)


def _build_marks() -> npt.NDArray[np.uint16]:
    """What a code point may be, as the bits of `kernel.spans`."""
    marks = np.zeros(cp.SIZE, dtype=np.uint16)
    for bit, characters in (
        (spans.NUMERAL, NUMERALS),
        (spans.ALONE, ALONE),
        (spans.MEASURE, MEASURES),
        (spans.JOINS, JOINTS),
        (spans.TAIL_START, "".join(tail[0] for tail in TAILS)),
        (spans.ENDS_SENTENCE, "。！？!?；\n\r…\0{}[]"),
        (spans.ENDS_CLAUSE, "，,；;：、()（）—|"),
        (spans.SPACE, " \t\n\r\0\"'”’)」』"),
    ):
        marks[cp.is_any(characters)] |= np.uint16(bit)
    return marks


def _build_tables() -> scanning.Tables:
    tails = np.zeros((len(TAILS), max(map(len, TAILS))), dtype=np.uint32)
    for row, tail in enumerate(TAILS):
        tails[row, : len(tail)] = [ord(c) for c in tail]
    with np.errstate(over="ignore"):
        powers: Keys = np.cumprod(np.full(scanning.MAX_WORD_CHARS + 1, _BASE), dtype=np.uint64)
    return scanning.Tables(cp.FOLD, cp.CLASS, _build_marks(), powers, tails)


_TABLES = _build_tables()


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
    value: Floats
    """The values of all numbers, one number after another: what it may stand for, most likely first."""
    value_key: Keys
    """The `key` of each value."""
    value_first: Ints
    """First value of each number, and one past the last."""
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

    @property
    def values(self) -> list[tuple[float, ...]]:
        """Every number: the values it may stand for; the first is the one it most likely means."""
        flat = self.value.tolist()
        return [tuple(flat[a:b]) for a, b in pairwise(self.value_first.tolist())]


def tokenize(texts: Sequence[str]) -> Tokens:
    """Split `texts` into tokens. Linear in their length; every text keeps its number."""
    joined = "\0".join(texts) + "\0"
    raw = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes, folded, classes = scanning.fold_codes(raw, _TABLES)
    offset = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(t) + 1 for t in texts], out=offset[1:])
    runs, plain = scanning.scan(codes, folded, classes, _TABLES)
    found = _put_in_spoken(plain, find_spoken_spans(folded))
    counts, values = _read_numbers(found, folded)
    keys = merging.hash_values(values)
    merged = merging.merge(runs, found, counts, keys, codes, folded, offset, WINDOW_TOKENS)
    return Tokens(
        count=len(texts),
        value=values,
        value_key=keys,
        value_first=np.concatenate(([0], np.cumsum(counts[counts > 0]))),
        joined=joined,
        offset=offset,
        codes=codes,
        classes=classes,
        **merged._asdict(),
    )


@lru_cache(maxsize=65_536)
def word_key(word: str) -> int:
    """The `word` hash of one word or character: for lexicons, through the same path as all text."""
    tokens = tokenize([word])
    if len(tokens.word) != 1:
        raise ValueError(f"{word!r} is {len(tokens.word)} tokens, not one")
    return int(tokens.word[0])


def value_keys(values: Sequence[float]) -> Keys:
    """The `key` of a number token that means each of `values`."""
    return merging.hash_values(np.array(values, dtype=np.float64))


def _put_in_spoken(written: scanning.Spans, spoken: Sequence[tuple[int, int]]) -> scanning.Spans:
    """Numbers as they are said replace what overlaps them: 下午三点 is a time, not 三."""
    if not spoken:
        return written
    begin, end = np.array(spoken, dtype=np.int64).T
    near = np.searchsorted(end, written.begin, side="right")
    apart = np.append(begin, np.iinfo(np.int64).max)[near] >= written.end
    begins = np.concatenate([written.begin[apart], begin])
    order = np.argsort(begins)
    none = np.zeros(len(begin))
    return scanning.Spans(
        begins[order],
        np.concatenate([written.end[apart], end])[order],
        np.concatenate([written.plain[apart], none > 0])[order],
        np.concatenate([written.value[apart], none])[order],
    )


def _read_numbers(found: scanning.Spans, folded: cp.Codes) -> tuple[Ints, Floats]:
    """How many values each number has (none: it is no number after all), and the values of all."""
    counts = np.ones(len(found.plain), dtype=np.int64)
    compound = np.flatnonzero(~found.plain)
    if not len(compound):
        return counts, found.value
    text = folded.tobytes().decode("utf-32-le", "surrogatepass")
    begins, ends = found.begin[compound].tolist(), found.end[compound].tolist()
    meant = [number_values(text[a:b]) for a, b in zip(begins, ends, strict=True)]
    counts[compound] = [len(m) for m in meant]
    plain = np.repeat(found.plain, counts)
    values = np.empty(len(plain))
    values[plain] = found.value[found.plain]
    values[~plain] = [v for m in meant for v in m]
    return counts, values
