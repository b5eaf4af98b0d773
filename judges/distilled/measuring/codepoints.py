"""What each character is, and which character it counts as: two tables, looked up by code point.

`FOLD` maps a code point to the one it is compared as: full-width to ASCII, capitals to small letters,
accented Latin to plain, traditional to simplified Chinese. `CLASS` says what a folded code point is.
With both, a batch of texts is normalised and split in one pass of look-ups, and Chinese and English take
the same path.
"""

from __future__ import annotations

import unicodedata
from importlib.resources import files

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint32]

GAP, LETTER, DIGIT, HAN, APOSTROPHE = 0, 1, 2, 3, 4
"""Classes. `HAN` holds every script that is read character by character (kana and hangul too)."""

SIZE = 0x32400
_HAN_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_SYLLABLE_RANGES = ((0x3040, 0x30FF), (0x1100, 0x11FF), (0xAC00, 0xD7AF))
_TRADITIONAL_FILE = "traditional.txt"


def _read_traditional() -> list[tuple[int, int]]:
    text = files("judges.distilled").joinpath("data", _TRADITIONAL_FILE).read_text(encoding="utf-8")
    return [(ord(line[0]), ord(line[1])) for line in text.splitlines() if len(line) == 2]


def _fold_character(character: str) -> str:
    """The single character that `character` is compared as; itself where there is no single one."""
    if unicodedata.category(character) == "No":  # ① and ² are marks beside a text, not its numbers
        return character
    folded = unicodedata.normalize("NFKC", character).lower()
    if len(folded) != 1:
        return character
    base = unicodedata.normalize("NFD", folded)[0]
    return base if base.isascii() and base.isalpha() else folded


def _build() -> tuple[Codes, npt.NDArray[np.uint8]]:
    fold = np.arange(SIZE, dtype=np.uint32)
    kind = np.zeros(SIZE, dtype=np.uint8)
    plain = [c for c in range(0x80, 0x3400) if not 0xD800 <= c < 0xE000] + list(range(0xA000, 0xAC00))
    plain += list(range(0xF900, 0x10000)) + list(range(0x1D400, 0x1D800)) + list(range(0x80))
    for code in plain:
        fold[code] = ord(_fold_character(chr(code)))
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            kind[code] = LETTER
        elif category == "Nd":
            kind[code] = DIGIT
            fold[code] = ord("0") + unicodedata.decimal(chr(code))
    for low, high in (*_HAN_RANGES, *_SYLLABLE_RANGES):
        kind[low : high + 1] = HAN
    kind[[0x3005, 0x3007]] = HAN
    kind[[ord(c) for c in "½¼¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘"]] = HAN  # each stands alone, and is a number
    for traditional, simplified in _read_traditional():
        if traditional < SIZE and simplified < SIZE:
            fold[traditional] = simplified
    for quote in "'’ʼ＇":
        fold[ord(quote)] = ord("'")
        kind[ord(quote)] = APOSTROPHE
    kind = kind[fold]
    return fold, kind


FOLD, CLASS = _build()


def is_any(characters: str) -> npt.NDArray[np.bool_]:
    """A table over code points: true for those in `characters`."""
    table = np.zeros(SIZE, dtype=np.bool_)
    table[[ord(c) for c in characters]] = True
    return table


def encode(text: str) -> Codes:
    """Code points of `text` as uint32, clipped to the table; lone surrogates pass through."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return np.minimum(codes, SIZE - 1)
