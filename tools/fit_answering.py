"""Fit how the vectors of an embedding model say whether a passage answers a question.

    pip install 'ragpulse[encoder,distill]'
    python tools/fit_answering.py ../shared/data MODEL_FOLDER --version answering-1

Reads the labelled questions whose licence lets weights ship, embeds them and their passages (some minutes on
a CPU core), and writes `answering.json` into the model's folder; `--ship` puts a copy among the weights of
this repository. Prints what heads that did not see a question reach on it: AUROC by source, beside the cheap
scorer's. How much an answer that the passages hold says of them is fitted on made traces.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from encoder_training.answering import Answered, Table, embed_rows, fit_head
from sklearn.metrics import roc_auc_score

from judges.distillation.faults import Fault, make_faults
from judges.distillation.fit_sufficiency import fit_sufficiency
from judges.distillation.fit_triage import EACH, join, list_made, list_questions, weigh_faults
from judges.distillation.material import read_answerability, read_faithfulness, read_rewrites
from judges.distilled import load_scorer
from judges.encoder.answering import FILE, AnswerHead, Vectors, write_head
from judges.encoder.embedder import MOST_CHARS, Embed, is_held, load_embedding
from judges.triage import triage
from schemas.scored import Judged
from schemas.taxonomy import HEALTHY, Failure

DATA = Path(__file__).parent / "encoder_training" / "data"
E5 = ("query: ", "passage: ")


def main(arguments: list[str]) -> int:
    """Fit, examine, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--version", default="answering-1")
    parser.add_argument("--prefixes", nargs=2, default=E5, help="before a question, and before a passage")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--vectors", type=Path, help="keep vectors here (.npz), and take those that are known"
    )
    parser.add_argument("--ship", action="store_true")
    given = parser.parse_args(arguments)
    rows = _read(given.data, "answerability")
    print(f"{len(rows)} questions: the cheap scorer without their groups", flush=True)
    cheap, faults, made = judge_cheaply(given.data, rows, given.seed)
    print("embedding", flush=True)
    prefixes = (given.prefixes[0], given.prefixes[1])
    embed = remembering(load_embedding(given.model, threads=2), given.vectors)
    table = embed_rows(rows, cheap, embed, prefixes, given.seed)
    answered = embed_answers(faults, made, embed, prefixes)
    head, said = fit_head(table, answered, given.version, prefixes)
    write_head(given.model, head)
    if given.ship:
        shutil.copy(given.model / FILE, DATA / FILE)
    show(table, said)
    show_answered(answered, head)
    return 0


def remembering(embed: Embed, path: Path | None) -> Embed:
    """The same, and what was embedded is kept in a file: to fit again takes seconds then."""
    if path is None:
        return embed

    def look_up(texts: list[str]) -> Vectors:
        known = dict(np.load(path)) if path.exists() else {}
        keys = [blake2b(text.encode(), digest_size=16).hexdigest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if fresh:
            known |= dict(zip(fresh, embed(list(fresh.values())), strict=True))
            np.savez(path, **known)
        found: Vectors = np.stack([known[key] for key in keys])
        return found

    return look_up


def judge_cheaply(
    data: Path, rows: list[dict[str, Any]], seed: int
) -> tuple[list[float], list[Fault], list[float]]:
    """Logits of sufficiency by heads of the shipped kind, fitted without each question's group.

    Those of the rows; then made traces, and theirs.
    """
    sources = [
        *read_answerability(rows),
        *read_faithfulness(_read(data, "faithfulness")),
        *read_rewrites(_read(data, "rewrite")),
    ]
    faults = make_faults(sources, EACH, seed)
    fitted = fit_sufficiency(join(list_questions(rows, seed), list_made(faults)), seed)
    logits: list[float] = fitted.held_out.tolist()
    return logits[: len(rows)], faults, logits[len(rows) :]


def embed_answers(
    faults: list[Fault], cheap: list[float], embed: Embed, prefixes: tuple[str, str]
) -> Answered:
    """Made traces that are healthy, or whose passages answer nothing, with answers that the passages hold."""
    scores = load_scorer().score([fault.trace for fault in faults])
    worth = weigh_faults(faults)
    kept = [
        i
        for i, (fault, score) in enumerate(zip(faults, scores, strict=True))
        if fault.failure in (HEALTHY, Failure.POOR_RETRIEVAL)
        and is_held(Judged(fault.trace, score, triage(fault.trace, score)))
    ]
    asked = [faults[i].trace.rewritten_query or faults[i].trace.question for i in kept]
    before_question, before_passage = prefixes
    return Answered(
        questions=embed([before_question + (text or "") for text in asked]),
        answers=embed([before_passage + (faults[i].trace.answer or "")[:MOST_CHARS] for i in kept]),
        answerable=np.array([int(faults[i].holds_answer) for i in kept]),
        cheap=np.array([cheap[i] for i in kept]),
        worth=worth[kept],
        language=np.array([faults[i].language for i in kept]),
    )


def show(table: Table, said: dict[str, Any]) -> None:
    """AUROC by source, and by language."""
    cosines = np.einsum("ij,ij->i", table.questions[table.owner], table.passages)
    cosine = np.full(len(table.answerable), -1.0)
    np.maximum.at(cosine, table.owner, cosines)
    columns = {"cheap": table.cheap, "cosine": cosine, **said}
    print("rows of".ljust(16), *(name.rjust(8) for name in columns), "    rows")
    for names in (table.source, table.language):
        for name in np.unique(names):
            mine = names == name
            show_line(name, table.answerable[mine], [values[mine] for values in columns.values()])


def show_answered(answered: Answered, head: AnswerHead) -> None:
    """AUROC on made traces with answers that their passages hold, by language."""
    print("answered".ljust(16), *(name.rjust(8) for name in ("cheap", "answer", "both")), "    rows")
    for language in np.unique(answered.language).tolist():
        mine, weights = answered.language == language, head.of(language)
        products = (answered.questions[mine] * weights.weights) * answered.answers[mine]
        own, cheap = products.sum(axis=1) + weights.bias, answered.cheap[mine]
        both = weights.answered.bias + weights.answered.cheap * cheap + weights.answered.encoder * own
        show_line(language, answered.answerable[mine], [cheap, own, both])


def show_line(name: str, labels: Any, columns: list[Any]) -> None:
    """The AUROC of each column, and how many rows there are."""
    print(
        name.ljust(16), *(f"{roc_auc_score(labels, values):8.3f}" for values in columns), f"{len(labels):8}"
    )


def _read(folder: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if row["train_ok"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
