"""What is measured on a batch: claims against chunks, questions against chunks, answers against both.

One code path serves training and scoring. The texts of a part of a batch are tokenised once; every
comparison after that is a search in a small hash table (see `kernel`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judges.distilled.measuring.batch import Case
from judges.distilled.measuring.claim_measures import Measures, measure_claims
from judges.distilled.measuring.cover import Cover, cover_groups
from judges.distilled.measuring.overlap import find_matches
from judges.distilled.measuring.part import Part, read_part
from judges.distilled.measuring.shape import find_suspects
from judges.distilled.measuring.tokens import Bools
from judges.distilled.measuring.trace_measures import measure_traces


@dataclass(slots=True)
class Features:
    """Everything measured on one part of a batch."""

    part: Part
    cover: Cover
    """One entry a group; the claims come first."""
    claims: Measures
    """Further measures, one entry a claim."""
    traces: Measures
    """Further measures, one entry a case."""
    suspect: Bools
    """One flag a text: worth a close look by `garbled`."""


def measure(cases: Sequence[Case]) -> Features:
    """Measure one part of a batch (see `batch.split_cases`)."""
    part = read_part(cases)
    matches = find_matches(part)
    cover = cover_groups(part, matches)
    claims = measure_claims(part, cover, matches)
    traces, claims["echo"] = measure_traces(part, cover, matches)
    return Features(
        part=part,
        cover=cover,
        claims=claims,
        traces=traces,
        suspect=find_suspects(part.tokens),
    )
