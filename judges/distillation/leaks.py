"""Does something that is no evidence give the label away? Then that is what would be learned, and praised.

Where a label came from may show in the trace: all bad answers of one release, ids that begin with `bad-`,
a label left under `extra`, answers that differ in length alone, a marker in the text. Each such field is
tried on its own. One that ranks the labels almost perfectly is a leak, whether or not today's features
look at it: the labels then tell how they were collected, not what is true.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from judges.distillation.examples import Example
from judges.distillation.metrics import Floats, Ints, auroc
from judges.distillation.refuse import LabelsRefused
from schemas.trace import Trace

GIVEN_AWAY: Final = 0.95
"""AUROC of a single field from which it gives the label away."""
_RARE: Final = 5
_MAX_TEXT: Final = 60
_EDGE: Final = 6
_MAX_WORDS: Final = 400
_ID_PARTS: Final = re.compile(r"[0-9a-f]{6,}|\d+", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+")

Value = str | float | None


@dataclass(frozen=True, slots=True)
class Leak:
    """A field, and how well it alone ranks the labels."""

    field: str
    auroc: float


def refuse_leaks(examples: Sequence[Example], clusters: Ints) -> None:
    """Raise LabelsRefused where a single field gives the label away."""
    leaks = find_leaks(examples, clusters)
    if leaks:
        worst = leaks[0]
        others = f" So do {', '.join(leak.field for leak in leaks[1:4])}." if leaks[1:] else ""
        raise LabelsRefused(
            f"{worst.field} gives the label away: it alone ranks hallucinated above supported traces with an "
            f"AUROC of {worst.auroc:.3f} ({GIVEN_AWAY} is the limit).{others} A scorer would learn how the "
            "labels were collected. Take labels for which it varies on both sides, or remove the field."
        )


def find_leaks(examples: Sequence[Example], clusters: Ints) -> list[Leak]:
    """Every field that gives the label away, the worst first."""
    known = [i for i, e in enumerate(examples) if e.label.hallucination is not None]
    labels = np.array([float(bool(examples[i].label.hallucination)) for i in known])
    halves = clusters[known] % 2
    columns: defaultdict[str, list[Value]] = defaultdict(lambda: [None] * len(known))
    for row, i in enumerate(known):
        for name, value in _fields(examples[i].trace):
            columns[name][row] = value
    found = [Leak(name, _rank(values, labels, halves)) for name, values in columns.items()]
    found += _rank_words([examples[i].trace for i in known], labels)
    return sorted((x for x in found if x.auroc >= GIVEN_AWAY), key=lambda x: (-x.auroc, x.field))


def _fields(trace: Trace) -> Iterator[tuple[str, Value]]:
    """Everything about a trace that is no evidence of whether its answer is right."""
    for name in ("app", "tenant", "environment", "intent", "language"):
        yield name, getattr(trace, name)
    yield "the form of trace_id", _ID_PARTS.sub("#", trace.trace_id)
    yield "the form of conversation_id", _ID_PARTS.sub("#", trace.conversation_id or "")
    yield "turn", _number(trace.turn)
    yield "having a rewritten_query", str(trace.rewritten_query is None)
    yield "length of history", float(len(trace.history))
    yield "length of question", float(len(trace.question or ""))
    yield "length of answer", float(len(trace.answer or ""))
    yield "how the answer begins", (trace.answer or "")[:_EDGE]
    yield "how the answer ends", (trace.answer or "")[-_EDGE:]
    for part in ("release", "generation", "feedback", "gold"):
        value = getattr(trace, part)
        yield f"having {part}", str(value is None)
        for key, inner in vars(value).items() if value is not None else ():
            yield f"{part}.{key}", _plain(inner)
    yield from _retrieval_fields(trace)
    yield from _extra_fields("extra", trace.unknown, 2)


def _retrieval_fields(trace: Trace) -> Iterator[tuple[str, Value]]:
    retrieval = trace.retrieval
    if retrieval is None:
        return
    for key in ("top_k", "min_score", "latency_ms", "error"):
        yield f"retrieval.{key}", _plain(getattr(retrieval, key))
    chunks = retrieval.chunks or []
    yield "number of chunks", float(len(chunks))
    yield "length of all chunks", float(sum(len(c.text or "") for c in chunks))
    yield "top score", max((c.score for c in chunks if c.score is not None), default=None)
    if chunks:
        yield "the form of chunk ids", _ID_PARTS.sub("#", chunks[0].id or "")
        yield "the form of doc ids", _ID_PARTS.sub("#", chunks[0].doc_id or "")


def _extra_fields(name: str, values: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Value]]:
    for key, value in list(values.items())[:50]:
        if isinstance(value, dict) and depth:
            yield from _extra_fields(f"{name}.{key}", value, depth - 1)
        else:
            yield f"{name}.{key}", _plain(value)


def _plain(value: Any) -> Value:
    number = _number(value)
    return number if number is not None else None if value is None else str(value)[:_MAX_TEXT]


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None


def _rank(values: Sequence[Value], labels: Floats, halves: Ints) -> float:
    """How well the field ranks the labels. Numbers by their order, the rest by what the other half says."""
    numbers = [v for v in values if isinstance(v, float)]
    if len(numbers) > len(values) / 2 and len(set(numbers)) > _RARE:
        known = np.array([isinstance(v, float) for v in values])
        ranked = _auroc(labels[known], np.array(numbers))
        return max(ranked, 1 - ranked)
    seen = Counter(values)
    if len(seen) < 2:
        return 0.5
    plain = [v if seen[v] >= _RARE else "(rare)" for v in values]
    scores = np.zeros(len(labels))
    for half in (0, 1):
        there, here = np.flatnonzero(halves != half), np.flatnonzero(halves == half)
        rates = _rates([plain[i] for i in there], labels[there])
        scores[here] = [rates.get(plain[i], rates[None]) for i in here]
    return _auroc(labels, scores)


def _rates(values: Sequence[Value], labels: Floats) -> dict[Value, float]:
    """The share of labels 1 by value, and under null where a value is not known."""
    total: Counter[Value] = Counter(values)
    ones: Counter[Value] = Counter(v for v, y in zip(values, labels, strict=True) if y)
    whole = float(labels.mean()) if len(labels) else 0.5
    return {v: (ones[v] + whole) / (n + 1) for v, n in total.items()} | {None: whole}


def _rank_words(traces: Sequence[Trace], labels: Floats) -> list[Leak]:
    """Words of the answer or question that stand in nearly all traces of one label, and of no other."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for row, trace in enumerate(traces):
        text = f"{(trace.question or '')[:4000]} {(trace.answer or '')[:4000]}".casefold()
        for word in set(_WORD.findall(text)):
            holders[word].append(row)
    leaks = []
    floor = 0.5 * min(labels.sum(), len(labels) - labels.sum())
    common = sorted((w for w, rows in holders.items() if len(rows) >= floor), key=lambda w: -len(holders[w]))
    for word in common[:_MAX_WORDS]:
        there = np.zeros(len(labels))
        there[holders[word]] = 1
        ranked = _auroc(labels, there)
        leaks.append(Leak(f"the word {word[:_MAX_TEXT]!r} in question or answer", max(ranked, 1 - ranked)))
    return leaks


def _auroc(labels: Floats, scores: Floats) -> float:
    if not 0 < labels.sum() < len(labels):
        return 0.5
    return float(auroc(labels, scores, np.ones((1, len(labels))))[0])


__all__ = ["GIVEN_AWAY", "Leak", "find_leaks", "refuse_leaks"]
