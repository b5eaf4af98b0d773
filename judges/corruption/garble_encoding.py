"""Text whose bytes were read wrongly: real encoders and decoders, no imitation."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from random import Random

_ROUTES = (
    ("utf-8", "latin-1"),
    ("utf-8", "cp1252"),
    ("utf-8", "gb18030"),
    ("utf-8", "big5"),
    ("utf-8", "shift_jis"),
    ("gb18030", "latin-1"),
    ("gb18030", "cp1252"),
    ("gb18030", "utf-8"),
    ("gb18030", "big5"),
    ("big5", "gb18030"),
    ("big5", "latin-1"),
)
"""(written as, read as) for text beyond ASCII."""
_PLAIN_ROUTES = (
    ("utf-8", "utf-16-le"),
    ("utf-8", "utf-16-be"),
    ("utf-16-le", "latin-1"),
    ("utf-16-be", "cp1252"),
    ("cp037", "latin-1"),
    ("cp037", "cp1252"),
)
"""ASCII survives most mistakes; it breaks where the width of a character, or EBCDIC, is mistaken."""
BEYOND_ASCII = 0.3


def misread(text: str, random: Random) -> str:
    """The text as a program shows it that guessed the wrong encoding.

    >>> misread("退款需要七天时间。", Random(2)) != "退款需要七天时间。"
    True
    """
    beyond = sum(ord(c) > 127 for c in text) >= BEYOND_ASCII * len(text)
    written, read = random.choice(_ROUTES if beyond else _PLAIN_ROUTES)
    return text.encode(written, errors="ignore").decode(read, errors="replace")


def show_glyphs(text: str, random: Random) -> str:
    """The text as a PDF gives it whose font does not say which characters its glyphs are.

    >>> show_glyphs("Hi", Random(1)).startswith("(cid:")
    True
    """
    style = random.choice(("(cid:{n})", "(cid:{n})", "/g{n}"))
    shift = random.randint(20, 400)
    return "".join(c if c.isspace() else style.format(n=(ord(c) + shift) % 1000) for c in text)


def shift_letters(text: str, random: Random) -> str:
    """The text as glyph numbers taken for characters: every letter a fixed distance off.

    >>> shift_letters("abc", Random(1)) == "abc"
    False
    """
    shift = random.choice((-29, 31, 61))
    return "".join(c if c.isspace() else _shifted(c, shift) for c in text)


def _shifted(character: str, shift: int) -> str:
    code = max(1, ord(character) + shift)
    return character if 0xD800 <= code < 0xE000 or code > sys.maxunicode else chr(code)


def escape(text: str, random: Random) -> str:
    r"""The text escaped once too often: \u9000\u6b3e, or bytes as \xe9\x80.

    >>> escape("退款", Random(1))
    '\\u9000\\u6b3e'
    """
    if text.isascii():
        style = random.choice(("\\x{n:02x}", "\\u{n:04x}", "&#{n};"))
        return "".join(c if c.isspace() else style.format(n=ord(c)) for c in text)
    if random.random() < 0.5:
        return json.dumps(text)[1:-1]
    return repr(text.encode("utf-8", "surrogatepass"))[2:-1]


def lose_characters(text: str, random: Random) -> str:
    """The text after a font or a codec dropped most of what it did not know.

    >>> set(lose_characters("退款需要七天", Random(1))) & set("□\ufffd?") != set()
    True
    """
    mark = random.choice(("\ufffd", "□", "\ufffd\ufffd"))
    kept = random.uniform(0.15, 0.4)
    return "".join(c if c.isspace() or random.random() < kept else mark for c in text)


def garble_encoding(text: str, random: Random) -> str:
    """One of the ways in which bytes and letters go wrong, the ones that change this text."""
    ways: tuple[Callable[[str, Random], str], ...] = (misread, misread, misread, lose_characters)
    garbled = random.choice(ways)(text, random)
    return garbled if garbled != text else lose_characters(text, random)
