"""Ranking metrics of retrieved chunks against the gold chunks of a case.

Hit@K, reciprocal rank, recall@K, NDCG@K with binary gains (Järvelin and Kekäläinen 2002, §2) and average
precision over what was found (Manning et al. 2008, "Introduction to Information Retrieval", §8.4).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from math import log2
from typing import Final

from judges.gate.metrics import RANKED
from judges.golden import GoldenCase
from schemas.trace import Chunk

_SHINGLE: Final = 5
_ALIKE: Final = 0.8
"""Share of a gold text's shingles from which a chunk holds it, whatever the chunk is called."""
_SHORTEST: Final = 12
"""Characters of a gold text that say enough to know it by."""
Found = Sequence[frozenset[str]]
"""Per chunk, in order of rank, the gold chunks that it stands for."""


def find_gold(case: GoldenCase, chunks: Sequence[Chunk]) -> list[frozenset[str]]:
    """Which gold chunks each chunk stands for: by its id, else by its text, as a new index has new ids."""
    texts = {name: folded(text) for name, text in case.gold_texts.items()}
    known = {name: _shingles(text) for name, text in texts.items() if len(text) >= _SHORTEST}
    wanted = frozenset(case.gold_chunk_ids)
    found = []
    for chunk in chunks:
        if chunk.id in wanted:
            found.append(frozenset({chunk.id}))
        else:
            found.append(_by_text(chunk.text, known) if chunk.text and known else frozenset())
    return found


def can_be_told(case: GoldenCase, chunks: Sequence[Chunk]) -> bool:
    """Whether it can be told of every chunk if it is gold: by an id, or by a text and gold texts."""
    by_text = len(case.gold_texts) == len(case.gold_chunk_ids)
    return all(chunk.id is not None or (by_text and chunk.text is not None) for chunk in chunks)


def rank(found: Found, wanted: int, k: int) -> dict[str, float]:
    """The metrics of `RANKED` over the first `k` chunks, each 0..1; `wanted` is the number of gold chunks.

    >>> rank([frozenset(), frozenset({"a"})], wanted=1, k=5)["mrr"]
    0.5
    """
    gains, relevant, seen = [], [], set[str]()
    for chunk in found[:k]:
        gains.append(bool(chunk - seen))
        relevant.append(bool(chunk))
        seen |= chunk
    places = [place for place, gain in enumerate(gains, 1) if gain]
    ideal = sum(1 / log2(place + 1) for place in range(1, min(wanted, k) + 1))
    precisions = [sum(relevant[:place]) / place for place, hit in enumerate(relevant, 1) if hit]
    values = {
        "hit_at_k": 1.0 if places else 0.0,
        "mrr": 1 / places[0] if places else 0.0,
        "recall_at_k": len(seen) / wanted,
        "ndcg": min(1.0, sum(1 / log2(place + 1) for place in places) / ideal),
        "context_precision": sum(precisions) / len(precisions) if precisions else 0.0,
    }
    return {name: values[name] for name in RANKED}


def in_retrievers_order(chunks: Sequence[Chunk]) -> list[Chunk] | None:
    """The chunks as they stood before the reranker, by their scores; null where that is not known."""
    scores = [chunk.score for chunk in chunks]
    if any(score is None for score in scores):
        return None
    order = sorted(range(len(chunks)), key=lambda at: -(chunks[at].score or 0.0))
    return [chunks[at] for at in order]


def was_reranked(chunks: Sequence[Chunk]) -> bool:
    """Whether a reranker was seen."""
    return any(chunk.rerank_score is not None for chunk in chunks)


def folded(text: str) -> str:
    """A text without what layout changes: width, case, white space.

    >>> folded("ＲＫ3588  支持\\nINT4")
    'rk3588 支持 int4'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _by_text(text: str, known: Mapping[str, frozenset[str]]) -> frozenset[str]:
    own = _shingles(folded(text))
    return frozenset(name for name, gold in known.items() if len(gold & own) >= _ALIKE * len(gold))


def _shingles(text: str) -> frozenset[str]:
    bare = text.replace(" ", "")
    return frozenset(bare[at : at + _SHINGLE] for at in range(max(1, len(bare) - _SHINGLE + 1)))


__all__ = ["Found", "can_be_told", "find_gold", "folded", "in_retrievers_order", "rank", "was_reranked"]
