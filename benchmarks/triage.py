"""Six-class triage on labelled failure traces: macro-F1 and confusion, per language.

    python benchmarks/triage.py [FILE] [--json] [--errors]

FILE holds traces in own JSON with `expected` (a class or `healthy`) among their unknown keys; the
default is the labelled data beside the checkout.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from judges.distilled import load_scorer
from judges.triage import triage
from schemas.taxonomy import FAILURES, HEALTHY
from schemas.trace import Trace

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "failure_traces_dev.jsonl"
CLASSES = [*(f.value for f in FAILURES), HEALTHY]


def main() -> int:
    """Print the tables; exit 2 where the file is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument("--errors", action="store_true", help="list every trace that was sorted wrongly")
    options = parser.parse_args()
    if not options.file.exists():
        print(f"{options.file} is not there: name a file of labelled traces", file=sys.stderr)
        return 2
    traces = [Trace.model_validate_json(line) for line in options.file.read_bytes().splitlines()]
    scorer = load_scorer()
    scores = scorer.score(traces)
    rows = []
    for trace, score in zip(traces, scores, strict=True):
        verdict = triage(trace, score)
        found = verdict.failure.value if verdict.failure else HEALTHY
        wanted = trace.unknown.get("expected") or HEALTHY
        if isinstance(wanted, dict):
            wanted = wanted.get("failure") or HEALTHY
        rows.append((trace.language or "", wanted, found, trace.trace_id, verdict))
    languages = sorted({r[0] for r in rows})
    report = {"scorer": scorer.version, "traces": len(rows)}
    for language in languages:
        pairs = [(w, f) for lang, w, f, *_ in rows if lang == language]
        report[language] = evaluate(pairs)
    if options.json:
        print(json.dumps(report))
    else:
        for language in languages:
            show(language, report[language], Counter((w, f) for lang, w, f, *_ in rows if lang == language))
    if options.errors:
        for language, wanted, found, trace_id, verdict in rows:
            if wanted != found:
                print(
                    language, trace_id, f"{wanted} → {found}", verdict.rule, verdict.because, file=sys.stderr
                )
    return 0


def evaluate(pairs: list[tuple[str, str]]) -> dict[str, object]:
    """Precision, recall and F1 of each class, and their unweighted mean."""
    out = {}
    for name in CLASSES:
        hit = sum(w == name == f for w, f in pairs)
        wanted = sum(w == name for w, _ in pairs)
        found = sum(f == name for _, f in pairs)
        f1 = 2 * hit / (wanted + found) if wanted + found else 0.0
        out[name] = {
            "precision": round(hit / found, 3) if found else None,
            "recall": round(hit / wanted, 3) if wanted else None,
            "f1": round(f1, 3),
        }
    macro = sum(v["f1"] for v in out.values()) / len(CLASSES)
    return {"macro_f1": round(macro, 3), "n": len(pairs), "by_class": out}


def show(language: str, report: dict, confusion: Counter) -> None:
    """One language's table."""
    print(f"\n{language}: macro-F1 {report['macro_f1']:.3f} over {report['n']} traces")
    print(f"  {'wanted, found':<17}" + "".join(f"{c[:9]:>10}" for c in CLASSES) + f"{'F1':>8}")
    for wanted in CLASSES:
        cells = "".join(f"{confusion[(wanted, found)] or '·':>10}" for found in CLASSES)
        print(f"  {wanted:<17}{cells}{report['by_class'][wanted]['f1']:>8.3f}")


if __name__ == "__main__":
    raise SystemExit(main())
