"""Two columns read as one, and Chinese that nobody wrote: judged by pairs of characters never seen."""

from __future__ import annotations

import re

import numpy as np

from judges.distilled.measuring import codepoints as cp
from judges.distilled.measuring.lexicon import STOP, word_flags
from judges.distilled.measuring.tokens import pair, tokenize
from judges.distilled.measuring.units import is_unseen

FEW_JOINTS, MANY_JOINTS = 4, 8
GLUED_SHARE = 0.6
"""Share of joints that are unheard of where there are few of them."""
GLUED_SHARE_HAN, GLUED_SHARE_EVEN = 0.45, 0.33
"""The same where there are many: between Chinese characters; between words, if lines are of one length."""
EVEN, EVEN_SHARE = 0.85, 0.75
MIN_LONG_WORDS = 2
UNKNOWN_SHARE, MANY_UNKNOWN_SHARE = 0.15, 0.22
"""Of the longer words of English prose, 2.5 % are unknown, and 13 % in one passage of twenty."""
MIN_CONTENT_WORDS, STOP_SHARE = 20, 0.25
"""With fewer words, or a smaller share of function words, a text is no prose that this can be said of."""
MIN_PAIRS = 12
UNHEARD_SHARE = 0.65
"""Misread Chinese has 70 % and more of its pairs never seen, real Chinese (classical, too) below 50 %."""
MAX_JOINTS = 60

_JOINT = re.compile(r"(?<![^\W\d_])([^\W\d_]++)[ \t]{0,4}\n[ \t]{0,4}([^\W\d_]+)")
_LONG_WORD = re.compile(r"\b[A-Za-z]{18,}\b")


def is_glued(text: str) -> bool:
    """Two columns read as one: lines break inside words, or inside pairs that no text contains."""
    if text.lstrip()[:1] in "{[#":
        return False
    if text.count("\n") >= FEW_JOINTS and _has_broken_joints(text):
        return True
    if not text.isascii():
        return False
    glued = sum(not w.isupper() for w in _LONG_WORD.findall(text))
    return glued >= MIN_LONG_WORDS and _share_of_unknown_words(text) >= MANY_UNKNOWN_SHARE


def is_unheard_of(text: str) -> bool:
    """Whether most pairs of neighbouring Chinese characters are such as no text contains."""
    tokens = tokenize([text])
    han = tokens.kind == cp.HAN
    second = np.flatnonzero(han[1:] & han[:-1] & tokens.adjacent[1:]) + 1
    if len(second) < MIN_PAIRS:
        return False
    return bool(is_unseen(pair(tokens.word[second - 1], tokens.word[second])).mean() >= UNHEARD_SHARE)


def _has_broken_joints(text: str) -> bool:
    broken = _find_broken_joints(text)
    if len(broken) < FEW_JOINTS:
        return False
    share = sum(broken) / len(broken)
    if len(broken) < MANY_JOINTS or share >= GLUED_SHARE:
        return share >= GLUED_SHARE
    if not text.isascii() and sum("\u3400" <= c <= "\u9fff" for c in text) * 2 > len(text):
        return share >= GLUED_SHARE_HAN
    if share < GLUED_SHARE_EVEN:
        return False
    return _has_even_lines(text) or _share_of_unknown_words(text) >= UNKNOWN_SHARE


def _share_of_unknown_words(text: str) -> float:
    """Share of the longer words of English prose that are unknown; 0 for anything else."""
    tokens = tokenize([text])
    words = tokens.kind == cp.LETTER
    stop = (word_flags(tokens) & STOP) > 0
    content = words & ~stop & ~tokens.capital & (tokens.end - tokens.start > 3)
    if content.sum() < MIN_CONTENT_WORDS or stop[words].mean() < STOP_SHARE:
        return 0.0
    return float(is_unseen(tokens.key[content]).mean())


def _has_even_lines(text: str) -> bool:
    """Most lines are nearly as long as the longest: a column cut at a width, no list and no verse."""
    lengths = [len(line) for line in text.split("\n") if line.strip()]
    return sum(n >= EVEN * max(lengths) for n in lengths) >= EVEN_SHARE * len(lengths)


def _find_broken_joints(text: str) -> list[bool]:
    """For each line that breaks in mid-sentence: is what it joins unheard of?

    Chinese: the pair of characters over the break. Otherwise: one half is no word that is known.
    """
    halves = [m.groups() for _, m in zip(range(MAX_JOINTS), _JOINT.finditer(text), strict=False)]
    if not halves:
        return []
    han = ["\u3400" <= a[-1] <= "\u9fff" and "\u3400" <= b[0] <= "\u9fff" for a, b in halves]
    tokens = tokenize([half for joint in halves for half in joint])
    first = tokens.text_token[:-1]
    last = tokens.text_token[1:] - 1
    if (last < first).any():
        return []
    ends, begins = last[0::2], first[1::2]
    unheard = is_unseen(pair(tokens.word[ends], tokens.word[begins]))
    known = ~is_unseen(tokens.key) | ((word_flags(tokens) & STOP) > 0)
    unknown = ~(known[ends] & known[begins])
    return [bool(u if h else k) for h, u, k in zip(han, unheard, unknown, strict=True)]
