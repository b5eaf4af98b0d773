"""Ranking metrics for traces that carry the truth: canaries and labelled traffic.

Hit@K, reciprocal rank, recall@K and NDCG@K with binary gains (Järvelin and Kekäläinen 2002, §2),
K = the chunks returned.
"""

from __future__ import annotations

from math import log2

from schemas.scored import Signals
from schemas.trace import Trace


def measure_gold(trace: Trace) -> Signals:
    """`hit_at_k`, `mrr`, `recall_at_k`, `ndcg` (all 0..1); empty where there is no gold to compare."""
    gold = trace.gold
    retrieval = trace.retrieval
    if gold is None or not gold.chunk_ids or retrieval is None or retrieval.chunks is None:
        return {}
    wanted = set(gold.chunk_ids)
    seen: set[str] = set()
    gains = []
    for chunk in retrieval.chunks:
        hit = chunk.id in wanted and chunk.id not in seen
        gains.append(hit)
        if chunk.id is not None:
            seen.add(chunk.id)
    places = [rank for rank, hit in enumerate(gains, start=1) if hit]
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(len(wanted), len(gains)) + 1))
    return {
        "hit_at_k": 1.0 if places else 0.0,
        "mrr": 1.0 / places[0] if places else 0.0,
        "recall_at_k": len(places) / len(wanted),
        "ndcg": sum(1 / log2(rank + 1) for rank in places) / ideal if ideal else 0.0,
    }
