"""Measures as queries may count them: what lies outside 0..1 is no measurement.

A column holds whatever was once written to it, by other programs too; and NaN is a number to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MEASURES: Final = (
    "faithfulness",
    "hallucination",
    "answer_relevance",
    "context_relevance",
    "context_sufficiency",
    "citation_precision",
)
"""Those that tables `traces`, `scores` and `verdicts` share; each is in 0..1, or null."""

GOLD_MEASURES: Final = ("hit_at_k", "mrr", "recall_at_k", "ndcg")
"""Those of table `traces` alone, where a trace names what should have been found."""


def measured(column: str) -> str:
    """SQL for a column where it lies in 0..1; null where it does not."""
    return f"if({column} BETWEEN 0 AND 1, {column}, NULL)"


def all_measured(columns: Iterable[str] = MEASURES) -> str:
    """SQL for these columns, each under its own name: between commas, or in `* REPLACE (…)`."""
    return ", ".join(f"{measured(column)} AS {column}" for column in columns)


__all__ = ["GOLD_MEASURES", "MEASURES", "all_measured", "measured"]
