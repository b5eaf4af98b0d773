"""Text of others on a terminal of ours."""

from __future__ import annotations


def printable(text: str) -> str:
    """One line that no terminal takes for a command."""
    return "".join(letter if letter.isprintable() else "·" for letter in " ".join(text.split()))


__all__ = ["printable"]
