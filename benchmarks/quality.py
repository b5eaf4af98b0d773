"""How good the cheap scores are: the student against the rules, token overlap and embedding similarity.

    python benchmarks/quality.py [--data ../shared/data] [--fast] [--json]
    python benchmarks/quality.py --embedding PATH_OR_NAME [--embedding-rows N]

By data set, task and language: AUROC; F1, balanced accuracy and expected calibration error (ECE) at 0.5.

* `student, grouped`: the training of the shipped scorer, repeated on five folds of whole groups. Sources
  that it never learns from are judged by forests of other folds all the same.
* `student, left out`: the same with the source left out of training and calibration (RAGTruth and BEGIN as
  wholes).
* `rules`: the first scorer. `overlap`: the share of an answer's content words that the chunks hold.
  `cosine`: similarity of answer and best chunk by a sentence embedding (needs the extra `encoder`, and a
  model by folder or name). Overlap and cosine are no probabilities: they are calibrated on the other folds.

Then, of the shipped scorer: refusals (F1 of "full"), context sufficiency (AUROC) and six classes (macro-F1).
Rows of the first two may have taught the shipped heads. Takes some minutes, since every training is
repeated; `--fast` leaves out what needs training.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from judges.distillation.calibrate_heads import fit_curves
from judges.distillation.curves import f1, fit_lines
from judges.distillation.examine import Result, examine, print_results
from judges.distillation.pairs import make_pairs
from judges.distillation.rows import FOLDS, NATURAL, read_rows, read_supported
from judges.distillation.table import Table, build_table
from judges.distillation.teach import Unseen, fit_forests
from judges.distilled import load_scorer
from judges.distilled.heads.calibration import calibrate
from judges.distilled.heads.vectors import CLAIM_FEATURES, TRACE_FEATURES
from judges.triage import triage
from schemas.scored import Scores
from schemas.taxonomy import HEALTHY
from schemas.trace import Trace

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FAMILIES = {
    "ragtruth": ("ragtruth", "ragtruth_extra"),
    "begin": ("begin_wow", "begin_cmu-dog"),
    "citecheck": ("citecheck",),
    "uhgeval": ("uhgeval",),
}
"""What is left out together."""
AT_ONCE = 256


def main() -> int:
    """Print the tables; exit 2 where the data are missing."""
    options = read_options()
    if not options.data.is_dir():
        print(f"{options.data} is not there: name the folder of labelled data", file=sys.stderr)
        return 2
    report: dict[str, Any] = {}
    for name, results in compare(options).items():
        report[name] = {part: asdict(result) for part, result in results.items()}
        if not options.json:
            print(f"\n== {name} ==")
            print_results(results)
    if options.embedding is None:
        report["cosine"] = None
        print("cosine: not run, no model was named (--embedding)", file=sys.stderr)
    report["shipped"] = measure_shipped(options.data)
    if options.json:
        print(json.dumps(report))
    else:
        print(f"\n== shipped scorer, {report['shipped'].pop('scorer')} ==")
        for name, value in report["shipped"].items():
            print(f"{name:40s}{value:8.3f}")
    return 0


def compare(options: argparse.Namespace) -> dict[str, dict[str, Result]]:
    """Results of every scorer of hallucination, by its name."""
    rows = read_rows(options.data)
    supported = [row for row in rows if row.may_ship and row.source in NATURAL]
    pairs = make_pairs(supported + read_supported(options.data), Random(options.seed))
    table = build_table(rows + pairs, tell)
    natural = ~table.made
    found: dict[str, dict[str, Result]] = {}
    if not options.fast:
        chances, logits = score_grouped(table, options.seed)
        found["student, grouped"] = examine(table, chances, natural, logits)
        found["student, left out"] = score_left_out(table, options.seed)
    found["rules"] = examine(
        table, table.described[:, TRACE_FEATURES.index("rules")].astype(np.float64), natural
    )
    overlap = measure_overlap(table)
    found["overlap"] = examine(table, calibrate_score(table, overlap), natural, overlap)
    if options.embedding is not None:
        chosen = choose_rows(table, options.embedding_rows, options.seed)
        cosine = measure_cosine(table, options.embedding, chosen)
        found["cosine"] = examine(table, calibrate_score(table, cosine), natural & chosen, cosine)
    return found


def score_grouped(table: Table, seed: int) -> tuple[Floats, Floats]:
    """Chances from forests, and curves, that did not see the group; and the logits before calibration."""
    teaches = np.isin(table.origin, (*NATURAL, "clapnq", "nomiracl")) & may_ship(table)
    _, unseen = fit_forests(table, teaches, seed, tell)
    return calibrate_unseen(table, unseen, teaches), unseen.traces


def score_left_out(table: Table, seed: int) -> dict[str, Result]:
    """Each family of sources, judged by forests and curves that never saw any of it."""
    found: dict[str, Result] = {}
    for name, sources in FAMILIES.items():
        mine = np.isin(table.origin, sources)
        teaches = np.isin(table.origin, (*NATURAL, "clapnq", "nomiracl")) & may_ship(table) & ~mine
        forests, unseen = fit_forests(table, teaches, seed, lambda *_: None)
        curves = fit_curves(table, unseen, teaches)
        claims = forests["claim"].score(table.vectors)
        logits = forests["trace"].score(table.trace_vectors(claims))
        chances = calibrate(curves["trace"], logits, [v or None for v in table.language.tolist()])
        left_out = examine(table, chances, mine & ~table.made)
        found |= {part: result for part, result in left_out.items() if not part.startswith("language")}
        tell("leaving sources out", list(FAMILIES).index(name) + 1, len(FAMILIES))
    return found


def calibrate_unseen(table: Table, unseen: Unseen, teaches: Bools) -> Floats:
    """Chances of every row, by curves fitted on the other folds."""
    chances = np.zeros(len(table.rows))
    languages = [name or None for name in table.language.tolist()]
    for fold in range(FOLDS):
        curves = fit_curves(table, unseen, teaches & (table.fold != fold))
        mine = table.fold == fold
        chances[mine] = calibrate(curves["trace"], unseen.traces, languages)[mine]
    return chances


def calibrate_score(table: Table, score: Floats) -> Floats:
    """Chances from a score that is none, by lines fitted on the natural rows of the other folds."""
    chances = np.zeros(len(table.rows))
    languages = [name or None for name in table.language.tolist()]
    natural = np.isin(table.source, NATURAL) & ~np.isnan(score)
    for fold in range(FOLDS):
        others = natural & (table.fold != fold)
        lines = fit_lines(score[others], table.bad[others], table.source[others], table.language[others])
        mine = table.fold == fold
        chances[mine] = calibrate(lines, score, languages)[mine]
    return chances


def measure_overlap(table: Table) -> Floats:
    """How much of an answer's content no chunk holds: the mean share over its claims."""
    missing = table.vectors[:, CLAIM_FEATURES.index("missing_share")]
    total = np.bincount(table.owner, missing, minlength=len(table.rows))
    return total / np.maximum(np.diff(table.first), 1)


