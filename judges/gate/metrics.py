"""What a gate measures: each metric, and the layer that it speaks for. All are 0..1, and more is better."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Layer(StrEnum):
    """The parts of a system, bottom-up: what fails below explains what fails above."""

    INDEX = "index"
    RETRIEVAL = "retrieval"
    RERANK = "rerank"
    GENERATION = "generation"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. `judged`: by the LLM judges, who may say something else when they are asked again."""

    name: str
    layer: Layer
    means: str
    judged: bool = False


_ALL: Final = (
    Metric("indexed", Layer.INDEX, "share of the gold chunks that the index holds (needs a list of it)"),
    Metric("found_anything", Layer.INDEX, "whether the retrieval ran and returned any text"),
    Metric("hit_at_k", Layer.RETRIEVAL, "whether a gold chunk is among the first k of the retriever"),
    Metric("mrr", Layer.RETRIEVAL, "1 / rank of the first gold chunk; 0 where it is not among the first k"),
    Metric("recall_at_k", Layer.RETRIEVAL, "share of the gold chunks among the first k"),
    Metric("ndcg", Layer.RETRIEVAL, "discounted gain of the first k, each chunk gold or not"),
    Metric("context_precision", Layer.RETRIEVAL, "average precision of the first k: how far up gold is"),
    Metric("context_recall", Layer.RETRIEVAL, "share of the reference's claims that the chunks support"),
    Metric("judged_context_precision", Layer.RETRIEVAL, "the same, by the judges", judged=True),
    Metric("judged_context_recall", Layer.RETRIEVAL, "the same, by the judges", judged=True),
    Metric("rerank_hit_at_k", Layer.RERANK, "hit_at_k in the order of the reranker"),
    Metric("rerank_mrr", Layer.RERANK, "mrr in the order of the reranker"),
    Metric("rerank_recall_at_k", Layer.RERANK, "recall_at_k in the order of the reranker"),
    Metric("rerank_ndcg", Layer.RERANK, "ndcg in the order of the reranker"),
    Metric("rerank_context_precision", Layer.RERANK, "context_precision in the order of the reranker"),
    Metric("answered", Layer.GENERATION, "whether there is an answer, and no error"),
    Metric("texts", Layer.GENERATION, "whether it contains what it must, and not what it must not"),
    Metric("refusal_correctness", Layer.GENERATION, "whether it refuses where it should, and only there"),
    Metric("faithfulness", Layer.GENERATION, "share of the answer's claims that the chunks support"),
    Metric("answer_relevance", Layer.GENERATION, "how far the answer speaks of what was asked"),
    Metric("judged_faithfulness", Layer.GENERATION, "the same by the judges", judged=True),
    Metric("judged_answer_relevance", Layer.GENERATION, "the same by the judges", judged=True),
    Metric("judged_refusal_correctness", Layer.GENERATION, "the same by the judges", judged=True),
)  # fmt: skip

METRICS: Final = {metric.name: metric for metric in _ALL}
"""By name, bottom-up."""

RANKED: Final = ("hit_at_k", "mrr", "recall_at_k", "ndcg", "context_precision")
"""Of the order of the chunks: measured of the retriever, and of a reranker where there is one."""


def metrics_of(layer: Layer) -> tuple[Metric, ...]:
    """The metrics of a layer, in order."""
    return tuple(metric for metric in _ALL if metric.layer is layer)


__all__ = ["METRICS", "RANKED", "Layer", "Metric", "metrics_of"]
