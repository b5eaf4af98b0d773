"""The weakest claims of an answer, each with the passage that comes nearest to saying it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judges.distilled.measuring.features import Features
from judges.distilled.measuring.units import Floats
from schemas.scored import Claim

EVIDENCE_CLAIMS = 3


def find_weakest(features: Features, i: int, support: Floats, reasons: Sequence[str]) -> list[Claim]:
    """Up to `EVIDENCE_CLAIMS` claims of case `i`, the least supported first."""
    first, last = features.part.claim_first[i : i + 2].tolist()
    order = np.argsort(support[first:last], kind="stable")[:EVIDENCE_CLAIMS] + first
    return [_describe(features, i, k, float(support[k]), reasons[k]) for k in order.tolist()]


def _describe(features: Features, i: int, k: int, support: float, why: str) -> Claim:
    part = features.part
    case = part.cases[i]
    span = case.claims[k - int(part.claim_first[i])]
    text = (case.trace.answer or "")[span.start : span.end]
    claim = Claim(text=text, start=span.start, end=span.end, support=support, why=why)
    window = int(features.cover.best_window[k])
    if window >= 0:
        tokens = part.tokens
        place = part.layout.place[int(tokens.window_text[window])]
        first, last = np.searchsorted(tokens.window, [window, window + 1]).tolist()
        claim.chunk_start, claim.chunk_end = int(tokens.start[first]), int(tokens.end[last - 1])
        if case.chunk_index[place] >= 0:
            claim.chunk = case.chunk_index[place]
            claim.chunk_id = _chunk_id(features, i, claim.chunk)
    return claim


def _chunk_id(features: Features, i: int, chunk: int) -> str | None:
    retrieval = features.part.cases[i].trace.retrieval
    return retrieval.chunks[chunk].id if retrieval and retrieval.chunks else None