def choose_rows(table: Table, at_most: int | None, seed: int) -> Bools:
    """At most so many rows of each data set, by chance: embedding them all takes an hour."""
    chosen = ~table.made
    if at_most is not None:
        random = np.random.default_rng(seed)
        for source in np.unique(table.source):
            mine = np.flatnonzero(chosen & (table.source == source))
            chosen[random.permutation(mine)[at_most:]] = False
    return chosen


def measure_cosine(table: Table, model: str, chosen: Bools) -> Floats:
    """Minus the cosine similarity of each chosen answer and the chunk nearest to it; NaN for the others."""
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(model)

    def embed(texts: Sequence[str]) -> Floats:
        return np.asarray(encoder.encode(list(texts), normalize_embeddings=True, show_progress_bar=True))

    rows = [row for row, is_chosen in zip(table.rows, chosen, strict=True) if is_chosen]
    chunks = list(dict.fromkeys(text for row in rows for text in row.contexts))
    place = {text: i for i, text in enumerate(chunks)}
    of_chunks, of_answers = embed(chunks), embed([row.answer for row in rows])
    found = np.full(len(table.rows), np.nan)
    found[chosen] = [
        -max((float(answer @ of_chunks[place[text]]) for text in row.contexts), default=0.0)
        for row, answer in zip(rows, of_answers, strict=True)
    ]
    return found


