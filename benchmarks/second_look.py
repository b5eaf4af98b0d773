"""What an embedding model adds to the triage of labelled failure traces, and what it costs.

    python -m benchmarks.second_look EMBEDDER_FOLDER [FILE] [--share 0.2]

FILE holds traces in own JSON with `expected` (see benchmarks/triage.py). Macro-F1 over the six classes and
healthy, with 95 % intervals, and the AUROC of context sufficiency (do the chunks hold an answer?), per
language: of the cheap scorer, of the second look on at most `--share` of the traces, those that are
uncertain by the default band, and of the second look on every trace. Needs the extra `encoder` and a folder
built by tools/build_embedder.py.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.triage import DEFAULT, Row, count, evaluate, read_row, read_traces
from judges.distilled import load_scorer
from judges.encoder import EncoderTier, TierOptions
from judges.encoder.embedder import AnswerReader
from judges.encoder.judged import as_judged
from judges.triage import triage
from schemas.scored import Judged
from schemas.taxonomy import HEALTHY, Failure

ANSWERED = (HEALTHY, Failure.OVER_REFUSAL.value, Failure.HALLUCINATION.value)
LACKING = (Failure.POOR_RETRIEVAL.value,)


def main() -> int:
    """Print the table; exit 2 where the file is missing."""
    options = _read_options()
    traces = read_traces(options.file)
    if traces is None:
        return 2
    scorer = load_scorer()
    cheap = [Judged(t, s, triage(t, s)) for t, s in zip(traces, scorer.score(traces), strict=True)]
    answers = AnswerReader.load(options.embedder)
    began = time.process_time()
    every = look(
        cheap, answers, TierOptions(sufficiency_low=0.0, sufficiency_high=1.0, share=1.0, budget=1.0)
    )
    cost = 1000 * (time.process_time() - began) / len(traces)
    some = look(cheap, answers, TierOptions(share=options.share, budget=1.0))
    print(f"{scorer.version}, {answers.version}: {cost:.0f} ms of CPU a trace that is looked at again\n")
    print("lang  scorer          macro-F1 (95 %)        F1 of poor_retrieval  AUROC of sufficiency")
    for language in sorted({t.language or "" for t in traces}):
        for name, judged in (("cheap", cheap), (f"at {options.share:.0%}", some), ("on every trace", every)):
            show(language, name, [j for j in judged if j.trace.language == language])
    return 0


def look(batch: Sequence[Judged], answers: AnswerReader, options: TierOptions) -> list[Judged]:
    """The traces as they stand once the tier has read those it chooses."""
    scores = EncoderTier(options, answers=answers).judge(batch)
    return [as_judged(one, s) if s else one for one, s in zip(batch, scores, strict=True)]


def show(language: str, name: str, judged: Sequence[Judged]) -> None:
    """One line of the table."""
    rows = [read_row(j.trace, j.verdict) for j in judged]
    found = evaluate(count(rows))
    low, high = found["interval"]
    poor = found["by_class"][Failure.POOR_RETRIEVAL.value]["f1"]
    told = f"{found['macro_f1']:.3f} ({low:.3f}–{high:.3f})"
    print(f"{language:5} {name:15} {told:22} {poor:<21.3f} {_sufficiency(rows, judged):.3f}")


def _sufficiency(rows: Sequence[Row], judged: Sequence[Judged]) -> float:
    pairs = [
        (float(row.wanted in ANSWERED), one.scores.context_sufficiency)
        for row, one in zip(rows, judged, strict=True)
        if row.wanted in (*ANSWERED, *LACKING) and one.scores.context_sufficiency is not None
    ]
    return float(roc_auc_score(*zip(*pairs, strict=True)))


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("embedder")
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--share", type=float, default=0.2)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
