"""The model card: data, licences, metrics and limits of the shipped scorer, written from its manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from judges.distilled.heads.weights import Manifest

HEADER: Final = """# Model card: {version}

The scorer that ships with ragpulse: boosted trees over lexical measures, on one CPU core, in Chinese and
English. One forest judges every claim of an answer against the retrieved chunks (`faithfulness`, evidence), a
second one the whole answer (`hallucination`). Written by `tools/fit_student.py` from the manifest beside the
weights; do not edit by hand.

* **Weights**: `judges/distilled/data/student.npz`, sha256 `{sha256}`, arrays alone (no pickle).
  Made {made_at}, seed {seed}, parent: {parent}.
* **Decision**: `hallucination` ≥ 0.5. Calibrated by language (Platt's scaling on answers that the trees did
  not learn from), then moved so that 0.5 gives the best mean F1 over the sources.
* **Intended use**: to monitor many traces cheaply, to rank them, and to choose which ones a person or a
  costly judge should read. Not to decide about a single answer.

## Data

Only sources under a permissive licence taught, calibrated or set a threshold. The weights hold no text.

| source | rows | unsupported | licence of the labels |
|---|---|---|---|
"""

RESULTS: Final = """
## Results

Five folds of whole groups (documents, pages, conversations): no row is judged by trees, or by stacked inputs,
that learned from its group. F1, balanced accuracy and expected calibration error (ECE) at 0.5.
`benchmarks/quality.py` prints the same with every source left out in turn, beside other scorers.

| rows of | rows | unsupported | AUROC | F1 | balanced accuracy | ECE |
|---|---|---|---|---|---|---|
"""

LIMITS: Final = """
## Limits

* It compares words, numbers, names and negations; it does not understand. An answer that keeps the words and
  changes what they say together (SummEdits, Fool-me-twice) is judged little better than by chance.
* Heavy paraphrase looks unsupported; a claim in other words than its source costs precision.
* How an answer is written (length, lists, hedges) counts for answers to records and summaries, where it told
  careless writers from careful ones in the training data. On other writers it may mislead.
* Pairs made by corruption teach single changed facts; their faults are more regular than real ones.
* Domains differ in how many answers are bad: read probabilities as ranks until they are calibrated on your
  own labels (`ragpulse distill`).
* What is recognised as another language than Chinese and English, by its script or its function words, is not
  scored. A short sentence in another language of Latin script may pass for English.
* In short contexts of several chunks the rules of the first scorer count for most; labelled data hold none.
* What writers of the training data got wrong (their rates of error by task) softens the labels of RAGTruth:
  part of what is learned there is who writes carefully.
"""


def write_card(path: Path, manifest: Manifest) -> None:
    """Write the card of a manifest to `path`."""
    text = HEADER.format(
        version=manifest.version,
        sha256=manifest.sha256,
        made_at=manifest.made_at,
        seed=manifest.seed,
        parent=manifest.parent or "none",
    )
    for name, source in manifest.data.items():
        text += f"| {name} | {source['rows']} | {source['unsupported']} | {source['licence']} |\n"
    text += RESULTS
    for name, m in manifest.metrics.items():
        text += f"| {name} | {m['rows']} | {m['bad']} | {m['auroc']:.3f} | {m['f1']:.3f} "
        text += f"| {m['balanced_accuracy']:.3f} | {m['ece']:.3f} |\n"
    path.write_text(text + LIMITS, encoding="utf-8")
