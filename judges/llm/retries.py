"""When a failed request is tried again: after a wait that doubles, strays, and heeds the server's wish."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

FIRST_S: Final = 0.5
MOST_S: Final = 20.0
ASKED_MOST_S: Final = 60.0
"""A server may ask for so long a pause. Beyond it the question fails, and says when to come back."""


_MOST_DOUBLINGS: Final = 30


def doubling_s(failures: int, first_s: float, most_s: float, random: Callable[[], float]) -> float:
    """Seconds to wait after so many failures in a row (1 for the first): doubled each time, up to `most_s`.

    Between half and all of it, so that those who failed together do not come back together. `random` gives
    numbers in [0, 1).
    """
    step = first_s * 2.0 ** min(failures - 1, _MOST_DOUBLINGS)
    return min(most_s, step) * (0.5 + random() / 2)


@dataclass(slots=True, frozen=True)
class Backoff:
    """Waits between attempts. `random` gives numbers in [0, 1)."""

    random: Callable[[], float]
    first_s: float = FIRST_S
    most_s: float = MOST_S
    asked_most_s: float = ASKED_MOST_S

    def wait_s(self, failures: int, asked_s: float | None = None) -> float | None:
        """Seconds to wait after so many failures in a row (1 for the first); null for: do not.

        A doubling wait; what the server asked for is waited in full, and a little more, so that nobody comes
        back in step.
        """
        own = doubling_s(failures, self.first_s, self.most_s, self.random)
        if asked_s is None:
            return own
        if asked_s > self.asked_most_s:
            return None
        return max(own, asked_s + self.random() * min(1.0, self.first_s))


def retry_after_s(header: str | None, now: float) -> float | None:
    """Seconds from a Retry-After header: a number of seconds or an HTTP date (RFC 9110, 10.2.3).

    `now` is in seconds since 1970. Null where there is none that can be understood; never negative.
    """
    text = (header or "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = _until(text, now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(text: str, now: float) -> float:
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return math.nan
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now


__all__ = ["ASKED_MOST_S", "Backoff", "doubling_s", "retry_after_s"]
