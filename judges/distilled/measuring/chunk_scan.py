"""One pass over the chunks of a part: where the words of each question stand, and how close together.

The content words of a question (at most `MAX_WORDS`) are bits of one number, so that what a stretch of
text holds of the question is an or of such numbers, and its weight a sum over bits.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from judges.distilled.kernel.compiled import compiled

MAX_WORDS: Final = 64
MAX_UNITS: Final = 128
_SLOTS: Final = 512
NEAR: Final = (16, 32, 64)
"""Tokens that a stretch may span."""
AROUND: Final = 16
"""Tokens on either side of the best stretch that are looked at for an answer."""
TITLE_CHARS: Final = 80
"""A title is shorter."""
_COLON, _WIDE_COLON, _SPACE, _NEWLINE = ord(":"), ord("："), ord(" "), ord("\n")
MAX_HITS: Final = 2_048
"""Of one chunk; what stands behind them is not looked at."""
LENGTH: Final = 120.0
"""Tokens of an ordinary passage, for BM25 (Robertson & Zaragoza 2009, with k1 = 1.2, b = 0.75)."""

COLUMNS: Final = (
    "weight", "words", "cover", "window", "window_next", "near16", "near32", "near64", "rarest",
    "rarest_near", "missing", "missing_near", "names", "names_held", "numbers", "numbers_held",
    "numbers_near", "run", "title", "title_share", "tokens", "numbers_around", "years_around",
    "capitals_around", "content_around", "place", "bm25", "rest_near", "hits",
)  # fmt: skip
"""What is measured of each chunk against the question: shares (0..1) of the question's weight held by the
chunk, by its best windows and by its best stretches; whether its weightiest word is there, and what the
weightiest missing one weighs (nats); its names and numbers and the share held; the longest run of words in
their order; the share that the title holds, and of the title that the question holds; the chunk's length,
what stands around the best stretch, and where that is (0..1); BM25; the share of what the title lacks."""


@compiled
def _weigh(mask: Any, weights: Any) -> Any:
    """The weight of the words whose bits are set."""
    total = 0.0
    at = 0
    while mask:
        if mask & np.uint64(1):
            total += weights[at]
        mask >>= np.uint64(1)
        at += 1
    return total


@compiled
def _pack_words(first: Any, last: Any, weight: Any, bit: Any, words: Any) -> Any:
    """Give the content tokens `first` … `last` a bit each; -1 for function words and what is too much."""
    count = 0
    for token in range(first, last):
        bit[token - first] = -1
        if weight[token] > 0 and count < MAX_WORDS:
            bit[token - first] = count
            words[count] = weight[token]
            count += 1
    return count


@compiled
def _list_units(begin: Any, end: Any, start: Any, key: Any, first: Any, last: Any, bit: Any, table: Any,
                unit_key: Any, unit_mask: Any) -> Any:  # fmt: skip
    """A hash table of the question's units; the same unit twice is one with the bits of both."""
    table[:] = -1
    count = 0
    for unit in range(begin, end):
        mask = np.uint64(0)
        for token in (first[unit], last[unit]):
            if token - start < len(bit) and bit[token - start] >= 0:
                mask |= np.uint64(1) << np.uint64(bit[token - start])
        if mask == np.uint64(0) or count == MAX_UNITS:
            continue
        slot = np.int64(key[unit] >> np.uint64(40)) % _SLOTS
        while table[slot] >= 0 and unit_key[table[slot]] != key[unit]:
            slot = (slot + 1) % _SLOTS
        if table[slot] < 0:
            table[slot] = count
            unit_key[count] = key[unit]
            unit_mask[count] = mask
            count += 1
        else:
            unit_mask[table[slot]] |= mask
    return count


@compiled
def _find_hits(begin: Any, end: Any, key: Any, last: Any, table: Any, unit_key: Any, unit_mask: Any,
               at: Any, mask: Any, which: Any) -> Any:  # fmt: skip
    """Tokens of a chunk where a unit of the question ends, with its bits, in reading order."""
    count = 0
    for unit in range(begin, end):
        slot = np.int64(key[unit] >> np.uint64(40)) % _SLOTS
        while table[slot] >= 0 and unit_key[table[slot]] != key[unit]:
            slot = (slot + 1) % _SLOTS
        found = table[slot]
        if found >= 0 and count < MAX_HITS:
            at[count] = last[unit]
            mask[count] = unit_mask[found]
            which[count] = found
            count += 1
    return count


