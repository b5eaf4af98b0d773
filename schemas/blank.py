"""Text that looks empty, and text that says nothing: white space, what nobody can see, marks alone."""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    "[\\s\u00ad\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u3164\ufeff\uffa0]*"
)
_SPOKEN = re.compile(r"[^\W_]")


def is_blank(text: str | None) -> bool:
    """Whether there is nothing to read: null, empty, white space, zero-width characters."""
    return not text or _INVISIBLE.fullmatch(text) is not None


def is_wordless(text: str | None) -> bool:
    """Whether there is no letter and no digit of any script in it: a question of "???" asks nothing."""
    return not text or _SPOKEN.search(text) is None
