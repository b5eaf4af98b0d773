"""Text as the rules read it: small letters, simplified characters, half-width punctuation, one length."""

from __future__ import annotations

from judges.distilled.measuring import codepoints as cp


def fold(text: str) -> str:
    """`text` in normal spelling, character for character, so that offsets stay right."""
    if text.isascii():
        return text.lower()
    return cp.FOLD[cp.encode(text)].astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")
