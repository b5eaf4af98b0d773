"""English words that have an opposite in some company only: `over` in over 50, `free` in is free."""

from __future__ import annotations

import re

_NOTHING = re.compile(r"(?!)")
_DEGREES = (
    r"(?= (?:expensive|common|likely|popular|efficient|effective|accurate|reliable|severe|stable|important"
    r"|difficult|complex|powerful|sensitive|frequent)(?:ly)?\b)"
)
_COUNTS = r"(?= (?:\d+|an?|two|three|five|seven|ten|thirty) )"
_FREE = r"free(?= (?:for|to)\b|[.,;]|$)"

PATTERNS_EN: tuple[tuple[re.Pattern[str], str, re.Pattern[str]], ...] = (
    (re.compile(r"\bover(?= [$€£]?\d)"), "under", re.compile(r"\bunder\b")),
    (re.compile(r"\bunder(?= [$€£]?\d)"), "over", re.compile(r"\bover\b")),
    (re.compile(rf"\bwithin{_COUNTS}"), "after", re.compile(r"\bafter\b")),
    (re.compile(rf"\bmore{_DEGREES}"), "less", _NOTHING),
    (re.compile(rf"\bless{_DEGREES}"), "more", _NOTHING),
    (re.compile(r"(?<=\d )or (?:more|above|older)\b"), "or less", _NOTHING),
    (re.compile(r"(?<=\d )or (?:less|fewer|below|younger)\b"), "or more", _NOTHING),
    (re.compile(rf"(?:(?<=\bis )|(?<=\bbe )|(?<=\bare )){_FREE}"), "paid", _NOTHING),
    (re.compile(r"\bfree of charge\b"), "subject to a charge", _NOTHING),
    (re.compile(r"(?:(?<=\bis )|(?<=\bbe )|(?<=\bare ))open\b(?! to)"), "closed", re.compile(r"\bclosed\b")),
    (re.compile(r"(?:(?<=\bis )|(?<=\bbe )|(?<=\bare ))closed\b"), "open", re.compile(r"\bopen\b")),
)
"""(pattern, what takes its place, what the sentence must not hold): words that need their company."""
