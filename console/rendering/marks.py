"""Where the claims of an answer stand, and where in the chunks their evidence is: as marks that lead to each
other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from console.queries.case import Evidence
from console.rendering.highlight import Mark

SUPPORTED: Final = 0.5
"""Support from which a claim counts as supported."""


def claim_marks(evidence: Sequence[Evidence], supported: str, unsupported: str) -> list[Mark]:
    """The claims in the answer, numbered from 1 in the order of `evidence`; the last two are words to be
    read out."""
    return [
        Mark(
            one.start,
            one.end,
            "supported" if is_supported(one) else "unsupported",
            f"{supported if is_supported(one) else unsupported} ({one.support:.2f})",
            number,
            name=f"claim-{number}",
            leads_to="" if one.chunk is None else f"evidence-{number}",
        )
        for number, one in enumerate(evidence, 1)
    ]


def evidence_marks(evidence: Sequence[Evidence], chunk: int) -> list[Mark]:
    """The passages of one chunk (by its place, from 0) that claims were held against."""
    return [
        Mark(
            one.chunk_start or 0,
            one.chunk_end or 0,
            "evidence" if is_supported(one) else "weak",
            "",
            number,
            name=f"evidence-{number}",
            leads_to=f"claim-{number}",
        )
        for number, one in enumerate(evidence, 1)
        if one.chunk == chunk
    ]


def is_supported(one: Evidence) -> bool:
    """Whether the best chunk supports it."""
    return one.support >= SUPPORTED


__all__ = ["SUPPORTED", "claim_marks", "evidence_marks", "is_supported"]
