"""Labels, verdicts and what is known of their traces, from the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from judges.calibration.labels import About, JudgeKey, Label, Said
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import all_measured
from stream.distill.from_store import Period

PAGE: Final = 1_000
"""Traces asked about at once."""
DECLINES: Final = {"full": True, "partial": True, "none": False}
"""What an annotator's word for a refusal says; any other says nothing."""

_PERIOD: Final = """timestamp >= {since:DateTime64(3, 'UTC')} AND timestamp < {until:DateTime64(3, 'UTC')}
    AND ({app:String} = '' OR app = {app:String})"""
_LABELS: Final = f"""
SELECT trace_id, annotator, failure, hallucination, context_sufficient, refusal, ratings, weight, language
FROM annotations FINAL
WHERE {_PERIOD} AND weight > 0
ORDER BY trace_id, annotator
"""
_VERDICT_COLUMNS: Final = f"""trace_id, judge, model, rubric, rubric_version, failure,
    {all_measured(("hallucination", "context_sufficiency"))}, refusal, ratings, language,
    sample_probability"""
_VERDICTS: Final = f"""
SELECT {_VERDICT_COLUMNS} FROM verdicts FINAL
WHERE trace_id IN {{ids:Array(String)}} AND ifNull(error, '') = ''
    AND ({{judge:String}} = '' OR judge = {{judge:String}})
ORDER BY trace_id, judge, model, rubric, rubric_version
"""
_SHARED: Final = f"""
SELECT DISTINCT trace_id FROM verdicts FINAL
WHERE {_PERIOD} AND ifNull(error, '') = ''
GROUP BY trace_id HAVING uniqExact(judge, model, rubric, rubric_version) > 1
ORDER BY trace_id LIMIT {{limit:UInt32}}
"""
_TRACES: Final = """
SELECT trace_id, any(conversation_id) AS conversation, any(language) AS language
FROM traces WHERE trace_id IN {ids:Array(String)} GROUP BY trace_id
"""
_SHEETS: Final = """
SELECT trace_id, 1 - exp(sum(log(1 - least(probability, 1 - 1e-9)))) AS probability
FROM calibration_sheets FINAL WHERE trace_id IN {ids:Array(String)} GROUP BY trace_id
"""


def read_labels(client: ClickHouse, period: Period) -> list[Label]:
    """What people said of the traces of a period, the last word of each. Raises SinkError."""
    return [
        Label(
            trace_id=row["trace_id"],
            annotator=row["annotator"],
            failure=row["failure"] or None,
            hallucination=row["hallucination"],
            context_sufficient=row["context_sufficient"],
            refusal=DECLINES.get(row["refusal"]),
            ratings=row["ratings"],
            weight=float(row["weight"]),
            language=row["language"],
        )
        for row in client.query(_LABELS, period.parameters)
    ]


def read_verdicts(client: ClickHouse, ids: Iterable[str], judge: str = "") -> list[Said]:
    """What judges (or one of them) said of these traces. Raises SinkError."""
    return [
        read_said(row)
        for page in _pages(ids)
        for row in client.query(_VERDICTS, {"ids": page, "judge": judge})
    ]


def find_shared(client: ClickHouse, period: Period, limit: int) -> list[str]:
    """Traces that more than one judge has judged. Raises SinkError."""
    return [row["trace_id"] for row in client.query(_SHARED, period.parameters | {"limit": limit})]


def read_about(client: ClickHouse, ids: Iterable[str]) -> dict[str, About]:
    """Language, conversation and the sheets of these traces, as far as they are stored. Raises SinkError."""
    found: dict[str, About] = {}
    for page in _pages(ids):
        sheets = {r["trace_id"]: float(r["probability"]) for r in client.query(_SHEETS, {"ids": page})}
        traces = {r["trace_id"]: r for r in client.query(_TRACES, {"ids": page})}
        for trace_id in page:
            row = traces.get(trace_id, {})
            found[trace_id] = About(
                row.get("language", ""), row.get("conversation", ""), sheets.get(trace_id)
            )
    return found


def read_said(row: Mapping[str, Any]) -> Said:
    """One verdict from its row. A probability of 0 means that nobody knows it."""
    chance, sufficient = row.get("hallucination"), row.get("context_sufficiency")
    return Said(
        trace_id=row["trace_id"],
        key=JudgeKey(
            row.get("judge") or "",
            row.get("model") or "",
            row.get("rubric") or "",
            row.get("rubric_version") or "",
        ),
        failure=row.get("failure") or None,
        hallucination=None if chance is None else float(chance),
        context_sufficiency=None if sufficient is None else float(sufficient),
        refusal=row.get("refusal"),
        ratings=row.get("ratings") or {},
        language=row.get("language") or "",
        sample_probability=float(row.get("sample_probability") or 0.0) or None,
    )


def _pages(ids: Iterable[str]) -> Iterator[list[str]]:
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), PAGE):
        yield ordered[start : start + PAGE]


__all__ = [
    "DECLINES", "find_shared", "read_about", "read_labels", "read_said", "read_verdicts",
]  # fmt: skip
