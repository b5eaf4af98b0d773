"""Values that JSON allows and our tables do not, brought into a form that every part can carry."""

from __future__ import annotations

import math
from typing import Any, Final

MAX_DEPTH: Final = 100
"""Deeper values are left out: nobody reads them, and encoders give up on them."""
_INT_BITS: Final = 63


def tame(value: Any, *, keep_digits: bool = True, depth: int = 0) -> Any:
    """The same JSON value without lone surrogates, endless integers, or numbers that are not finite.

    Half a surrogate pair becomes U+FFFD, as decoders do. NaN and infinities become null, for they
    measure nothing. An integer beyond 64 bits becomes its digits as text, or null where text would not
    do (`keep_digits`).
    """
    if isinstance(value, str):
        return tame_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        fits = -(2**_INT_BITS) <= value < 2**_INT_BITS
        return value if fits else _digits(value) if keep_digits else None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (dict, list)) and depth >= MAX_DEPTH:
        return f"… nested deeper than {MAX_DEPTH}"
    if isinstance(value, dict):
        return {
            tame_text(str(key)): tame(item, keep_digits=keep_digits, depth=depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [tame(item, keep_digits=keep_digits, depth=depth + 1) for item in value]
    return value


def tame_text(text: str) -> str:
    """Text that can be encoded: each lone surrogate becomes U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _digits(value: int) -> str | None:
    try:
        return str(value)
    except ValueError:  # beyond what Python turns into text
        return None


__all__ = ["MAX_DEPTH", "tame", "tame_text"]
