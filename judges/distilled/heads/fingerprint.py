"""What the learned heads look at: the one place where every feature vector is named.

A forest knows its columns by number alone, so weights are only good for the columns that they were
fitted on. `fingerprint` names those columns, and the weights carry it.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from judges.distilled.heads import classes, sufficiency
from judges.distilled.heads.chunk_vectors import CHUNK_FEATURES
from judges.distilled.heads.class_vectors import CLASS_FEATURES
from judges.distilled.heads.vectors import CLAIM_FEATURES, TRACE_FEATURES

FEATURES_REVISION = 1
"""Raised when a feature keeps its name and changes its meaning."""

HEADS: Mapping[str, tuple[str, ...]] = {
    "claim": CLAIM_FEATURES,
    "trace": TRACE_FEATURES,
    **{sufficiency.forest_name(language): CHUNK_FEATURES for language in sufficiency.LANGUAGES},
    **{classes.forest_name(name): CLASS_FEATURES for name in classes.CLASSES},
}
"""The columns of each head, in order."""


def fingerprint(heads: Mapping[str, tuple[str, ...]] = HEADS, revision: int = FEATURES_REVISION) -> str:
    """A checksum over the names of all columns, in order, and the revision."""
    lines = [f"revision {revision}"]
    lines += [f"{head}: {' '.join(columns)}" for head, columns in sorted(heads.items())]
    return sha256("\n".join(lines).encode()).hexdigest()
