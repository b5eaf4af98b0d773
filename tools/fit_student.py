"""Fit the scorer that ships: `judges/distilled/data/student.npz`, its manifest and its model card.

    python tools/fit_student.py [--data ../shared/data] [--seed 7] [--out PATH] [--version student-1]

One command, deterministic by its seed: only rows marked as free to use for shipped weights teach, calibrate
or set a threshold. Prints what the scorer reaches on answers that it did not learn from. Takes some minutes
on one core. Needs the extra `distill`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from judges.distillation.calibrate_heads import fit_curves
from judges.distillation.card import write_card
from judges.distillation.examine import examine, print_results
from judges.distillation.pairs import make_pairs
from judges.distillation.rows import LICENCES, NATURAL, Row, read_rows, read_supported
from judges.distillation.table import Table, build_table
from judges.distillation.teach import fit_forests
from judges.distilled.heads.calibration import calibrate
from judges.distilled.heads.weights import Manifest, Weights, WeightsRefused, read_weights, write_weights

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "judges" / "distilled" / "data" / "student.npz"
CARD = ROOT / "docs" / "MODEL_CARD.md"


def main() -> None:
    """Read, measure, fit, calibrate, write."""
    arguments = read_arguments()
    teaching, table = prepare(arguments.data, arguments.seed)
    forests, unseen = fit_forests(table, np.ones(len(table.rows), dtype=np.bool_), arguments.seed, tell)
    curves = fit_curves(table, unseen, np.ones(len(table.rows), dtype=np.bool_))
    languages = [name or None for name in table.language.tolist()]
    chances = calibrate(curves["trace"], unseen.traces, languages)
    results = examine(table, chances)
    print_results(results)
    others = keep_heads(arguments.out)
    weights = Weights(
        manifest=Manifest(
            version=arguments.version,
            made_at=datetime.now(UTC).replace(microsecond=0).isoformat(),
            seed=arguments.seed,
            data=describe(teaching),
            metrics={name: vars(result) for name, result in results.items()},
        ),
        forests=forests | others.get("forests", {}),
        calibration=curves | others.get("calibration", {}),
        arrays=others.get("arrays", {}),
    )
    written = write_weights(arguments.out, weights)
    if arguments.out == TARGET:
        write_card(CARD, written.manifest)
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.2f} MB, {written.manifest.version}")


def read_arguments() -> Any:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--version", default="student-1")
    return parser.parse_args()


def prepare(folder: Path, seed: int) -> tuple[list[Row], Table]:
    """The rows that teach (natural ones, then pairs), and their table."""
    natural = [row for row in read_rows(folder) if row.may_ship and row.source in NATURAL]
    pairs = make_pairs(natural + read_supported(folder), Random(seed))
    teaching = natural + pairs
    return teaching, build_table(teaching, tell)


def describe(rows: Sequence[Row]) -> dict[str, Any]:
    """How many rows of each source taught, and under which licence it is published."""
    described: dict[str, Any] = {}
    for name in sorted({row.source for row in rows}):
        mine = [row for row in rows if row.source == name]
        described[name] = {
            "rows": len(mine),
            "unsupported": sum(row.bad for row in mine),
            "licence": LICENCES.get(name, "made by judges.corruption from the sources here and clapnq"),
        }
    return described


def keep_heads(path: Path) -> dict[str, Any]:
    """The heads of the weights at `path` that other tools fitted, so that they outlast a new fit."""
    try:
        weights = read_weights(path)
    except WeightsRefused:
        return {}
    mine = ("claim", "trace")
    return {
        "forests": {name: f for name, f in weights.forests.items() if name not in mine},
        "calibration": {name: c for name, c in weights.calibration.items() if name not in mine},
        "arrays": dict(weights.arrays),
    }


def tell(what: str, done: int, total: int) -> None:
    """One line that counts up."""
    if sys.stderr.isatty() or done == total:
        print(f"\r{what}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
