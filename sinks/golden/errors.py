"""What the store of golden sets says no to: each message is one sentence for people."""

from __future__ import annotations


class NoSuchGoldenSet(Exception):
    """There is no set of that name, or no such version of it, or more than one that begins so."""


class GoldenSetDamaged(Exception):
    """The cases in the store are not those that the version was made of."""


__all__ = ["GoldenSetDamaged", "NoSuchGoldenSet"]
