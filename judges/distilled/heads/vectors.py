"""Feature vectors of claims and of traces: what the forests look at, in training and in serving alike."""

from __future__ import annotations

import numpy as np

from judges.distilled.heads.forest import Rows, logistic
from judges.distilled.measuring.alignment import align, measure_alignment
from judges.distilled.measuring.attributes import ATTRIBUTES, measure_attributes
from judges.distilled.measuring.features import Features
from judges.distilled.measuring.style import STYLE, measure_clauses, measure_style
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats
from judges.distilled.rules import estimate_hallucination
from judges.distilled.support import measure_faults, score_support

CLAIM_FEATURES: tuple[str, ...] = (
    "any", "chunk", "pair", "window", "clause", "missing_weight", "missing_from_chunk",
    "runs2", "runs3", "runs4", "numbers", "numbers_unknown", "numbers_echoed", "numbers_far",
    "numbers_contradicted", "names", "names_unknown", "negations", "clause_negations", "window_negations",
    "opposites", "slot_breaks", "displaced", "denied", "affirmed", "missing", "missing_share",
    "heaviest_missing", "longest_gap", "echo", "tokens", "weight", "rules",
    "faults", "negation_differs", "recombined",
    "beside", "around", "run_length", "linked", "lonely", "loose", "loose_stretch", "no_kin", "astray",
    *ATTRIBUTES,
    "worst_clause", "clause_missing", "clauses", "hedges", "function_share", "capital_share",
    "place", "leap", "order", "left", "prior",
)  # fmt: skip
"""Columns of `claim_vectors`. `prior`: the logit against the claim by the rules."""

_OF_CLAIMS = (
    "any", "chunk", "window", "runs2", "runs3", "runs4", "beside", "run_length", "names_unknown",
    "missing_weight", "missing_share", "loose", "hedges", "function_share", "place",
)  # fmt: skip
"""Claim features whose mean over the claims a trace is given."""

JUDGED = (
    "worst", "second", "third", "mean", "weighted_mean", "none_bad", "bad", "doubted_share", "claims",
)  # fmt: skip
"""Columns of `trace_vectors` that the claim forest decides."""

TRACE_FEATURES: tuple[str, ...] = (
    *JUDGED,
    "rules",
    "prior",
    "short",
    "short_prior",
    "brief_prior",
    "most_faults",
    *(f"sum_{name}" for name in ATTRIBUTES),
    *(f"mean_{name}" for name in _OF_CLAIMS),
    *STYLE,
)  # fmt: skip
"""Columns of `trace_vectors`."""


def claim_vectors(features: Features) -> Rows:
    """What the claim forest sees: shape (claims, len(CLAIM_FEATURES)), no NaN."""
    part, cover, claims = features.part, features.cover, features.claims
    n = part.claims

    def share(found: str, whole: str, none: float) -> Floats:
        shares: Floats = np.divide(
            claims[found], claims[whole], out=np.full(n, none), where=claims[whole] > 0
        )
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
    }
    columns["rules"] = score_support(features)[0]
    columns["prior"] = -_logit(columns["rules"])
    columns |= measure_faults(features)
    columns |= measure_alignment(part, cover, align(part))
    columns |= measure_attributes(part)
    columns |= measure_clauses(part, cover)
    return _stack(columns, CLAIM_FEATURES, n)


def trace_vectors(features: Features, claim_logits: Floats, vectors: Rows | None = None) -> Rows:
    """What the trace forest sees: shape (cases, len(TRACE_FEATURES)), no NaN.

    `claim_logits`: what the claim forest makes of the claims, higher for unsupported; `vectors`: their
    vectors, where they are at hand.
    """
    vectors = claim_vectors(features) if vectors is None else vectors
    table = describe_traces(features, vectors)
    fill_judged(table, features.part.claim_first, vectors, claim_logits)
    return table


