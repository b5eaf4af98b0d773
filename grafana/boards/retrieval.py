"""Retrieval: does it find what is needed? Empty recalls, relevance, sufficiency, ranks where gold exists."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard

from grafana import parts
from grafana.queries import SEEN, share, where

UID = "ragpulse-retrieval"


def build() -> dashboard.Dashboard:
    """Everything about the chunks."""
    made = parts.board(UID, "ragpulse / Retrieval", "Does the retriever find what is needed?")
    panels = [
        parts.band(
            "Empty recall", "Searches that ran and found nothing.", "sum(empty_recall)", SEEN, "empty recall"
        ),
        parts.band(
            "Poor retrieval",
            "Chunks that do not hold what was asked.",
            "sum(poor_retrieval)",
            SEEN,
            "poor retrieval",
        ),
        parts.band(
            "Context relevance",
            "How much the chunks are about the question: the mean, 0 to 1.",
            "sum(context_relevance_sum)",
            "sum(context_relevance_measured)",
            "context relevance",
        ),
        parts.band(
            "Context sufficiency",
            "The probability that the chunks hold an answer: the mean, 0 to 1.",
            "sum(context_sufficiency_sum)",
            "sum(context_sufficiency_measured)",
            "context sufficiency",
        ),
        parts.chart("Ranks where gold is known", "Canary and labelled traffic only.", parts.sql(_gold())),
        parts.chart(
            "Chunks a search",
            "Chunks retrieved, and those cited or used as evidence for a claim.",
            parts.sql(_chunks()),
            unit="short",
        ),
        parts.chart(
            "Retrieval latency", "Milliseconds: median and 95th percentile.", parts.sql(_latency()), unit="ms"
        ),
        parts.stacked("State of retrieval", "What was seen of the search.", parts.sql(_states())),
    ]
    for panel in panels:
        made = made.with_panel(panel.span(12).height(8))
    return made.with_panel(_unanswered().span(24).height(9))


def _gold() -> str:
    return f"""SELECT $__timeInterval(timestamp) AS time, avg(hit_at_k) AS "hit at k", avg(mrr) AS mrr,
    avg(recall_at_k) AS recall, avg(ndcg) AS ndcg
FROM traces FINAL
WHERE {where("timestamp")} AND hit_at_k IS NOT NULL
GROUP BY time
ORDER BY time"""


def _chunks() -> str:
    return f"""SELECT $__timeInterval(timestamp) AS time, avg(chunk_count) AS retrieved,
    avg(length(arrayDistinct(arrayFilter(
        c -> c != '', JSONExtract(evidence, 'Array(Tuple(chunk_id String))').chunk_id))))
        AS "evidence for the weakest claims"
FROM traces FINAL
WHERE {where("timestamp")} AND chunk_count IS NOT NULL
GROUP BY time
ORDER BY time"""


def _latency() -> str:
    return f"""SELECT $__timeInterval(timestamp) AS time, quantile(0.5)(retrieval_latency_ms) AS median,
    quantile(0.95)(retrieval_latency_ms) AS p95
FROM traces FINAL
WHERE {where("timestamp")} AND retrieval_latency_ms IS NOT NULL
GROUP BY time
ORDER BY time"""


def _states() -> str:
    return f"""SELECT time, state, n / sum(n) OVER (PARTITION BY time) AS share
FROM
(
    SELECT $__timeInterval(timestamp) AS time, retrieval_state AS state, count() AS n
    FROM traces FINAL
    WHERE {where("timestamp")}
    GROUP BY time, state
)
ORDER BY time"""


def _unanswered() -> parts.Table:
    text = f"""SELECT intent, language, release_index, count() AS traces,
    {share("countIf(failure = 'empty_recall')", "count()")} AS "empty recall",
    {share("countIf(failure = 'poor_retrieval')", "count()")} AS "poor retrieval",
    avg(context_sufficiency) AS sufficiency
FROM traces FINAL
WHERE {where("timestamp")}
GROUP BY intent, language, release_index
HAVING traces >= 20
ORDER BY "empty recall" + "poor retrieval" DESC
LIMIT 50"""
    panel = parts.rows(
        "Where documents are missing", "Intents whose searches fail most, of at least 20 traces.", text
    )
    return parts.as_heat(parts.as_shares(panel, ["sufficiency"]), ["empty recall", "poor retrieval"], bad=0.3)


__all__ = ["UID", "build"]
