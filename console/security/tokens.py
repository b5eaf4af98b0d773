"""Tokens: what people log in with. Only their hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from console.config import Token

LONGEST: Final = 1_024
"""Characters of a token; longer ones are none."""


def hash_token(token: str) -> str:
    """SHA-256 in hex. Tokens are long and random, so that no slow hash is needed."""
    return hashlib.sha256(token.strip().encode("utf-8", "surrogatepass")).hexdigest()


def make_token() -> str:
    """A new token of 256 random bits."""
    return secrets.token_urlsafe(32)


def find_token(given: str, known: Iterable[Token]) -> Token | None:
    """The token that this is, or null. Takes as long whichever it is, and whether it is any."""
    if len(given) > LONGEST:
        given = ""
    hashed = hash_token(given).encode()
    found = None
    for token in known:
        if hmac.compare_digest(hashed, token.sha256.lower().encode()):
            found = token
    return found


__all__ = ["find_token", "hash_token", "make_token"]
