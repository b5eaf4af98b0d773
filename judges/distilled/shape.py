"""Cheap counts over every text of a batch: which ones are odd enough to be read closely."""

from __future__ import annotations

import numpy as np

from judges.distilled import codepoints as cp
from judges.distilled.tokens import Bools, Ints, Tokens

_ODD = cp.is_any("\ufffd\x7f" + "".join(map(chr, [*range(1, 9), 11, 12, *range(14, 32), *range(0x80, 0xA0)])))
_ODD[0xE000:0xF900] = True
_MARKUP = cp.is_any("<>\\&|$□¦│┃{}_~^#*+=%@")
_ACCENTED = np.zeros(cp.SIZE, dtype=np.bool_)
_ACCENTED[0xA0:0x100] = True
_GBK_SIGNS = cp.is_any("銆锛鈥鐨鍙浜锟斤拷")
_DOTS = cp.is_any("._…")

MID_SENTENCE_BREAKS = 4
LONG_WORD = 18


def find_suspects(tokens: Tokens) -> Bools:
    """Texts whose characters are unusual enough for `garbled` to look at: one flag a text.

    Meant to let nothing broken pass: about one ordinary text in ten is flagged too.
    """
    codes, offset = tokens.codes, tokens.offset[:-1]

    def count(mask: Bools) -> Ints:
        return np.add.reduceat(mask.astype(np.int32), offset).astype(np.int64)

    letters = count(tokens.classes != cp.GAP)
    visible = count(codes > 32)
    odd = count(_ODD[codes])
    markup = count(_MARKUP[codes])
    accented = count(_ACCENTED[codes])
    gbk = count(_GBK_SIGNS[codes])
    dots = count(_DOTS[codes])
    suspect = (odd > 0) | (markup * 12 > visible) | (accented * 8 > visible) | (gbk * 25 > visible)
    suspect |= (letters * 2 < visible) | (dots * 8 > visible)
    return suspect | _has_glued_lines(tokens)


def _has_glued_lines(tokens: Tokens) -> Bools:
    """Lines that break in mid-sentence, or words too long to be words: columns read across."""
    codes, classes = tokens.codes, tokens.classes
    breaks = np.zeros(len(codes), dtype=np.bool_)
    lines = np.flatnonzero(codes == 10)
    lines = lines[(lines > 0) & (lines < len(codes) - 1)]
    breaks[lines] = (classes[lines - 1] != cp.GAP) & (classes[lines + 1] != cp.GAP)
    many = np.add.reduceat(breaks.astype(np.int32), tokens.offset[:-1]) >= MID_SENTENCE_BREAKS
    long = (tokens.kind == cp.LETTER) & (tokens.end - tokens.start >= LONG_WORD)
    words = np.bincount(tokens.text[long], minlength=tokens.count) >= 2
    return many | words
