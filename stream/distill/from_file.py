"""Labels from files: our own traces with a label each, or rows of a faithfulness data set.

* our own JSON lines, with `label` or `expected` (or both) at the top level: a failure class, `healthy`,
  true or 1 (hallucinated), false or 0 (supported); `expected: null` means healthy. `annotator`, `weight`
  and `spans` are read where they are there;
* rows with `question`, `contexts`, `answer`, `label` (1: not supported) and perhaps `spans`, `group`,
  `source`, `lang`. What `train_ok` forbids to train on is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import orjson

from judges.distillation.examples import CLASSES, Source, Vote
from judges.distillation.measured import Tell
from judges.distillation.refuse import LabelsRefused
from schemas.formats import Unreadable
from schemas.formats.own import decode_object
from schemas.trace import Trace
from stream.distill.from_store import read_spans
from stream.distill.gathered import Gathered
from stream.files.lines import open_traces

_LABELS: Final = ("label", "expected", "hallucination", "annotator", "weight", "spans")
"""Top-level keys of a label, which are no part of the trace."""
_SEEN: Final = 2_000


def read_label_file(path: str, max_line_bytes: int, into: Gathered, tell: Tell) -> None:
    """Add the traces of a file and their labels. A line that is neither is counted and left out.

    Raises FileProblem, FileDamaged, and LabelsRefused where no line at all has a label.
    """
    found = 0
    with open_traces(path, lambda data: [], max_line_bytes) as lines:
        for line in lines:
            found += _add(_parse(line.data), f"{line.number}", into)
            if not line.number % _SEEN:
                tell("reading labels", lines.position(), lines.size or lines.position())
    if not found:
        raise LabelsRefused(
            f"{path} holds no labelled trace: each line needs a trace (trace_id, question, answer) with "
            "`label` or `expected`, or question, contexts, answer and label."
        )


def _add(row: Any, number: str, into: Gathered) -> bool:
    if not isinstance(row, dict) or not ("label" in row or "expected" in row):
        into.left_out["a line of a file has no label"] += 1
        return False
    if row.get("train_ok") is False:
        into.left_out["a line of a file says train_ok: false"] += 1
        return False
    vote = _read_vote(row)
    trace = _read_set_row(row, number) if "contexts" in row else _read_own(row)
    if vote is None or trace is None:
        into.left_out["a line of a file cannot be read"] += 1
        return False
    into.votes[trace.trace_id].append(vote)
    into.traces.setdefault(trace.trace_id, trace)
    if isinstance(row.get("group"), str | int):
        into.groups[trace.trace_id] = str(row["group"])
    return True


def _read_vote(row: dict[str, Any]) -> Vote | None:
    chance, failure = None, None
    for value in _said(row):
        if isinstance(value, bool) or value in (0, 1):
            chance = float(value)
        elif value in CLASSES:
            failure = value
        elif value is not None:
            return None
    if chance is None and failure is None:
        return None
    weight = row.get("weight", 1.0)
    return Vote(
        by=Source.FILE,
        who=str(row.get("annotator") or ""),
        hallucination=chance,
        failure=failure,
        weight=float(weight) if isinstance(weight, int | float) and weight >= 0 else 1.0,
        spans=read_spans(row.get("spans")),
    )


def _said(row: dict[str, Any]) -> Iterator[Any]:
    """Everything that a row says of its trace. `expected: null` is a healthy trace, `label: null` is none."""
    yield row.get("label")
    yield row.get("hallucination")
    if "expected" in row:
        expected = row["expected"]
        if isinstance(expected, dict):
            yield expected.get("failure") or CLASSES[-1]
            yield expected.get("hallucination")
        else:
            yield CLASSES[-1] if expected is None else expected


def _read_own(row: dict[str, Any]) -> Trace | None:
    decoded = decode_object({key: value for key, value in row.items() if key not in _LABELS})
    return None if isinstance(decoded, Unreadable) or not isinstance(decoded, Trace) else decoded


def _read_set_row(row: dict[str, Any], number: str) -> Trace | None:
    contexts = row["contexts"]
    if not isinstance(contexts, list):
        return None
    decoded = decode_object(
        {
            "trace_id": str(row.get("id") or f"line-{number}"),
            "question": row.get("question"),
            "answer": row.get("answer"),
            "language": row.get("lang"),
            "tenant": row.get("source"),
            "retrieval": {"chunks": [{"text": text} for text in contexts]},
        }
    )
    return decoded if isinstance(decoded, Trace) else None


def _parse(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


__all__ = ["read_label_file"]
