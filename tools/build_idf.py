"""Build `judges/distilled/data/idf.npz`: how rare each unit is in open text.

    python tools/build_idf.py ../shared/data

Reads the passages of the labelled sets whose licence lets weights ship (`train_ok`), counts in how
many of them each hashed unit occurs, and writes nothing but those counts, as inverse document
frequencies quantised to a byte.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from judges.distilled.measuring.codepoints import HAN
from judges.distilled.measuring.lexicon import read_number_words, word_flags
from judges.distilled.measuring.tokens import tokenize
from judges.distilled.measuring.units import IDF_BITS, find_units

SCALE = 24
TARGET = Path(__file__).parent.parent / "judges" / "distilled" / "data" / "idf.npz"


def read_passages(folder: Path) -> Iterator[str]:
    """Distinct passages that may be used for weights that ship."""
    seen: set[int] = set()
    for name in ("faithfulness.jsonl.gz", "answerability.jsonl.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if not row["train_ok"] or row["split"] != "train":
                    continue
                for passage in row["contexts"]:
                    if hash(passage) not in seen:
                        seen.add(hash(passage))
                        yield passage


def main(folder: Path) -> None:
    """Count and write."""
    counts = np.zeros(1 << IDF_BITS, dtype=np.int64)
    batch: list[str] = []
    total = 0
    for passage in read_passages(folder):
        batch.append(passage[:4000])
        total += 1
        if len(batch) == 200:
            counts += count(batch)
            batch = []
    if batch:
        counts += count(batch)
    counts[counts < 2] = 0  # a bucket hit once is as likely a collision as a word
    idf = np.log((total + 1) / (counts + 1.0))
    quantised = np.clip(np.round(idf * SCALE), 1, 255).astype(np.uint8)
    np.savez_compressed(TARGET, idf=quantised, scale=np.float32(SCALE), passages=np.int64(total))
    print(f"{total} passages, {(counts > 0).sum()} buckets in use, {TARGET.stat().st_size} bytes")


def count(texts: list[str]) -> np.ndarray:
    """In how many of `texts` each bucket occurs."""
    tokens = tokenize(texts)
    read_number_words(tokens)
    units = find_units(tokens, word_flags(tokens))
    han = np.flatnonzero(tokens.kind == HAN)  # single characters too: rare ones betray broken text
    keys = np.concatenate([units.key, tokens.word[han]])
    texts_of = np.concatenate([tokens.text[units.last], tokens.text[han]])
    buckets = (keys >> np.uint64(64 - IDF_BITS)).astype(np.int64)
    distinct = np.unique(texts_of * (1 << IDF_BITS) + buckets)
    return np.bincount(distinct % (1 << IDF_BITS), minlength=1 << IDF_BITS)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data"))