@compiled
def _find_stretch(hits: Any, span: Any, at: Any, mask: Any, words: Any) -> Any:
    """The stretch of at most `span` tokens that holds most: its weight, its bits, first and last hit."""
    best = -1.0
    bits = np.uint64(0)
    low = high = 0
    for i in range(hits):
        held = np.uint64(0)
        j = i
        while j < hits and at[j] - at[i] < span:
            held |= mask[j]
            j += 1
        weight = _weigh(held, words)
        if weight > best + 1e-9:
            best, bits, low, high = weight, held, i, j - 1
    return max(best, 0.0), bits, low, high


@compiled
def _find_windows(hits: Any, at: Any, mask: Any, window: Any, words: Any) -> Any:
    """Weights of the best window and of the next."""
    best = following = 0.0
    i = 0
    while i < hits:
        here = window[at[i]]
        held = np.uint64(0)
        while i < hits and window[at[i]] == here:
            held |= mask[i]
            i += 1
        weight = _weigh(held, words)
        if weight > best:
            best, following = weight, best
        elif weight > following:
            following = weight
    return best, following


@compiled
def _score_bm25(hits: Any, mask: Any, words: Any, count: Any, length: Any, times: Any) -> Any:
    times[:count] = 0.0
    for i in range(hits):
        bits = mask[i]
        word = 0
        while bits:
            if bits & np.uint64(1):
                times[word] += 1.0
            bits >>= np.uint64(1)
            word += 1
    total = 0.0
    for word in range(count):
        if times[word] > 0:
            norm = 1.2 * (0.25 + 0.75 * length / LENGTH)
            total += words[word] * times[word] * 2.2 / (times[word] + norm)
    return total


@compiled
def _scan_chunk(first: Any, last: Any, title_end: Any, hits: Any, at: Any, mask: Any, which: Any,
                words: Any, named: Any, numeric: Any, count: Any, window: Any, weight: Any, number: Any,
                year: Any, capital: Any, times: Any, row: Any) -> None:  # fmt: skip
    """Fill the columns of one chunk, tokens `first` … `last`."""
    one = np.uint64(1)
    total = 0.0
    rarest = -1
    for word in range(count):
        total += words[word]
        if rarest < 0 or words[word] > words[rarest]:
            rarest = word
    safe = max(total, 1e-9)
    held = np.uint64(0)
    titled = np.uint64(0)
    run = longest = 0
    for i in range(hits):
        held |= mask[i]
        if at[i] < title_end:
            titled |= mask[i]
        follows = i > 0 and at[i] - at[i - 1] <= 3 and 0 < which[i] - which[i - 1] <= 2
        run = run + 1 if follows else 1
        longest = max(longest, run)
    row[0], row[1] = np.log1p(total), count
    row[2] = _weigh(held, words) / safe
    best, following = _find_windows(hits, at, mask, window, words)
    row[3], row[4] = best / safe, following / safe
    near, bits, low, high = _find_stretch(hits, NEAR[1], at, mask, words)
    row[5] = _find_stretch(hits, NEAR[0], at, mask, words)[0] / safe
    row[6] = near / safe
    row[7] = _find_stretch(hits, NEAR[2], at, mask, words)[0] / safe
    if rarest >= 0:
        row[8] = (held >> np.uint64(rarest)) & one
        row[9] = (bits >> np.uint64(rarest)) & one
    rest = rest_held = 0.0
    names = names_held = numbers = numbers_held = numbers_near = 0
    for word in range(count):
        bit = one << np.uint64(word)
        names += named[word]
        numbers += numeric[word]
        if held & bit:
            names_held += named[word]
            numbers_held += numeric[word]
        else:
            row[10] = max(row[10], words[word])
        if bits & bit:
            numbers_near += numeric[word]
        else:
            row[11] = max(row[11], words[word])
        if not titled & bit:
            rest += words[word]
            if bits & bit:
                rest_held += words[word]
    row[12], row[13] = names, names_held / names if names else 1.0
    row[14], row[15] = numbers, numbers_held / numbers if numbers else 1.0
    row[16] = numbers_near / numbers if numbers else 1.0
    row[17] = longest
    row[18] = _weigh(titled, words) / safe
    title = 0.0
    for token in range(first, title_end):
        title += weight[token]
    row[19] = min(row[18] * safe / title, 1.0) if title > 0 else 0.0
    row[20] = np.log1p(last - first)
    if hits:
        for token in range(max(first, at[low] - AROUND), min(last, at[high] + AROUND + 1)):
            row[21] += number[token]
            row[22] += year[token]
            row[23] += capital[token]
            row[24] += weight[token]
        row[24] /= safe
        row[25] = (at[low] - first) / max(1, last - first)
    row[26] = _score_bm25(hits, mask, words, count, last - first, times) / safe
    row[27] = rest_held / rest if rest > 0 else 1.0
    row[28] = np.log1p(hits)