def describe_traces(features: Features, vectors: Rows) -> Rows:
    """The trace vectors as far as they do not depend on what the claim forest says; zeros for the rest.

    `vectors`: those of the claims. A case without claims has nothing but its style.
    """
    part = features.part
    cases, owner = len(part.cases), part.claim_case
    safe = np.maximum(np.diff(part.claim_first), 1)

    def add(name: str) -> Floats:
        of_claims = vectors[:, CLAIM_FEATURES.index(name)]
        return np.bincount(owner, of_claims, minlength=cases).astype(np.float64)

    columns: dict[str, Floats] = {f"sum_{name}": add(name) for name in ATTRIBUTES}
    columns |= {f"mean_{name}": add(name) / safe for name in _OF_CLAIMS}
    columns |= measure_style(part) | {name: np.zeros(cases) for name in JUDGED}
    support = vectors[:, CLAIM_FEATURES.index("rules")].astype(np.float64)
    columns["rules"] = estimate_hallucination(features, support)
    columns["prior"] = _logit(columns["rules"]) * (columns["records"] == 0)
    columns["short"] = 1.0 / (1.0 + (np.expm1(columns["answer_tokens"]) / SHORT_TOKENS) ** 4)
    several = np.clip(columns["chunks"] - 2.0, 0.0, 2.0) / 2.0
    columns["short_prior"] = columns["prior"] * columns["short"] * several
    brief = 1.0 / (1.0 + (np.expm1(columns["context_tokens"]) / BRIEF_TOKENS) ** 4)
    columns["brief_prior"] = columns["short_prior"] * brief
    columns["most_faults"] = np.zeros(cases)
    np.maximum.at(columns["most_faults"], owner, vectors[:, CLAIM_FEATURES.index("faults")])
    return _stack(columns, TRACE_FEATURES, cases)


def fill_judged(table: Rows, first: Ints, vectors: Rows, claim_logits: Floats) -> None:
    """Write into trace vectors, in place, what the claim forest says of the claims of each.

    `first`: the first claim of each case, and one past the last; `vectors`, `claim_logits`: of all claims.
    """
    cases = len(first) - 1
    owner = np.repeat(np.arange(cases), np.diff(first))
    count = np.maximum(np.diff(first), 1)
    bad = logistic(claim_logits)
    weight = vectors[:, CLAIM_FEATURES.index("weight")].astype(np.float64) + 1e-3

    def add(values: Floats | Bools) -> Floats:
        return np.bincount(owner, values, minlength=cases).astype(np.float64)

    worst, second, third = _find_highest(first, owner, claim_logits)
    columns = {
        "worst": worst,
        "second": second,
        "third": third,
        "mean": add(bad) / count,
        "weighted_mean": add(bad * weight) / np.maximum(add(weight), 1e-3),
        "none_bad": add(np.log1p(-np.minimum(bad, 0.999))),
        "bad": add(bad > 0.5),
        "doubted_share": add(bad > 0.3) / count,
        "claims": np.diff(first),
    }
    for name, values in columns.items():
        table[:, TRACE_FEATURES.index(name)] = values


LARGEST_LOGIT = 5.0
SHORT_TOKENS = 60.0
"""Tokens of a short reply. With several chunks that is what people ask an assistant for, and what labelled
data hardly hold: there the rules, made for such replies, count for more (`short_prior`)."""
BRIEF_TOKENS = 120.0
"""Tokens of a context that labelled data do not hold at all (they begin at about as many where there are
several chunks): there the rules count for most (`brief_prior`)."""


def _logit(chance: Floats) -> Floats:
    """Log odds, at most `LARGEST_LOGIT` either way."""
    safe = np.clip(chance, 1e-9, 1.0 - 1e-9)
    logits: Floats = np.clip(np.log(safe / (1.0 - safe)), -LARGEST_LOGIT, LARGEST_LOGIT)
    return logits


LEAST_LOGIT = -8.0
"""Of a claim that is not there."""


def _find_highest(first: Ints, owner: Ints, logits: Floats) -> Floats:
    """The three highest logits of each case: shape (3, cases)."""
    order = np.lexsort((-logits, owner))
    rank = np.arange(len(order)) - first[:-1][owner]
    top = np.full((3, len(first) - 1), LEAST_LOGIT)
    for place in range(3):
        mine = rank == place
        top[place, owner[mine]] = np.maximum(logits[order[mine]], LEAST_LOGIT)
    return top


def _stack(columns: dict[str, Floats], names: tuple[str, ...], rows: int) -> Rows:
    """The named columns side by side."""
    table = np.empty((rows, len(names)), dtype=np.float32)
    for place, name in enumerate(names):
        table[:, place] = columns[name]
    return table
