"""Labelled answers: the rows that the shipped scorer learns from, and those that only examine it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from schemas.trace import Trace

NATURAL: Final = ("ragtruth", "ragtruth_extra", "citecheck", "uhgeval", "begin_wow", "begin_cmu-dog")
"""Sources whose answers were written by models or people in earnest, under a permissive licence. Those
that were written to be wrong (HaluEval, SummEdits, Fool-me-twice) spoil what is learned from these."""
LICENCES: Final = {
    "ragtruth": "ParticleMedia/RAGTruth, MIT",
    "ragtruth_extra": "ParticleMedia/RAGTruth, MIT",
    "citecheck": "xzy-xzy/CiteCheck, MIT",
    "uhgeval": "IAAR-Shanghai/UHGEval, Apache-2.0",
    "begin_wow": "google/BEGIN-dataset, CC BY 4.0",
    "begin_cmu-dog": "google/BEGIN-dataset, CC BY 4.0",
    "clapnq": "primeqa/clapnq, Apache-2.0",
}
FOLDS: Final = 5

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One answer with its passages. `bad`: people found something unsupported in it.

    `spans` are the unsupported characters, null where the source marks none; `writer` is the model that
    wrote the answer, where the source tells ("" elsewhere).
    """

    source: str
    task: str
    language: str
    question: str
    contexts: tuple[str, ...]
    answer: str
    bad: bool
    spans: Spans | None
    group: str
    may_ship: bool
    split: str
    writer: str = ""
    made: bool = False
    """Whether a corruption made this row, or one beside it."""
    origin: str = ""
    """Of a made row: the source that it was made from."""

    @property
    def fold(self) -> int:
        """Which of `FOLDS` folds its group belongs to."""
        return int.from_bytes(sha256(self.group.encode()).digest()[:4], "big") % FOLDS

    @property
    def part(self) -> str:
        """Source and task, as results are reported."""
        return f"{self.source}/{self.task}" if self.source.startswith("ragtruth") else self.source

    def trace(self) -> Trace:
        """The row as a trace without anything but its texts."""
        chunks = [{"text": text} for text in self.contexts]
        fields: dict[str, Any] = {"question": self.question, "answer": self.answer}
        return Trace.model_validate({"trace_id": "row", "retrieval": {"chunks": chunks}, **fields})


def read_rows(folder: Path) -> list[Row]:
    """Every row of `faithfulness.jsonl.gz` in the folder of labelled data."""
    return [_read_faithfulness(fields) for fields in _read_lines(folder / "faithfulness.jsonl.gz")]


def read_supported(folder: Path) -> list[Row]:
    """Answers by people to answerable questions (`answerability.jsonl.gz`): supported, and free to use."""
    rows = _read_lines(folder / "answerability.jsonl.gz")
    return [
        Row(
            source=fields["source"],
            task="QA",
            language=fields["lang"],
            question=fields["question"],
            contexts=tuple(fields["contexts"]),
            answer=fields["answer"],
            bad=False,
            spans=(),
            group=fields["group"],
            may_ship=True,
            split=fields["split"],
        )
        for fields in rows
        if fields["train_ok"] and fields["answerable"] and fields["answer"]
    ]


def _read_faithfulness(fields: dict[str, Any]) -> Row:
    spans = fields["spans"]
    return Row(
        source=fields["source"],
        task=fields["task"],
        language=fields["lang"],
        question=fields["question"] or "",
        contexts=tuple(fields["contexts"]),
        answer=fields["answer"],
        bad=bool(fields["label"]),
        spans=None if spans is None else tuple((int(a), int(b)) for a, b in spans),
        group=fields["group"],
        may_ship=bool(fields["train_ok"]),
        split=fields["split"],
        writer=fields.get("model") or "",
    )


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