@compiled
def end_titles(offset: Any, codes: Any, text_token: Any, start: Any) -> Any:
    """The token behind the title that each text opens with ("Aurora lamp: It is …"); its first one without.

    A title ends at the first line break, or colon with a space (a full-width one needs none).
    """
    ends = text_token[:-1].copy()
    for text in range(len(ends)):
        first = offset[text]
        for at in range(first + 1, min(first + TITLE_CHARS, offset[text + 1] - 1)):
            code = codes[at]
            spaced = code == _COLON and codes[at + 1] == _SPACE
            if spaced or code in (_NEWLINE, _WIDE_COLON):
                while ends[text] < text_token[text + 1] and start[ends[text]] < at - first:
                    ends[text] += 1
                break
    return ends


@compiled
def scan_chunks(asked: Any, chunk_first: Any, chunk_count: Any, text_token: Any, text_unit: Any,
                title_end: Any, key: Any, unit_first: Any, unit_last: Any, window: Any, weight: Any,
                named: Any, number: Any, year: Any, capital: Any, rows: Any) -> None:  # fmt: skip
    """Fill `rows` (float32, zeros, shape (chunks, len(COLUMNS))), the chunks of all cases in order.

    `asked` is the text that each case asks with; `text_token` and `text_unit` are bounds of the texts among
    the tokens and the units, `title_end` the token behind the title of each text.
    """
    bit = np.zeros(4_096, np.int64)
    words = np.zeros(MAX_WORDS)
    times = np.zeros(MAX_WORDS)
    names = np.zeros(MAX_WORDS, np.int64)
    numbers = np.zeros(MAX_WORDS, np.int64)
    table = np.zeros(_SLOTS, np.int64)
    unit_key = np.zeros(MAX_UNITS, np.uint64)
    unit_mask = np.zeros(MAX_UNITS, np.uint64)
    at = np.zeros(MAX_HITS, np.int64)
    mask = np.zeros(MAX_HITS, np.uint64)
    which = np.zeros(MAX_HITS, np.int64)
    row = 0
    for case in range(len(asked)):
        text = asked[case]
        first = text_token[text]
        last = min(text_token[text + 1], first + len(bit))
        count = _pack_words(first, last, weight, bit, words)
        for token in range(first, last):
            if bit[token - first] >= 0:
                names[bit[token - first]] = named[token]
                numbers[bit[token - first]] = number[token]
        _list_units(text_unit[text], text_unit[text + 1], first, key, unit_first, unit_last,
                    bit[: last - first], table, unit_key, unit_mask)  # fmt: skip
        for chunk in range(chunk_first[case], chunk_first[case] + chunk_count[case]):
            hits = _find_hits(text_unit[chunk], text_unit[chunk + 1], key, unit_last, table, unit_key,
                              unit_mask, at, mask, which)  # fmt: skip
            _scan_chunk(text_token[chunk], text_token[chunk + 1], title_end[chunk], hits, at, mask, which,
                        words, names, numbers, count, window, weight, number, year, capital, times,
                        rows[row])  # fmt: skip
            row += 1
