"""Texts of traces in lists: cut, and without what would tell who somebody is."""

from __future__ import annotations

from typing import Final

from judges.redaction import redact

READ: Final = 2_000
"""Characters that are read of a text: more than are shown, so that no number is cut before it is
recognised."""
SHOWN: Final = 280


def shown(text: object) -> str:
    """The beginning of a text, redacted."""
    clean = redact(str(text or "")).text
    return clean if len(clean) <= SHOWN else f"{clean[:SHOWN].rstrip()} …"


__all__ = ["READ", "SHOWN", "shown"]
