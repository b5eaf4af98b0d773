"""The kinds of golden cases, as annotators, tables and files name them."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a case tries. A set is only worth something if it holds enough of each."""

    SINGLE_HOP = "single_hop"
    """One chunk holds the answer."""
    MULTI_HOP = "multi_hop"
    """It takes several chunks."""
    UNANSWERABLE = "unanswerable"
    """Nothing holds the answer: the right answer declines."""
    CONFLICTING = "conflicting"
    """Versions of one document contradict each other."""
    PERMISSION = "permission"
    """What the asker may see decides the answer."""
    LONG_DOCUMENT = "long_document"
    """The answer lies in a long stretch of text."""


__all__ = ["Kind"]
