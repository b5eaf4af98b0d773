"""What can go wrong for reasons outside the code, drawn as one tree.

RagpulseError
├── ServiceUnreachable   a broker or engine does not answer (exit code 3)
└── PartMissing          an optional part is not installed (exit code 2)
"""

from __future__ import annotations


class RagpulseError(Exception):
    """One sentence for people: what happened, where, which setting chose it, what to do next."""

    exit_code = 1


class ServiceUnreachable(RagpulseError):
    """A broker or an engine does not answer at its address."""

    exit_code = 3


class PartMissing(RagpulseError):
    """An optional part is not installed."""

    exit_code = 2


class SettingRefused(RagpulseError):
    """A setting that nothing can be done with."""

    exit_code = 2


__all__ = ["PartMissing", "RagpulseError", "ServiceUnreachable", "SettingRefused"]
