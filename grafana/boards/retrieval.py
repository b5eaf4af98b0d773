"""Retrieval: does it find what is needed? Empty recalls, relevance, sufficiency, ranks where gold exists."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard

from grafana import parts
from grafana.queries import RATES, SEEN, share, where

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
            "Retrieval latency",
            "Milliseconds, to the nearest tenth: median and 95th percentile.",
            parts.sql(_latency()),
            unit="ms",
        ),
        parts.stacked("State of retrieval", "What was seen of the search.", parts.sql(_states())),
    ]
    for panel in panels:
        made = made.with_panel(panel.span(12).height(8))
    return made.with_panel(_unanswered().span(24).height(9))


def _gold() -> str:
    means = ",\n    ".join(
        f'{share(f"sum({column}_sum)", "sum(gold_measured)")} AS "{title}"'
        for column, title in (
            ("hit_at_k", "hit at k"),
            ("mrr", "mrr"),
            ("recall_at_k", "recall"),
            ("ndcg", "ndcg"),
        )
    )
    return f"""SELECT $__timeInterval(minute) AS time,
    {means}
FROM {RATES}
WHERE {where()}
GROUP BY time
HAVING sum(gold_measured) > 0
ORDER BY time"""


def _chunks() -> str:
    return f"""SELECT $__timeInterval(minute) AS time,
    {share("sum(chunks_sum)", "sum(chunks_measured)")} AS retrieved,
    {share("sum(evidence_chunks_sum)", "sum(chunks_measured)")} AS "evidence for the weakest claims"
FROM {RATES}
WHERE {where()}
GROUP BY time
ORDER BY time"""


def _latency() -> str:
    return f"""SELECT time, pow(1.1, quantileExactWeighted(0.5)(bucket, n)) AS median,
    pow(1.1, quantileExactWeighted(0.95)(bucket, n)) AS p95
FROM
(
    SELECT $__timeInterval(minute) AS time, sumMap(retrieval_latency) AS held
    FROM {RATES}
    WHERE {where()}
    GROUP BY time
)
ARRAY JOIN mapKeys(held) AS bucket, mapValues(held) AS n
GROUP BY time
ORDER BY time"""


def _states() -> str:
    return f"""SELECT time, state, n / total AS share
FROM
(
    SELECT $__timeInterval(minute) AS time, sumMap(retrieval_states) AS held,
        arraySum(mapValues(held)) AS total
    FROM {RATES}
    WHERE {where()}
    GROUP BY time
)
ARRAY JOIN mapKeys(held) AS state, mapValues(held) AS n
ORDER BY time"""


def _unanswered() -> parts.Table:
    text = f"""SELECT intent, language, release_index, sum(traces) AS "all traces",
    {share("sum(empty_recall)", "sum(traces)")} AS "empty recall",
    {share("sum(poor_retrieval)", "sum(traces)")} AS "poor retrieval",
    {share("sum(context_sufficiency_sum)", "sum(context_sufficiency_measured)")} AS sufficiency
FROM {RATES}
WHERE {where()}
GROUP BY intent, language, release_index
HAVING "all traces" >= 20
ORDER BY "empty recall" + "poor retrieval" DESC
LIMIT 50"""
    panel = parts.rows(
        "Where documents are missing", "Intents whose searches fail most, of at least 20 traces.", text
    )
    return parts.as_heat(parts.as_shares(panel, ["sufficiency"]), ["empty recall", "poor retrieval"], bad=0.3)


__all__ = ["UID", "build"]
