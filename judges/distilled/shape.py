"""Cheap counts over every text of a batch: which ones are odd enough to be read closely."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judges.distilled import codepoints as cp
from judges.distilled.tokens import Bools, Tokens
from judges.distilled.units import is_unseen

_SPACE, _WORD, _ACCENTED, _GBK, _MARKUP, _DOTS, _SIGN, _ODD = range(8)
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
    text = np.repeat(np.arange(tokens.count), np.diff(tokens.offset))
    counts = np.bincount(text * 8 + _KINDS[tokens.codes], minlength=tokens.count * 8).reshape(-1, 8)
    letters = counts[:, [_WORD, _ACCENTED, _GBK]].sum(axis=1)
    visible = counts.sum(axis=1) - counts[:, _SPACE]
    suspect = counts[:, _ODD] > 0
    suspect |= counts[:, _MARKUP] * 12 > visible
    suspect |= counts[:, _ACCENTED] * 8 > visible
    suspect |= counts[:, _GBK] * 25 > visible
    suspect |= counts[:, _DOTS] * 8 > visible
    suspect |= letters * 2 < visible
    suspect |= counts[:, _SIGN] * 5 > visible
    flagged: Bools = suspect | _has_glued_lines(tokens) | _has_rare_characters(tokens)
    return flagged


def _has_rare_characters(tokens: Tokens) -> Bools:
    """Chinese characters that open text hardly ever has: bytes of another encoding look like that."""
    han = np.flatnonzero(tokens.kind == cp.HAN)
    rare = is_unseen(tokens.word[han])
    total = np.bincount(tokens.text[han], minlength=tokens.count)
    flagged: Bools = np.bincount(tokens.text[han], rare, minlength=tokens.count) * 5 > np.maximum(total, 8)
    return flagged


def _has_glued_lines(tokens: Tokens) -> Bools:
    """Lines that break in mid-sentence, or words too long to be words: columns read across."""
    codes, classes = tokens.codes, tokens.classes
    lines = np.flatnonzero(codes == ord("\n"))
    lines = lines[(lines > 0) & (lines < len(codes) - 1)]
    broken = lines[(classes[lines - 1] != cp.GAP) & (classes[lines + 1] != cp.GAP)]
    text = np.searchsorted(tokens.offset, broken, side="right") - 1
    many = np.bincount(text, minlength=tokens.count) >= MID_SENTENCE_BREAKS
    long = (tokens.kind == cp.LETTER) & (tokens.end - tokens.start >= LONG_WORD)
    words = np.bincount(tokens.text[long], minlength=tokens.count) >= 2
    flagged: Bools = many | words
    return flagged
