"""Labels and verdicts from JSON lines, as other tools may hold them.

A label: `trace_id`, with any of `failure` (or `label`: a class, `healthy`, or true for hallucinated),
`hallucination`, `context_sufficient`, `refusal` (full, partial, none, or true), `ratings`; perhaps
`annotator`, `weight`, `language`. A verdict: a row of table `verdicts`, or a line of
`ragpulse score --judge`, with its opinions under `opinion`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import orjson

from judges.calibration.labels import CLASSES, Label, Said
from stream.calibrate.from_store import DECLINES, read_said
from stream.files.lines import FileProblem, open_traces

_MOST_BYTES: Final = 8 * 1024 * 1024


def read_label_lines(path: str, left_out: Counter[str]) -> list[Label]:
    """The labels of a file; a line that is none is counted. Raises FileProblem where there is not one."""
    found = []
    for number, row in _objects(path):
        label = _label(row) if row else None
        if label is None:
            left_out[f"{path}, line {number}: no label"] += 1
        else:
            found.append(label)
    if not found:
        raise FileProblem(
            f"{path} holds no label: each line needs trace_id, and failure, label, hallucination, "
            "context_sufficient, refusal or ratings (--labels)."
        )
    return found


def read_verdict_lines(path: str, left_out: Counter[str]) -> list[Said]:
    """The verdicts of a file; a line that is none is counted. Raises FileProblem where there is not one."""
    found = []
    for number, row in _objects(path):
        said = _said(row) if row else None
        if said is None:
            left_out[f"{path}, line {number}: no verdict"] += 1
        else:
            found.append(said)
    if not found:
        raise FileProblem(
            f"{path} holds no verdict: each line needs trace_id, judge and what it said, as rows of table "
            "verdicts have them (--verdicts)."
        )
    return found


def _objects(path: str) -> Iterator[tuple[int, dict[str, Any] | None]]:
    with open_traces(path, lambda data: [], _MOST_BYTES) as lines:
        for line in lines:
            try:
                row = orjson.loads(line.data)
            except orjson.JSONDecodeError:
                row = None
            yield line.number, row if isinstance(row, dict) and isinstance(row.get("trace_id"), str) else None


def _label(row: dict[str, Any]) -> Label | None:
    failure, hallucination = row.get("failure"), _yes_no(row.get("hallucination"))
    said = row.get("label")
    if said in CLASSES:
        failure = said
    elif _yes_no(said) is not None and hallucination is None:
        hallucination = _yes_no(said)
    refusal = row.get("refusal")
    weight = row.get("weight", 1.0)
    label = Label(
        trace_id=row["trace_id"],
        annotator=str(row.get("annotator") or ""),
        failure=failure if failure in CLASSES else None,
        hallucination=hallucination,
        context_sufficient=_yes_no(row.get("context_sufficient")),
        refusal=DECLINES.get(refusal) if isinstance(refusal, str) else _yes_no(refusal),
        ratings=_ratings(row.get("ratings")),
        weight=float(weight) if _is_number(weight) and weight > 0 else 0.0,
        language=str(row.get("language") or ""),
    )
    says = (
        label.failure,
        label.hallucination,
        label.context_sufficient,
        label.refusal,
        label.ratings or None,
    )
    return label if label.weight and any(one is not None for one in says) else None


def _said(row: dict[str, Any]) -> Said | None:
    inner = row.get("opinion")
    flat = {**row, **inner} if isinstance(inner, dict) else row
    if not isinstance(flat.get("judge"), str) or flat.get("error"):
        return None
    numbers = ("hallucination", "context_sufficiency", "sample_probability")
    sound = {name: flat.get(name) if _is_number(flat.get(name)) else None for name in numbers}
    sure = flat.get("refusal")
    return read_said(
        {
            **{
                name: flat.get(name) if isinstance(flat.get(name), str) else ""
                for name in ("judge", "model", "rubric", "rubric_version", "language")
            },
            "trace_id": row["trace_id"],
            "failure": flat.get("failure") if flat.get("failure") in CLASSES else None,
            "refusal": sure if isinstance(sure, bool) else None,
            "ratings": _ratings(flat.get("ratings")),
            **sound,
        }
    )


def _yes_no(value: Any) -> bool | None:
    return bool(value) if isinstance(value, bool) or value in (0, 1) else None


def _ratings(value: Any) -> dict[str, int]:
    items = value.items() if isinstance(value, dict) else ()
    return {str(name): stars for name, stars in items if isinstance(stars, int) and 1 <= stars <= 5}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


__all__ = ["read_label_lines", "read_verdict_lines"]
