"""How well the worker's scorer and cosines tell invented answers from healthy ones, by labels."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson

from benchmarks._common import ROOT
from judges.distilled import load_scorer
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace

_COSINES_S: Final = 1_200.0


def compare(file: Path, python: Path) -> str:
    """A sentence with both areas under the curve; empty where the file has no labels of both kinds."""
    bodies = [orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip()]
    chosen = [body for body in bodies if body.get("expected") in (HEALTHY, Failure.HALLUCINATION.value)]
    invented = np.array([body.pop("expected") != HEALTHY for body in chosen], dtype=bool)
    if not invented.any() or invented.all():
        return ""
    ours = [scores.hallucination for scores in load_scorer().score([Trace.model_validate(b) for b in chosen])]
    theirs = [line["faithfulness"] for line in _cosines(chosen, python)]
    unlike = [None if value is None else -value for value in theirs]
    return (
        f"On the {invented.sum()} traces of {file.name} labelled as hallucination and the "
        f"{(~invented).sum()} healthy ones, the area under the ROC curve is {area(ours, invented):.2f} for "
        f"the worker's scorer and {area(unlike, invented):.2f} for the cosine of answer and context. What "
        f"was not measured counts as healthy."
    )


def area(scores: Sequence[float | None], positive: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    """Under the ROC curve: how often a positive scores above a negative, ties half (Mann-Whitney)."""
    values = np.array([-np.inf if score is None else score for score in scores])
    above = values[positive][:, None]
    below = values[~positive][None, :]
    return float(np.mean((above > below) + 0.5 * (above == below)))


def _cosines(bodies: Sequence[dict[str, Any]], python: Path) -> list[dict[str, Any]]:
    command = [str(python), str(ROOT / "benchmarks" / "cosine_scoring.py"), "--lines"]
    lines = b"\n".join(orjson.dumps(body) for body in bodies)
    done = subprocess.run(command, input=lines, capture_output=True, check=True, timeout=_COSINES_S)
    return [orjson.loads(line) for line in done.stdout.splitlines()]
