"""Foreign bytes to traces. One message may hold no trace, one, or many; or a reason why not.

A format is a plain function ``decode(data: bytes) -> list[Decoded]``; it never raises on bad input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schemas.trace import LateFeedback, Trace


@dataclass(slots=True, frozen=True)
class Unreadable:
    """Bytes that are no trace: a stable `reason` for counting, and a `detail` for people."""

    reason: str
    detail: str


Decoded = Trace | LateFeedback | Unreadable
Decode = Callable[[bytes], list[Decoded]]

__all__ = ["Decode", "Decoded", "Unreadable"]
