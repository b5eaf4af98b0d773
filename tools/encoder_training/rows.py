"""Training pairs for the encoder judge, from labelled rows whose licence lets weights ship.

Two kinds: a single pair (claim, window, supported or not), and twins: two claims about one window that
differ in little, the first supported and the second not. Twins teach what changes a meaning and what does
not. They come from people who edited one summary in many ways (SummEdits), from writers who made true and
false claims about one passage (Fool me twice), and from controlled corruption of supported claims.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import Any

from judges.corruption import Kind, corrupt
from judges.distilled.measuring.batch import Case, read_case
from judges.encoder.pairs import word_claim
from judges.encoder.windows import Passages
from schemas.trace import Trace

Row = dict[str, Any]

UNUSED = ("halueval_qa", "halueval_summarization")
"""In the former, length gives the label away; in the latter, no claim is marked."""
TWINNED = frozenset(
    {"ragtruth", "ragtruth_extra", "citecheck", "uhgeval", "begin_wow", "begin_cmu-dog", "fool_me_twice"}
)
"""Sources whose supported claims are corrupted."""
WITHIN = tuple(kind for kind in Kind if kind is not Kind.INVENTION)
"""Corruptions within a sentence; an added sentence would be a claim of its own."""
ALIKE = 0.55
"""Claims of one group with at least this ratio of matching characters are twins."""


@dataclass(frozen=True, slots=True)
class Example:
    """One window and what is claimed of it. `good` or `bad` is null in a single pair."""

    source: str
    window: str
    good: str | None
    bad: str | None


def read_rows(folder: Path, split: str) -> list[Row]:
    """The rows of one split that may be used for weights that ship."""
    with gzip.open(folder / "faithfulness.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [r for r in rows if r["train_ok"] and r["split"] == split]


def as_case(row: Row) -> Case:
    """A row as the scorers read a trace."""
    trace = Trace.model_validate(
        {
            "trace_id": row["id"],
            "question": row["question"] or "",
            "answer": row["answer"],
            "retrieval": {"chunks": [{"text": text} for text in row["contexts"]]},
        }
    )
    return read_case(trace)


def make_examples(rows: Sequence[Row], folder: Path, random: Random) -> list[Example]:
    """All training examples, in a fixed order for a given state of `random`."""
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_source[row["source"]].append(row)
    found: list[Example] = []
    for source, mine in sorted(by_source.items()):
        if source.startswith("summedits"):
            found += compare_edits(source, mine)
        elif source in ("fool_me_twice", "halueval_dialogue"):
            found += compare_claims(source, mine)
        elif source not in UNUSED:
            found += list_claims(source, mine)
        if source in TWINNED:
            found += corrupt_claims(source, mine, random)
    found += corrupt_passages(folder, random)
    return found


def compare_edits(source: str, rows: Sequence[Row]) -> Iterator[Example]:
    """Sentences of edited summaries: those in a consistent summary are supported; one that only
    inconsistent summaries have is not, and its twin is the supported sentence that it resembles most."""
    for cases in _by_group(rows):
        passages = Passages(cases[0][1].chunks)
        good = {s for row, case in cases if not row["label"] for s in _claims(case)}
        bad = [fresh for row, case in cases if row["label"] and (fresh := _fresh(case, good))]
        blamed = {sentences[0] for sentences in bad if len(sentences) == 1}
        for sentence in sorted(blamed):
            twin = _most_alike(sentence, good)
            yield Example(source, passages.window(sentence), twin, sentence)
        for sentence in sorted(good):
            yield Example(source, passages.window(sentence), sentence, None)


def compare_claims(source: str, rows: Sequence[Row]) -> Iterator[Example]:
    """Rows of one claim: each that is refuted with the most similar supported one of its page."""
    for cases in _by_group(rows):
        single = [(row, case) for row, case in cases if len(case.claims) == 1]
        good = {_claims(case)[0]: case for row, case in single if not row["label"]}
        used: set[str] = set()
        for row, case in single:
            claim = _claims(case)[0]
            if not row["label"]:
                continue
            same = [g for g, other in good.items() if set(other.chunks) & set(case.chunks)]
            twin = _most_alike(claim, same)
            used |= {twin} if twin else set()
            yield Example(source, Passages(case.chunks).window(claim), twin, claim)
        for claim, case in good.items():
            if claim not in used:
                yield Example(source, Passages(case.chunks).window(claim), claim, None)


def list_claims(source: str, rows: Iterable[Row]) -> Iterator[Example]:
    """Every claim whose label is known: from the marked spans, or because it is the only one."""
    for row in rows:
        case = as_case(row)
        passages = Passages(case.chunks)
        for span in case.claims:
            bad = _label(row, span.start, span.end, len(case.claims))
            if bad is None:
                continue
            text = case.answer[span.start : span.end]
            worded = word_claim(text, case.question)
            window = passages.window(text)
            yield Example(source, window, None if bad else worded, worded if bad else None)


def corrupt_claims(source: str, rows: Iterable[Row], random: Random) -> Iterator[Example]:
    """Supported claims with their corrupted twins."""
    for row in rows:
        if row["label"]:
            continue
        case = as_case(row)
        passages = Passages(case.chunks)
        for claim in _claims(case):
            change = corrupt(claim, random, case.chunks, WITHIN)
            if change is not None:
                window = passages.window(claim if random.random() < 0.5 else change.text)
                yield Example(f"{source}+", window, claim, change.text)


def corrupt_passages(folder: Path, random: Random) -> Iterator[Example]:
    """Sentences of passages with their corrupted twins, read against the passage."""
    with gzip.open(folder / "answerability.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [r for r in map(json.loads, lines) if r["train_ok"] and r["split"] == "train"]
    for row in rows:
        for passage in random.sample(row["contexts"], min(2, len(row["contexts"]))):
            case = as_case({"id": row["id"], "question": "", "answer": passage, "contexts": [passage]})
            claims = [c for c in _claims(case) if 20 < len(c) < 300]
            for claim in random.sample(claims, min(1, len(claims))):
                change = corrupt(claim, random, [passage], WITHIN)
                if change is not None:
                    yield Example("passage+", Passages([passage]).window(claim), claim, change.text)


def _by_group(rows: Sequence[Row]) -> Iterator[list[tuple[Row, Case]]]:
    groups: dict[str, list[tuple[Row, Case]]] = defaultdict(list)
    for row in rows:
        groups[row["group"]].append((row, as_case(row)))
    yield from groups.values()


def _claims(case: Case) -> list[str]:
    return [case.answer[c.start : c.end] for c in case.claims]


def _fresh(case: Case, known: set[str]) -> list[str]:
    return [claim for claim in _claims(case) if claim not in known]


def _most_alike(claim: str, others: Iterable[str]) -> str | None:
    ranked = [(SequenceMatcher(None, claim, o, autojunk=False).ratio(), o) for o in others]
    ratio, best = max(ranked, default=(0.0, ""))
    return best if ratio >= ALIKE else None


def _label(row: Row, start: int, end: int, claims: int) -> bool | None:
    if row["label"] == 0:
        return False
    if row["spans"]:
        return any(start < b and a < end for a, b in row["spans"])
    return True if claims == 1 else None
