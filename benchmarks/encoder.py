"""What the encoder tier reaches and costs: alone, and as a cascade behind the cheap scorer.

    python -m benchmarks.encoder MODEL_FOLDER [--data ../shared/data] [--share 0.2] [--limit N] [--out FILE]

Reads the development rows (the encoder has not been trained on them) of each labelled set. Per set and
task: AUROC, and F1 and balanced accuracy at 0.5, with 95 % intervals over whole groups, of the cheap scorer,
of the encoder, of both on every trace, and of the cascade, where at most `--share` of all traces, the most
uncertain band of them, is read by both and the others by the cheap scorer alone. Then what a pair and a
trace cost in CPU time. Needs the extra `encoder` and a model built by tools/build_encoder.py.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from judges.distillation.metrics import auroc, balanced_accuracy, draw_weights, estimate, f1
from judges.distilled import load_scorer
from judges.encoder.cascade import Band, Doubt, Share, choose
from judges.encoder.model import EncoderJudge
from judges.encoder.tier import EncoderScore, EncoderTier, TierOptions
from judges.triage import triage
from schemas.scored import Judged
from schemas.trace import Trace

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
MEASURES = {"auroc": auroc, "f1": f1, "balanced_accuracy": balanced_accuracy}
SEED = 5


@dataclass(slots=True)
class Line:
    """One labelled row, and the probabilities of a hallucination that were found for it."""

    row: dict[str, Any]
    judged: Judged
    score: EncoderScore | None = None
    sent: bool = False

    def chances(self) -> dict[str, float]:
        """Probability by scorer; without one, that of the cheap scorer, or that nothing was measured."""
        cheap = self.judged.scores.hallucination
        base = 0.0 if cheap is None else cheap
        claims = self.score.claims if self.score else None
        alone = claims.hallucination if claims else base
        both = claims.combined if claims and claims.combined is not None else alone
        return {"cheap": base, "encoder": alone, "both": both, "cascade": both if self.sent else base}


def read_rows(folder: Path, limit: int) -> list[dict[str, Any]]:
    """At most `limit` development rows of each source, drawn by a fixed seed."""
    with gzip.open(folder / "faithfulness.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [r for r in map(json.loads, lines) if r["split"] == "dev"]
    Random(SEED).shuffle(rows)
    taken: dict[str, int] = defaultdict(int)
    kept = []
    for row in rows:
        taken[row["source"]] += 1
        if taken[row["source"]] <= limit:
            kept.append(row)
    return kept


def judge_cheaply(rows: Sequence[dict[str, Any]]) -> Iterator[Line]:
    """Every row as the worker would have it before the tier."""
    scorer = load_scorer()
    for row in rows:
        chunks = [{"text": text} for text in row["contexts"]]
        trace = Trace.model_validate(
            {
                "trace_id": row["id"],
                "question": row["question"] or "",
                "answer": row["answer"],
                "retrieval": {"chunks": chunks},
            }
        )
        [scores] = scorer.score([trace])
        yield Line(row, Judged(trace, scores, triage(trace, scores)))


def find_band(lines: Sequence[Line], share: float) -> Band:
    """The band around one half that holds about `share` of the traces: as an operator would set it."""
    distances = sorted(abs((x.judged.scores.hallucination or 0.0) - 0.5) for x in lines)
    width = distances[max(0, int(share * len(distances)) - 1)]
    return Band(0.5 - width, 0.5 + width)


def send(lines: Sequence[Line], share: float) -> Band:
    """Mark the lines that the cascade reads: never more than the share of them."""
    band = find_band(lines, share)
    for i in choose([x.judged for x in lines], Doubt(band), Share(share)):
        lines[i].sent = True
    return band


def parts(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Lines by data set, and by task where a set has several."""
    found: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        source = line.row["source"]
        found[source].append(line)
        if source.startswith("summedits"):
            found["summedits, all"].append(line)
        if source.startswith("ragtruth"):
            found["ragtruth, all"].append(line)
            found[f"ragtruth, {line.row['task']}"].append(line)
    return dict(sorted(found.items()))


