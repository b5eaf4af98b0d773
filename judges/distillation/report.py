"""The report on a candidate, as one JSON object: labels, split, measures by slice, what stands against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from judges.distillation.evaluate import Slice
from judges.distillation.examples import Example, Source
from judges.distillation.guards import Objection
from judges.distilled.heads.forest import logistic
from judges.distilled.heads.weights import Manifest
from judges.distilled.measuring.units import Floats

FORMAT: Final = 1
SHOWN: Final = 10
"""Traces named as contradicting what is plain."""


def describe(
    *,
    manifest: Manifest,
    examples: Sequence[Example],
    teaching: Sequence[Example],
    examining: Sequence[Example],
    cut: datetime | None,
    trees: int,
    slices: Sequence[Slice],
    canaries: Sequence[Slice],
    objections: Sequence[Objection],
    plain: Floats,
) -> dict[str, Any]:
    """Everything that is known of a candidate. `plain`: out-of-sample logits of the teaching examples."""
    return {
        "format": FORMAT,
        "version": manifest.version,
        "parent": manifest.parent,
        "made_at": manifest.made_at,
        "seed": manifest.seed,
        "labels": _count_labels(examples),
        "split": {
            "cut": cut.isoformat() if cut else None,
            "teaching": len(teaching),
            "examining": len(examining),
            "left_out": len(examples) - len(teaching) - len(examining),
        },
        "trees_added": trees,
        "slices": [s.as_json() for s in slices],
        "canaries": [s.as_json() for s in canaries],
        "promotion": {
            "allowed": not objections,
            "objections": [
                {"slice": o.slice, "sentence": o.sentence, "numbers": o.numbers} for o in objections
            ],
        },
        "contradictions": _contradictions(teaching, plain),
    }


def _count_labels(examples: Sequence[Example]) -> dict[str, Any]:
    said = Counter(e.label.hallucination for e in examples)
    sources = Counter(e.label.by for e in examples)
    return {
        "traces": len(examples),
        "hallucinated": said[True],
        "supported": said[False],
        "with_class_only": said[None],
        "by_source": {source.value: sources[source] for source in Source},
        "by_language": dict(sorted(Counter(e.language for e in examples).items())),
        "named": sorted({name for e in examples for name in e.label.who}),
        "by_both": sum(e.also is not None for e in examples),
    }


def _contradictions(teaching: Sequence[Example], plain: Floats) -> list[dict[str, Any]]:
    """The traces whose label disagrees most with a scorer that did not see it: worth a second look."""
    labels = np.array([float(bool(e.label.hallucination)) for e in teaching])
    chances = logistic(plain)
    order = np.argsort(-np.abs(chances - labels), kind="stable")[:SHOWN]
    return [
        {
            "trace_id": teaching[i].trace.trace_id,
            "label": "hallucinated" if labels[i] else "supported",
            "by": teaching[i].label.by.value,
            "chance": round(float(chances[i]), 4),
        }
        for i in order.tolist()
    ]


__all__ = ["describe"]
