"""The attributes of records among the chunks: what a JSON object, or a line `Key: yes`, says of each key.

Found by one pass over the characters, so that a record cut in the middle, or several in one chunk, are
read as far as they go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judges.distilled.kernel.compiled import compiled
from judges.distilled.measuring.batch import Role
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.tokens import Ints

ABSENT, FALSE, TRUE, VALUE, NODE = 0, 1, 2, 3, 4
"""What a key's value says: nothing (null, none), no, yes, something else (text, a number), more keys."""

MAX_KEY_CHARS = 60
MAX_DEPTH = 32


@dataclass(slots=True)
class Records:
    """Attributes in reading order, one entry each.

    `first`, `last`: the tokens of the key, `[first, last)`. `says`: one of the five above; a node that
    holds only yes and no says yes where one of them does. `parent`: the attribute it lies in, or -1.
    """

    first: Ints
    last: Ints
    says: Ints
    parent: Ints


def find_records(part: Part) -> Records:
    """Every attribute of every chunk of a part."""
    tokens = part.tokens
    role = np.asarray(part.layout.role)
    texts = np.flatnonzero(role == Role.CHUNK)
    begin, end = tokens.offset[texts], tokens.offset[texts + 1] - 1
    at, key_end, says, parent = _scan(tokens.codes, begin, end)
    position = tokens.offset[tokens.text] + tokens.start
    first = np.searchsorted(position, at)
    last = np.searchsorted(position, key_end)
    return Records(first, last, says, parent)


@compiled
def _skip(codes: Any, i: Any, end: Any) -> Any:
    while i < end and (codes[i] == 32 or codes[i] == 9 or codes[i] == 10 or codes[i] == 13):
        i += 1
    return i


@compiled
def _string_end(codes: Any, i: Any, end: Any, quote: Any) -> Any:
    """Where the string ends that begins behind `i`, or `end`."""
    while i < end:
        if codes[i] == 92:
            i += 1
        elif codes[i] == quote:
            return i
        i += 1
    return end


@compiled
def _spells(codes: Any, i: Any, end: Any, word: Any) -> Any:
    """Whether the lower-case `word` stands at `i`, in any case, and ends there."""
    n = len(word)
    if i + n > end:
        return False
    for j in range(n):
        code = codes[i + j]
        if 65 <= code <= 90:
            code += 32
        if code != word[j]:
            return False
    if i + n == end:
        return True
    code = codes[i + n]
    return not (48 <= code <= 57 or 65 <= code <= 90 or 97 <= code <= 122 or code >= 0x3400)


def _letters(*words: str) -> tuple[Any, ...]:
    return tuple(np.array([ord(c) for c in word], dtype=np.int64) for word in words)


_TRUE = _letters("true", "yes", "是", "有")
_FALSE = _letters("false", "no", "否")
_ABSENT = _letters("null", "none", "n/a", "nan", "无", "nil")


@compiled
def _read_word(codes: Any, i: Any, end: Any) -> Any:
    """What the word at `i` says, or -1."""
    for word in _TRUE:
        if _spells(codes, i, end, word):
            return TRUE
    for word in _FALSE:
        if _spells(codes, i, end, word):
            return FALSE
    for word in _ABSENT:
        if _spells(codes, i, end, word):
            return ABSENT
    return -1


@compiled
def _scan(codes: Any, begin: Any, end: Any) -> Any:
    size = 64
    at = np.empty(size, dtype=np.int64)
    key_end = np.empty(size, dtype=np.int64)
    says = np.empty(size, dtype=np.int64)
    parent = np.empty(size, dtype=np.int64)
    stack = np.empty(MAX_DEPTH, dtype=np.int64)
    n = 0
    for t in range(len(begin)):
        i, stop = begin[t], end[t]
        depth = 0
        pending = -1
        line = i  # where this line begins, or -1 once it cannot be `Key: value`
        while i < stop:
            code = codes[i]
            if code == 32 or 97 <= code <= 122 or 0x3400 <= code < 0xFF00:
                i += 1  # most of any text: nothing begins or ends here
                continue
            key_from, key_to, after = -1, -1, i
            if code == 34 or (code == 39 and depth > 0 and _opens(codes, begin[t], i)):
                close = _string_end(codes, i + 1, stop, code)
                after = _skip(codes, close + 1, stop)
                if depth > 0 and after < stop and codes[after] == 58 and close - i <= MAX_KEY_CHARS:
                    key_from, key_to = i + 1, close
                    after = _skip(codes, after + 1, stop)
                else:
                    i = close + 1
                    line = -1
                    continue
            elif code == 10 or code == 13:
                line = i + 1
            elif (
                (code == 58 or code == 0xFF1A) and depth == 0 and line >= 0 and 0 < i - line <= MAX_KEY_CHARS
            ):
                key_from, key_to = line, i
                after = _skip(codes, i + 1, stop)
                line = -1
                said = _read_word(codes, after, stop)
                if said < 0:  # only a plain yes or no makes a line a record
                    i += 1
                    continue
            elif code == 123 or code == 91:
                if depth < MAX_DEPTH:  # an object in a list lies in what the list lies in
                    stack[depth] = stack[depth - 1] if pending < 0 and depth > 0 else pending
                depth += 1
                pending = -1
                line = -1
            elif code == 125 or code == 93:
                depth = max(depth - 1, 0)
                pending = -1
            if key_from < 0:
                i += 1
                continue
            said = VALUE
            if after < stop:
                head = codes[after]
                if head == 123 or head == 91:
                    said = NODE
                elif head == 34 or head == 39:
                    close = _string_end(codes, after + 1, stop, head)
                    word = _read_word(codes, after + 1, close)
                    if word >= 0:
                        said = word
                    elif close == after + 1:
                        said = ABSENT
                    after = close + 1
                else:
                    word = _read_word(codes, after, stop)
                    if word >= 0:
                        said = word
            if n == size:
                size *= 2
                at, key_end = _grow(at, size), _grow(key_end, size)
                says, parent = _grow(says, size), _grow(parent, size)
            at[n], key_end[n], says[n] = key_from, key_to, said
            parent[n] = stack[min(depth, MAX_DEPTH) - 1] if depth > 0 else -1
            pending = n
            n += 1
            i = max(after, i + 1)
    _settle_nodes(says, parent, n)
    return at[:n], key_end[:n], says[:n], parent[:n]


@compiled
def _opens(codes: Any, begin: Any, i: Any) -> Any:
    """Whether a quote at `i` opens a string: behind a bracket, comma or colon."""
    j = i - 1
    while j >= begin and codes[j] == 32:
        j -= 1
    return j >= begin and (codes[j] == 123 or codes[j] == 91 or codes[j] == 44 or codes[j] == 58)


@compiled
def _grow(array: Any, size: Any) -> Any:
    bigger = np.empty(size, dtype=array.dtype)
    bigger[: len(array)] = array
    return bigger


@compiled
def _settle_nodes(says: Any, parent: Any, n: Any) -> None:
    """A node whose children say only yes, no or nothing says yes where one does, else no."""
    yes = np.zeros(n, dtype=np.int64)
    no = np.zeros(n, dtype=np.int64)
    other = np.zeros(n, dtype=np.int64)
    for i in range(n):
        p = parent[i]
        if p >= 0:
            yes[p] += says[i] == TRUE
            no[p] += says[i] == FALSE or says[i] == ABSENT
            other[p] += says[i] == VALUE or says[i] == NODE
    for i in range(n):
        if says[i] == NODE and other[i] == 0 and yes[i] + no[i] > 0:
            says[i] = TRUE if yes[i] else FALSE
