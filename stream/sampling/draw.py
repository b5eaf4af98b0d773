"""The number of a trace."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

_HASH_BYTES: Final = 8
_HASH_RANGE: Final = float(2 ** (8 * _HASH_BYTES))


def draw(trace_id: str, salt: str) -> float:
    """The number of a trace, in [0, 1): uniform over traces, the same on every machine."""
    digest = blake2b(
        trace_id.encode(errors="surrogatepass"), digest_size=_HASH_BYTES, key=salt.encode()[:64]
    ).digest()
    return int.from_bytes(digest) / _HASH_RANGE


__all__ = ["draw"]