def may_ship(table: Table) -> Bools:
    """Rows that may teach what ships."""
    return np.array([row.may_ship for row in table.rows], dtype=np.bool_)


def measure_shipped(data: Path) -> dict[str, Any]:
    """Refusals, sufficiency and six classes, by the scorer that `load_scorer` gives."""
    scorer = load_scorer()

    def score(traces: list[Trace]) -> list[Scores]:
        return [s for k in range(0, len(traces), AT_ONCE) for s in scorer.score(traces[k : k + AT_ONCE])]

    return (
        {"scorer": scorer.version}
        | measure_refusals(data, score)
        | measure_sufficiency(data, score)
        | measure_classes(data, score)
    )


Score = Callable[[list[Trace]], list[Scores]]


def measure_refusals(data: Path, score: Score) -> dict[str, float]:
    """F1 of full refusals, by language of the question."""
    rows = list(read_lines(data / "refusal.jsonl.gz"))
    found = score([make_trace(row["question"], row["answer"], ()) for row in rows])
    bad = np.array([row["refusal"] == "full" for row in rows])
    flagged = np.array([s.refusal for s in found])
    spoken = np.array([row["lang"] for row in rows])
    return {
        f"refusal F1, {language}": f1(flagged[spoken == language], bad[spoken == language].astype(np.int64))
        for language in ("en", "zh")
    }


def measure_sufficiency(data: Path, score: Score) -> dict[str, float]:
    """AUROC of context sufficiency, by language; rows whose question weighs nothing are left out."""
    rows = list(read_lines(data / "answerability.jsonl.gz"))
    found = score([make_trace(row["question"], row["answer"] or "", row["contexts"]) for row in rows])
    results = {}
    for language in ("en", "zh"):
        mine = [
            (row["answerable"], s.context_sufficiency)
            for row, s in zip(rows, found, strict=True)
            if row["lang"] == language and s.context_sufficiency is not None
        ]
        results[f"sufficiency AUROC, {language}"] = float(roc_auc_score(*zip(*mine, strict=True)))
    return results


def measure_classes(data: Path, score: Score) -> dict[str, float]:
    """Macro-F1 of the six classes and healthy, by language."""
    traces = [
        Trace.model_validate_json(line)
        for line in (data / "failure_traces_dev.jsonl").read_bytes().splitlines()
    ]
    verdicts = [triage(t, s) for t, s in zip(traces, score(traces), strict=True)]
    results = {}
    for language in ("en", "zh"):
        pairs = [
            (str(t.unknown.get("expected") or HEALTHY), v.failure.value if v.failure else HEALTHY)
            for t, v in zip(traces, verdicts, strict=True)
            if t.language == language
        ]
        classes = sorted({wanted for wanted, _ in pairs})
        results[f"six classes macro-F1, {language}"] = float(np.mean([_class_f1(pairs, c) for c in classes]))
    return results


def _class_f1(pairs: Sequence[tuple[str, str]], name: str) -> float:
    both = sum(wanted == name for wanted, _ in pairs) + sum(found == name for _, found in pairs)
    return 2 * sum(wanted == found == name for wanted, found in pairs) / both if both else 0.0


def make_trace(question: str, answer: str, contexts: Sequence[str]) -> Trace:
    """A trace of nothing but its texts."""
    chunks = [{"text": text} for text in contexts]
    return Trace.model_validate(
        {"trace_id": "row", "question": question, "answer": answer, "retrieval": {"chunks": chunks}}
    )


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def tell(what: str, done: int, total: int) -> None:
    """One line that counts up."""
    if sys.stderr.isatty() or done == total:
        end = "\n" if done == total else ""
        print(f"\r{what}: {done} of {total}", end=end, file=sys.stderr, flush=True)


def read_options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--embedding", help="folder or name of a sentence-transformers model")
    parser.add_argument("--embedding-rows", type=int, help="of each data set, at most (all, unless given)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--fast", action="store_true", help="leave out what needs training")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