def measure(lines: Sequence[Line]) -> dict[str, dict[str, Any]]:
    """Each measure of each scorer, with its interval."""
    labels = np.array([float(x.row["label"]) for x in lines])
    groups = np.unique([x.row["group"] for x in lines], return_inverse=True)[1].astype(np.int64)
    weights = draw_weights(groups, np.ones(len(lines)), SEED)
    chances = [x.chances() for x in lines]
    return {
        scorer: {
            name: estimate(each(labels, np.array([c[scorer] for c in chances]), weights)).as_json()
            for name, each in MEASURES.items()
        }
        for scorer in ("cheap", "encoder", "both", "cascade")
    }


def table(report: dict[str, Any]) -> str:
    """The report as a person reads it."""
    heads = "set | rows | sent | cheap AUROC / F1 | encoder | both | cascade"
    out = [f"| {heads} |", "|" + "---|" * 7]
    for name, part in report["sets"].items():
        cells = [
            " / ".join("–" if m[k] is None else f"{m[k][0]:.3f}" for k in ("auroc", "f1"))
            for m in part["measures"].values()
        ]
        out.append(f"| {name} | {part['rows']} | {part['sent']:.0%} | {' | '.join(cells)} |")
    cost = report["cost"]
    out.append(
        f"\n{report['model']} behind {report['scorer']}: {cost['pairs']} pairs, {cost['ms_a_pair']:.1f} ms "
        f"of CPU a pair, {cost['pairs_a_trace']:.1f} pairs a trace read, {cost['ms_a_trace']:.1f} ms of CPU "
        f"a trace read; at most {report['share']:.0%} of the traces of each family of sets sent"
    )
    return "\n".join(out)


def examine(lines: Sequence[Line], share: float) -> dict[str, Any]:
    """The cascade on each family of sets as on traffic of its own, and every measure of every part."""
    families: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        families[line.row["source"].split("_")[0]].append(line)
    bands = {name: send(family, share) for name, family in families.items()}
    sets = {
        name: {
            "rows": len(part),
            "sent": sum(x.sent for x in part) / len(part),
            "measures": measure(part),
        }
        for name, part in parts(lines).items()
    }
    return {"sets": sets, "bands": {name: [band.low, band.high] for name, band in bands.items()}}


def read_all(lines: Sequence[Line], reader: EncoderJudge) -> dict[str, float]:
    """Let the encoder read every row, and say what that cost."""
    tier = EncoderTier(TierOptions(), reader)
    began = time.process_time()
    for done, line in enumerate(lines):
        line.score = tier.read(line.judged)
        if done % 200 == 199:
            print(f"{done + 1} of {len(lines)} rows", file=sys.stderr, flush=True)
    spent = 1000 * (time.process_time() - began)
    read = [x.score.claims.pairs for x in lines if x.score and x.score.claims]
    return {
        "pairs": sum(read),
        "ms_a_pair": spent / sum(read),
        "pairs_a_trace": sum(read) / len(read),
        "ms_a_trace": spent / len(read),
    }


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--limit", type=int, default=400, help="rows of each source, at most")
    parser.add_argument("--sources", default="", help="only sources that begin with one of these, by commas")
    parser.add_argument("--out", type=Path, help="the report as JSON")
    given = parser.parse_args(arguments)
    rows = read_rows(given.data, given.limit)
    lines = list(judge_cheaply([r for r in rows if r["source"].startswith(tuple(given.sources.split(",")))]))
    reader = EncoderJudge(given.model)
    cost = read_all(lines, reader)
    scorer = lines[0].judged.scores.scorer_version
    report = {"model": reader.version, "scorer": scorer, "share": given.share, "cost": cost}
    report |= examine(lines, given.share)
    print(table(report))
    if given.out:
        given.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
