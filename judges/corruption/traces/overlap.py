"""How much two texts share, by content words and pairs of Chinese characters. Small and slow is enough."""

from __future__ import annotations

import re
from functools import lru_cache

from judges.corruption.bank import read_words

_UNIT = re.compile(r"[a-z0-9]+(?:[.,'-][a-z0-9]+)*|[\u3400-\u9fff]+")
_STOP = frozenset(read_words("stop"))


@lru_cache(maxsize=8_192)
def units(text: str) -> frozenset[str]:
    """Content words of three letters and more, numbers, and pairs of neighbouring Chinese characters.

    >>> sorted(units("The lamp costs 30 euros, 三十元"))
    ['30', 'costs', 'euros', 'lamp', '三十', '十元']
    """
    found: set[str] = set()
    for match in _UNIT.finditer(text.lower()):
        word = match[0]
        if word[0] >= "\u3400":
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif (len(word) > 2 and word not in _STOP) or word[0].isdigit():
            found.add(word)
    return frozenset(found)


def coverage(wanted: str, text: str) -> float:
    """Share of the units of `wanted` that `text` holds, 0..1; 0 where there is nothing to look for.

    >>> coverage("lamp price", "The lamp is red.")
    0.5
    """
    sought = units(wanted)
    return len(sought & units(text)) / len(sought) if sought else 0.0
