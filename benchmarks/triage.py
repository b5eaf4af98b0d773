"""Six-class triage on labelled failure traces: macro-F1 with intervals, and confusion, per language.

    python benchmarks/triage.py [FILE] [--scorer NAME] [--json] [--errors]

FILE holds traces in own JSON with `expected` (a class or `healthy`) among their unknown keys; the
default is the labelled data beside the checkout. Intervals are 95 %, by a bootstrap over traces within
each class.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from judges.distilled import load_scorer
from judges.triage import triage
from schemas.scored import Verdict
from schemas.taxonomy import FAILURES, HEALTHY
from schemas.trace import Trace

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "failure_traces_dev.jsonl"
CLASSES = [*(f.value for f in FAILURES), HEALTHY]
DRAWS = 1_000

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Row:
    """One trace: the class it is of, and the one that was found."""

    trace_id: str
    language: str
    wanted: str
    found: str
    verdict: Verdict


def main() -> int:
    """Print the tables; exit 2 where the file is missing."""
    options = _read_options()
    traces = read_traces(options.file)
    if traces is None:
        return 2
    scorer = load_scorer(options.scorer)
    verdicts = [triage(t, s) for t, s in zip(traces, scorer.score(traces), strict=True)]
    rows = [read_row(t, v) for t, v in zip(traces, verdicts, strict=True)]
    tables = {name: count([r for r in rows if r.language == name]) for name in sorted(_languages(rows))}
    if options.json:
        found = {name: evaluate(table) for name, table in tables.items()}
        print(json.dumps({"scorer": scorer.version, "traces": len(rows), **found}))
    else:
        print(f"scorer {scorer.version}")
        for name, table in tables.items():
            show(name, table)
    for row in rows if options.errors else ():
        if row.wanted != row.found:
            told = (row.language, row.trace_id, f"{row.wanted} → {row.found}")
            print(*told, row.verdict.rule, row.verdict.because, file=sys.stderr)
    return 0


def read_traces(file: Path) -> list[Trace] | None:
    """The traces of a file; null, and a word about it, where there is none."""
    if not file.exists():
        print(f"{file} is not there: name a file of labelled traces", file=sys.stderr)
        return None
    return [Trace.model_validate_json(line) for line in file.read_bytes().splitlines()]


def count(rows: Sequence[Row]) -> Counts:
    """Confusion: shape (wanted, found), in the order of `CLASSES`."""
    table = np.zeros((len(CLASSES), len(CLASSES)), dtype=np.int64)
    for row in rows:
        table[CLASSES.index(row.wanted), CLASSES.index(row.found)] += 1
    return table


def f1_scores(table: Counts) -> npt.NDArray[np.float64]:
    """F1 of each class (0 where it was neither wanted nor found), over the last two axes of `table`."""
    hit = np.diagonal(table, axis1=-2, axis2=-1)
    both = table.sum(axis=-1) + table.sum(axis=-2)
    scores: npt.NDArray[np.float64] = np.divide(2 * hit, both, out=np.zeros(hit.shape), where=both > 0)
    return scores


def draw_macro(table: Counts, seed: int = 0) -> npt.NDArray[np.float64]:
    """Macro-F1 of `DRAWS` resamplings: as many traces of each class as there are, with replacement."""
    random = np.random.default_rng(seed)
    drawn = np.zeros((DRAWS, *table.shape), dtype=np.int64)
    for i, line in enumerate(table):
        if line.sum():
            drawn[:, i] = random.multinomial(line.sum(), line / line.sum(), size=DRAWS)
    macro: npt.NDArray[np.float64] = f1_scores(drawn).mean(axis=-1)
    return macro


def evaluate(table: Counts) -> dict[str, Any]:
    """Precision, recall and F1 of each class; their unweighted mean with its interval and standard error."""
    f1, draws = f1_scores(table), draw_macro(table)
    wanted, found = table.sum(axis=1), table.sum(axis=0)
    by_class = {
        name: {
            "precision": round(float(table[i, i] / found[i]), 3) if found[i] else None,
            "recall": round(float(table[i, i] / wanted[i]), 3) if wanted[i] else None,
            "f1": round(float(f1[i]), 3),
        }
        for i, name in enumerate(CLASSES)
    }
    low, high = np.quantile(draws, [0.025, 0.975]).round(3).tolist()
    return {
        "macro_f1": round(float(f1.mean()), 3),
        "interval": [low, high],
        "standard_error": round(float(draws.std()), 3),
        "n": int(table.sum()),
        "by_class": by_class,
    }


def show(language: str, table: Counts) -> None:
    """One language's table."""
    report = evaluate(table)
    low, high = report["interval"]
    print(f"\n{language}: macro-F1 {report['macro_f1']:.3f} ({low:.3f}–{high:.3f}) over {report['n']} traces")
    print(f"  {'wanted, found':<17}" + "".join(f"{c[:9]:>10}" for c in CLASSES) + f"{'F1':>8}")
    for i, name in enumerate(CLASSES):
        cells = "".join(f"{n or '·':>10}" for n in table[i].tolist())
        print(f"  {name:<17}{cells}{report['by_class'][name]['f1']:>8.3f}")


def read_row(trace: Trace, verdict: Verdict) -> Row:
    """What a labelled trace was, beside its verdict."""
    wanted = trace.unknown.get("expected") or HEALTHY
    if isinstance(wanted, dict):
        wanted = wanted.get("failure") or HEALTHY
    found = verdict.failure.value if verdict.failure else HEALTHY
    return Row(trace.trace_id, trace.language or "", str(wanted), found, verdict)


def _languages(rows: Sequence[Row]) -> set[str]:
    return {row.language for row in rows}


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--scorer", help='weights, or "rules"; default: the shipped scorer')
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument("--errors", action="store_true", help="list every trace that was sorted wrongly")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
