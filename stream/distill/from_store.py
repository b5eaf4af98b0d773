"""Labels from tables `annotations` and `verdicts`, and their traces from table `traces`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import orjson

from judges.distillation.examples import CLASSES, Source, Spans, Vote
from judges.distillation.measured import Tell
from judges.redaction.placing import place
from schemas.restore import TRACE_COLUMNS, TextsGone, trace_from_row
from sinks.clickhouse.client import ClickHouse
from stream.distill.gathered import Gathered
from stream.period import Period
from stream.period import stamp as in_utc
from stream.worker.cuts import CUT_SIGNAL

PAGE: Final = 500
"""Traces fetched at once."""
_EXPIRED: Final = "the texts of the trace have expired (RAGPULSE_CLICKHOUSE__TEXT_RETENTION_DAYS)"
_CUT: Final = "the texts of the trace did not fit a row"
_UNREADABLE: Final = "the row of the trace cannot be read"

_PERIOD: Final = """timestamp >= {since:DateTime64(3, 'UTC')} AND timestamp < {until:DateTime64(3, 'UTC')}
    AND ({app:String} = '' OR app = {app:String})"""
_ANNOTATIONS: Final = f"""
SELECT trace_id, annotator, failure, hallucination, spans, claims, weight
FROM annotations FINAL
WHERE {_PERIOD} AND weight > 0
ORDER BY timestamp DESC, trace_id, annotator
LIMIT {{limit:UInt32}}
"""
_VERDICTS: Final = f"""
SELECT trace_id, judge, model, failure, failure_confidence, hallucination, sample_probability
FROM verdicts FINAL
WHERE {_PERIOD} AND ifNull(error, '') = '' AND role = 'verdict'
ORDER BY timestamp DESC, trace_id, judge, model, rubric, rubric_version
LIMIT {{limit:UInt32}}
"""
_TRACES: Final = f"""
SELECT {", ".join(TRACE_COLUMNS)}, JSONHas(signals, '{CUT_SIGNAL}') AS was_cut
FROM traces FINAL
WHERE {_PERIOD} AND trace_id IN {{ids:Array(String)}}
ORDER BY trace_id, timestamp DESC, app
LIMIT 1 BY trace_id
"""


def read_store(client: ClickHouse, period: Period, limit: int, into: Gathered, tell: Tell) -> None:
    """Add the newest labels of a period (`limit` of each kind) and the traces they are about.

    Raises SinkError.
    """
    parameters = period.parameters | {"limit": limit}
    claims: dict[tuple[str, str], str] = {}
    for row in client.query(_ANNOTATIONS, parameters):
        into.votes[row["trace_id"]].append(_read_annotation(row))
        if row["claims"]:
            claims[row["trace_id"], row["annotator"]] = row["claims"]
    for row in client.query(_VERDICTS, parameters):
        into.votes[row["trace_id"]].append(_read_verdict(row))
    ids = sorted(into.missing())
    for start in range(0, len(ids), PAGE):
        page = ids[start : start + PAGE]
        for row in client.query(_TRACES, period.parameters | {"ids": page}):
            _add_trace(row, into)
        tell("fetching traces", start + len(page), len(ids))
    _place_claims(claims, into)
    unusable = sum(into.left_out[reason] for reason in (_EXPIRED, _CUT, _UNREADABLE))
    into.left_out["the trace is not in the store"] += sum(1 for _ in into.missing()) - unusable


def _add_trace(row: Mapping[str, Any], into: Gathered) -> None:
    if row["was_cut"]:
        into.left_out[_CUT] += 1
        return
    try:
        into.traces[row["trace_id"]] = trace_from_row(row)
    except TextsGone:
        into.left_out[_EXPIRED] += 1
    except ValueError:
        into.left_out[_UNREADABLE] += 1


def _place_claims(claims: Mapping[tuple[str, str], str], into: Gathered) -> None:
    """Claims were marked in a redacted answer, and are learned from in the one that was given."""
    for (trace_id, annotator), said in claims.items():
        trace = into.traces.get(trace_id)
        if trace is None or not trace.answer:
            continue
        spans = []
        for claim in orjson.loads(said):
            placed = (
                place(claim["text"], claim["start"], trace.answer) if claim["supported"] is False else None
            )
            spans += [placed] if placed else []
        into.votes[trace_id] = [
            replace(vote, spans=tuple(spans) or None)
            if vote.by is Source.HUMAN and vote.who == annotator
            else vote
            for vote in into.votes[trace_id]
        ]


def _read_annotation(row: Mapping[str, Any]) -> Vote:
    said = row["hallucination"]
    return Vote(
        by=Source.HUMAN,
        who=row["annotator"],
        hallucination=None if said is None else float(bool(said)),
        failure=_read_class(row["failure"]),
        weight=float(row["weight"]),
        spans=read_spans(row["spans"]),
    )


def _read_verdict(row: Mapping[str, Any]) -> Vote:
    chance, confidence = row["hallucination"], row["failure_confidence"]
    return Vote(
        by=Source.JUDGE,
        who=f"{row['judge']}/{row['model']}".strip("/"),
        hallucination=None if chance is None else min(max(float(chance), 0.0), 1.0),
        failure=_read_class(row["failure"]),
        weight=1.0 if confidence is None else min(max(float(confidence), 0.0), 1.0),
        sample_probability=float(row["sample_probability"]) or 1.0,
    )


def _read_class(name: str) -> str | None:
    return name if name in CLASSES else None


def read_spans(value: Any) -> Spans | None:
    """Offsets from JSON: `[[3, 9]]` or `[{"start": 3, "end": 9}]`; null for anything else, and for none."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value) if value else None
        except orjson.JSONDecodeError:
            return None
    if not isinstance(value, list):
        return None
    sound = []
    for span in value:
        pair = [span.get("start"), span.get("end")] if isinstance(span, dict) else span
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, int) for n in pair):
            sound.append((pair[0], pair[1]))
    return tuple(sound) or None


__all__ = ["Period", "in_utc", "read_spans", "read_store"]
