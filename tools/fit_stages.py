"""Fit the heads that judge a trace as a whole, and put them into the weights that `fit_student.py` wrote.

    python tools/fit_stages.py [--data ../shared/data] [--seed 7] [--weights PATH]

They are `sufficiency_*` (do the chunks hold an answer?) and `class_*` (which stage failed first?). What they
look at comes from the claim and trace forests, so two of these are fitted here on half of the groups each,
and every made trace is measured by the half that never saw its source. Deterministic by its seed. Only rows
marked as free to use for shipped weights teach. Needs the extra `distill`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from judges.distillation.calibrate_heads import fit_curves
from judges.distillation.card import write_card
from judges.distillation.examine import print_results
from judges.distillation.fit_triage import Judge, Stages, Stock, fit_stages
from judges.distillation.pairs import make_pairs
from judges.distillation.rows import NATURAL, read_rows, read_supported
from judges.distillation.table import build_table
from judges.distillation.teach import fit_forests
from judges.distilled.assemble import Judgement
from judges.distilled.heads.weights import Weights, read_weights, write_weights
from judges.distilled.measuring.features import Features
from judges.distilled.student import judge_claims

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "judges" / "distilled" / "data" / "student.npz"
CARD = ROOT / "docs" / "MODEL_CARD.md"
HALVES = 2
LICENCE_OF_STAGES = (
    "permissive (MIT, Apache-2.0, CC BY); see the sources above, NoMIRACL and MTRAG (Apache-2.0)"
)


def main() -> None:
    """Fit two halves, make failure traces, fit the heads, write."""
    arguments = _read_arguments()
    weights = read_weights(arguments.weights)
    stock = Stock(*(_read(arguments.data, name) for name in ("answerability", "faithfulness", "rewrite")))
    halves = _fit_halves(arguments.data, weights, arguments.seed)
    stages = fit_stages(stock, _judge_with(halves), arguments.seed)
    print_results(stages.metrics)
    manifest = replace(
        weights.manifest,
        data={**weights.manifest.data, **_describe(stages)},
        metrics={**weights.manifest.metrics, **{name: vars(r) for name, r in stages.metrics.items()}},
    )
    whole = replace(
        weights,
        manifest=manifest,
        forests={**weights.forests, **stages.forests},
        calibration={**weights.calibration, **stages.calibration},
        arrays={**weights.arrays, **stages.arrays},
    )
    written = write_weights(arguments.weights, whole)
    if arguments.weights == TARGET:
        write_card(CARD, written.manifest)
    print(f"{arguments.weights}: {arguments.weights.stat().st_size / 1e6:.2f} MB, {manifest.version}")


def _fit_halves(folder: Path, weights: Weights, seed: int) -> list[Weights]:
    """Claim and trace forests, each fitted without the groups of one half."""
    natural = [row for row in read_rows(folder) if row.may_ship and row.source in NATURAL]
    rows = natural + make_pairs(natural + read_supported(folder), Random(seed))
    table = build_table(rows, _tell)
    half = np.array([half_of(row.group) for row in rows])
    halves = []
    for left_out in range(HALVES):
        teaches = half != left_out
        forests, unseen = fit_forests(table, teaches, seed, _tell)
        halves.append(replace(weights, forests=forests, calibration=fit_curves(table, unseen, teaches)))
    return halves


def _describe(stages: Stages) -> dict[str, Any]:
    """How many questions and made traces of each source taught, in the words of `fit_student.py`."""
    return {
        f"stages: {name}": {"rows": rows, "unsupported": "–", "licence": LICENCE_OF_STAGES}
        for name, rows in sorted(stages.rows.items())
    }


def _judge_with(halves: Sequence[Weights]) -> Judge:
    """Judges each case by the half that never saw its group."""

    def judge(features: Features, groups: Sequence[str]) -> Judgement:
        judged = [judge_claims(features, weights) for weights in halves]
        case = np.array([half_of(group) for group in groups], dtype=np.int64)
        claim = case[features.part.claim_case]
        return Judgement(
            support=np.choose(claim, [j.support for j in judged]),
            reasons=judged[0].reasons,
            hallucination=np.choose(case, [j.hallucination for j in judged]),
        )

    return judge


def half_of(group: str) -> int:
    """0 or 1, the same for all rows of a group."""
    return sha256(group.encode()).digest()[-1] % HALVES


def _read(folder: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if row["train_ok"]]


def _tell(what: str, done: int, total: int) -> None:
    if sys.stderr.isatty() or done == total:
        print(f"\r{what}: {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def _read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--weights", type=Path, default=TARGET)
    return parser.parse_args()


if __name__ == "__main__":
    main()
