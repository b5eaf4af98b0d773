"""What a scorer reaches on labelled answers: by part (source and task), and by language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from judges.distillation.curves import calibration_error, f1
from judges.distillation.table import Table
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats


@dataclass(frozen=True)
class Result:
    """Measures on some rows. All but `auroc` decide at 0.5."""

    rows: int
    bad: int
    auroc: float
    f1: float
    balanced_accuracy: float
    ece: float
    """Expected calibration error, ten bins."""


def judge(chances: Floats, bad: Ints, ranks: Floats | None = None) -> Result:
    """Measures of chances (0..1; at least one row of each label).

    `ranks` orders the rows for AUROC, where chances come from several curves and do not.
    """
    flagged = chances >= 0.5
    recall, precision_of_good = flagged[bad == 1].mean(), (~flagged[bad == 0]).mean()
    return Result(
        rows=len(bad),
        bad=int(bad.sum()),
        auroc=round(float(roc_auc_score(bad, chances if ranks is None else ranks)), 4),
        f1=round(f1(flagged, bad), 4),
        balanced_accuracy=round(float(recall + precision_of_good) / 2, 4),
        ece=round(calibration_error(chances, bad), 4),
    )


def examine(
    table: Table, chances: Floats, which: Bools | None = None, ranks: Floats | None = None
) -> dict[str, Result]:
    """Results by part, by source where it has several tasks, and by language (natural rows alone).

    `ranks`: see `judge`.
    """
    measured = table.claims if which is None else table.claims & which
    groups: dict[str, Bools] = {part: table.part == part for part in np.unique(table.part).tolist()}
    groups |= {source: table.source == source for source in np.unique(table.source).tolist()}
    for language in ("en", "zh"):
        groups[f"language {language}"] = (table.language == language) & ~table.made
    results = {}
    for name, mine in sorted(groups.items()):
        rows = mine & measured
        if 0 < table.bad[rows].sum() < rows.sum():
            results[name] = judge(chances[rows], table.bad[rows], None if ranks is None else ranks[rows])
    return results


def print_results(results: Mapping[str, Result]) -> None:
    """A table for the terminal."""
    print(f"{'rows of':32s}{'rows':>6s}{'bad':>6s}{'AUROC':>8s}{'F1':>7s}{'bal.acc':>9s}{'ECE':>7s}")
    for name, r in results.items():
        print(
            f"{name:32s}{r.rows:6d}{r.bad:6d}{r.auroc:8.3f}{r.f1:7.3f}{r.balanced_accuracy:9.3f}{r.ece:7.3f}"
        )
