"""The cheap scorers: every trace, on CPU, in Chinese and English alike."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from schemas.scored import Scorer

SHIPPED = "student.npz"
RULES = "rules"
"""The name of the first scorer, which has no weights."""


def load_scorer(source: Path | str | None = None) -> Scorer:
    """A scorer, warm: its first batch is as quick as its tenth.

    `source`: weights (an npz with its manifest beside it), `"rules"`, or null for what ships with this
    version. Raises `weights.WeightsRefused` (a ValueError) for weights that cannot score.
    """
    from judges.distilled.rules import RuleScorer
    from judges.distilled.warming import warm_up

    if source == RULES or (source is None and not _has_student()):
        return warm_up(RuleScorer())
    from judges.distilled.heads.weights import read_weights
    from judges.distilled.student import StudentScorer

    if source is not None:
        return warm_up(StudentScorer(read_weights(Path(source))))
    with as_file(files("judges.distilled").joinpath("data")) as folder:
        return warm_up(StudentScorer(read_weights(folder / SHIPPED)))


def is_compiled() -> bool:
    """Whether loading is quick: the first time on a machine, the scorer is compiled for a minute or two."""
    from judges.distilled.kernel.compiled import is_kept

    return is_kept()


def _has_student() -> bool:
    return files("judges.distilled").joinpath("data", SHIPPED).is_file()


__all__ = ["is_compiled", "load_scorer"]
