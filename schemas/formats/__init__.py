"""Foreign bytes to traces. One message may hold no trace, one, or many; or a reason why not.

A format is a plain function ``decode(data: bytes) -> list[Decoded]``; it never raises on bad input.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.formats import own
from schemas.formats.base import REASONS, Decode, Decoded, Unreadable

FORMATS: dict[str, Decode] = {"auto": own.decode, "ragpulse": own.decode}
"""By the name that settings and `--format` use. `auto` looks at the bytes."""


def decoder(name: str, others: Iterable[str] = ()) -> Decode:
    """The format of that name. Raises ValueError, naming those that exist, and `others` that one may mean."""
    try:
        return FORMATS[name]
    except KeyError:
        known = ", ".join((*FORMATS, *others))
        raise ValueError(f"There is no format {name!r}: choose one of {known}.") from None


__all__ = ["FORMATS", "REASONS", "Decode", "Decoded", "Unreadable", "decoder"]
