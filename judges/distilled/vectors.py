"""Feature vectors of claims and of traces: what the forests look at, in training and in serving alike."""

from __future__ import annotations

import numpy as np

from judges.distilled.features import Features
from judges.distilled.forest import Rows, logistic
from judges.distilled.support import score_support
from judges.distilled.units import Floats

CLAIM_FEATURES: tuple[str, ...] = (
    "any", "chunk", "pair", "window", "clause", "missing_weight", "missing_from_chunk",
    "runs2", "runs3", "runs4", "numbers", "numbers_unknown", "numbers_echoed", "numbers_far",
    "numbers_contradicted", "names", "names_unknown", "negations", "clause_negations", "window_negations",
    "opposites", "slot_breaks", "displaced", "denied", "affirmed", "missing", "missing_share",
    "heaviest_missing", "longest_gap", "echo", "tokens", "weight", "rules",
)  # fmt: skip
"""Columns of `claim_vectors`."""

TRACE_FEATURES: tuple[str, ...] = (
    "worst", "second", "third", "mean", "weighted_mean", "noisy_or", "bad", "bad_share", "claims",
)  # fmt: skip
"""Columns of `trace_vectors`."""


def claim_vectors(features: Features) -> Rows:
    """What the claim forest sees: shape (claims, len(CLAIM_FEATURES)), no NaN."""
    n = features.part.claims
    cover, claims = features.cover, features.claims

    def share(part: str, whole: str, none: float) -> Floats:
        shares: Floats = np.divide(claims[part], claims[whole], out=np.full(n, none), where=claims[whole] > 0)
        return shares

    columns: dict[str, Floats] = {name: claims[name] for name in CLAIM_FEATURES if name in claims}
    columns |= {
        "any": cover.any[:n],
        "chunk": cover.chunk[:n],
        "pair": cover.pair[:n],
        "window": cover.window[:n],
        "clause": cover.clause[:n],
        "missing_weight": (1.0 - cover.any[:n]) * cover.total[:n],
        "missing_from_chunk": (1.0 - cover.chunk[:n]) * cover.total[:n],
        "runs2": share("runs2_seen", "runs2", 1.0),
        "runs3": share("runs3_seen", "runs3", 1.0),
        "runs4": share("runs4_seen", "runs4", 1.0),
        "missing_share": share("missing", "content", 0.0),
        "weight": cover.total[:n],
        "rules": score_support(features)[0],
    }
    return _stack(columns, CLAIM_FEATURES, n)


def trace_vectors(features: Features, claim_logits: Floats) -> Rows:
    """What the trace forest sees: shape (cases, len(TRACE_FEATURES)); zeros for a case without claims.

    `claim_logits`: the claim forest's score of each claim, higher for unsupported.
    """
    part = features.part
    cases, owner = len(part.cases), part.claim_case
    bad = logistic(claim_logits)
    weight = features.cover.total[: part.claims] + 1e-3
    count = np.diff(part.claim_first).astype(np.float64)
    safe = np.maximum(count, 1.0)
    order = np.lexsort((-bad, owner))
    rank = np.arange(len(order)) - part.claim_first[:-1][owner]
    top = np.zeros((3, cases))
    for place in range(3):
        mine = rank == place
        top[place, owner[mine]] = bad[order[mine]]
    total = np.bincount(owner, weight, minlength=cases)
    columns = {
        "worst": top[0],
        "second": top[1],
        "third": top[2],
        "mean": np.bincount(owner, bad, minlength=cases) / safe,
        "weighted_mean": np.bincount(owner, bad * weight, minlength=cases) / np.maximum(total, 1e-3),
        "noisy_or": 1.0 - np.exp(np.bincount(owner, np.log1p(-np.minimum(bad, 0.999)), minlength=cases)),
        "bad": np.bincount(owner, bad > 0.5, minlength=cases).astype(np.float64),
        "bad_share": np.bincount(owner, bad > 0.5, minlength=cases) / safe,
        "claims": count,
    }
    return _stack(columns, TRACE_FEATURES, cases)


def _stack(columns: dict[str, Floats], names: tuple[str, ...], rows: int) -> Rows:
    """The named columns side by side."""
    table = np.empty((rows, len(names)), dtype=np.float32)
    for place, name in enumerate(names):
        table[:, place] = columns[name]
    return table
