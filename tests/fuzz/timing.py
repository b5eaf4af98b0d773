"""How long a pattern takes for a text, and an end to it where it takes too long."""

from __future__ import annotations

import re
import time
from collections import deque
from random import Random
from typing import Any, Final

from tests.fuzz.attacks import Make, make_attacks
from tests.fuzz.patterns import Found
from tests.support.time_limit import no_longer_than

MEGABYTE: Final = 1_000_000
SMALL: Final = 2_000
"""Characters of a first look, which tells what is worth a megabyte: what is quadratic takes longest."""


def measure(found: Found, text: str, limit: float) -> float:
    """Seconds of processor time to go through a text. Raises TooSlow beyond the limit."""
    pattern: re.Pattern[Any] = found.pattern
    data: Any = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    began = time.process_time()
    with no_longer_than(limit, f"{found.place} {pattern.pattern!r:.200} on {text[:40]!r}…{text[-8:]!r}"):
        if "search" in found.methods:
            deque(pattern.finditer(data), maxlen=0)
        if "match" in found.methods:
            pattern.match(data)
        if "fullmatch" in found.methods:
            pattern.fullmatch(data)
    return time.process_time() - began


def worst_attacks(
    found: Found, tried: int | None, many: int, chance: Random, limit: float = 1.0
) -> list[Make]:
    """The attacks that took longest at a small size, of so many or (null) all that there are.

    Raises TooSlow where one is beyond the limit: what is exponential is.
    """
    attacks = make_attacks(found.pattern)
    if tried is not None and len(attacks) > tried:
        attacks = chance.sample(attacks, tried)
    timed = [(measure(found, make(SMALL), limit), make) for make in attacks]
    return [make for _, make in sorted(timed, key=lambda one: -one[0])[:many]]


__all__ = ["MEGABYTE", "measure", "worst_attacks"]
