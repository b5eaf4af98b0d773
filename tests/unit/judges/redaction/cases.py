"""How test cases of the finders are written and checked."""

from __future__ import annotations

from judges.redaction import redact


def taken(text: str) -> list[tuple[str, str]]:
    """What is taken out of a text: kind and value, in order."""
    return [(item.kind, text[item.start : item.end]) for item in redact(text).items]


def values(text: str, kind: str) -> list[str]:
    """The values of one kind."""
    return [value for found, value in taken(text) if found == kind]
