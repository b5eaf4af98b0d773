"""Cheap counts over every text of a batch: which ones are odd enough to be read closely."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel.looking import count_characters, count_odd_tokens
from judges.distilled.measuring import codepoints as cp
from judges.distilled.measuring.tokens import Bools, Tokens
from judges.distilled.measuring.units import IDF_SHIFT, read_idf

_SPACE, _WORD, _ACCENTED, _GBK, _MARKUP, _DOTS, _SIGN, _ODD = range(8)
_BREAKS = 8
"""Column of the lines that break in mid-sentence."""
MID_SENTENCE_BREAKS = 4
LONG_WORD = 18


def _build_kinds() -> npt.NDArray[np.uint8]:
    """What each code point is for the purpose of counting."""
    kinds = np.full(cp.SIZE, _SIGN, dtype=np.uint8)
    kinds[cp.CLASS != cp.GAP] = _WORD
    kinds[:33] = kinds[0xA0] = kinds[0x3000] = _SPACE
    kinds[0xA1:0x100] = _ACCENTED
    kinds[cp.is_any("<>\\&|$□¦│┃{}~^#*+=%@")] = _MARKUP
    kinds[cp.is_any("._…")] = _DOTS
    kinds[cp.is_any("銆锛鈥鐨鍙浜锟斤拷")] = _GBK
    kinds[[0xFFFD, 0x7F, *range(1, 9), 11, 12, *range(14, 32), *range(0x80, 0xA0)]] = _ODD
    kinds[0xE000:0xF900] = _ODD
    return kinds


_KINDS = _build_kinds()


def find_suspects(tokens: Tokens) -> Bools:
    """Texts whose characters are unusual enough for `garbled` to look at: one flag a text.

    Meant to let nothing broken pass; some ordinary texts are flagged too.
    """
    counts = count_characters(tokens.codes, tokens.classes, tokens.offset, _KINDS, _BREAKS)
    letters = counts[:, [_WORD, _ACCENTED, _GBK]].sum(axis=1)
    visible = counts[:, :_BREAKS].sum(axis=1) - counts[:, _SPACE]
    suspect = counts[:, _ODD] > 0
    suspect |= counts[:, _MARKUP] * 12 > visible
    suspect |= counts[:, _ACCENTED] * 8 > visible
    suspect |= counts[:, _GBK] * 25 > visible
    suspect |= counts[:, _DOTS] * 8 > visible
    suspect |= letters * 2 < visible
    suspect |= counts[:, _SIGN] * 5 > visible
    suspect |= counts[:, _BREAKS] >= MID_SENTENCE_BREAKS
    flagged: Bools = suspect | _has_odd_words(tokens)
    return flagged


def _has_odd_words(tokens: Tokens) -> Bools:
    """Chinese characters that open text hardly ever has (bytes of another encoding look like that), or words
    too long to be words (columns read across)."""
    t, table = tokens, read_idf()
    counts = count_odd_tokens(
        t.text, t.start, t.end, t.kind, t.word, t.count, table.steps, IDF_SHIFT, table.unseen, LONG_WORD
    )
    flagged: Bools = (counts[:, 1] * 5 > np.maximum(counts[:, 0], 8)) | (counts[:, 2] >= 2)
    return flagged
