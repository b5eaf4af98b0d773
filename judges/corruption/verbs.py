"""Common English verbs, by the forms that negation needs: third person and past, each to its base."""

from __future__ import annotations

from judges.corruption.bank import read_words

_BASES = read_words("verbs")
_IRREGULAR = {
    "become": "became",
    "begin": "began",
    "break": "broke",
    "bring": "brought",
    "build": "built",
    "buy": "bought",
    "choose": "chose",
    "come": "came",
    "die": "died",
    "fall": "fell",
    "find": "found",
    "fly": "flew",
    "get": "got",
    "give": "gave",
    "go": "went",
    "grow": "grew",
    "hold": "held",
    "keep": "kept",
    "know": "knew",
    "lead": "led",
    "leave": "left",
    "lose": "lost",
    "make": "made",
    "mean": "meant",
    "meet": "met",
    "pay": "paid",
    "rise": "rose",
    "run": "ran",
    "say": "said",
    "see": "saw",
    "sell": "sold",
    "send": "sent",
    "speak": "spoke",
    "spend": "spent",
    "take": "took",
    "teach": "taught",
    "tell": "told",
    "think": "thought",
    "win": "won",
    "write": "wrote",
}
_PAST_ONLY = read_words("past verbs")
_NOT_VERBS = {
    "states",
    "lists",
    "ends",
    "changes",
    "costs",
    "reports",
    "plays",
    "records",
    "tests",
    "updates",
    "returns",
}
"""Third persons that are plural nouns more often than verbs."""
_VOWELS = "aeiou"


def third_person(base: str) -> str:
    """The verb after he, she or it.

    >>> [third_person(v) for v in ("support", "apply", "reach", "go", "have", "be")]
    ['supports', 'applies', 'reaches', 'goes', 'has', 'is']
    """
    if base in ("have", "be"):
        return {"have": "has", "be": "is"}[base]
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def past(base: str) -> str:
    """The simple past.

    >>> [past(v) for v in ("win", "apply", "move", "stop", "open")]
    ['won', 'applied', 'moved', 'stopped', 'opened']
    """
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    if base in ("stop", "ban", "ship", "plan", "permit", "prefer", "occur", "refer", "log", "scan"):
        return base + base[-1] + "ed"
    return base + "ed"


PRESENT: dict[str, str] = {
    third_person(b): b for b in [*_BASES, *_IRREGULAR] if third_person(b) not in _NOT_VERBS
}
"""Third person to base: `supports` to `support`."""
_SAME_AS_BASE = {"cost", "reset", "found"}
PAST: dict[str, str] = {past(b): b for b in [*_BASES, *_IRREGULAR, *_PAST_ONLY] if b not in _SAME_AS_BASE}
PAST |= {"founded": "found"}
PAST = {p: b for p, b in PAST.items() if p not in ("listed", "limited", "used", "felt", "left", "named")}
"""Past to base: `won` to `win`; without those that are adjectives more often."""
