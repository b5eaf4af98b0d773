"""What the watch keeps in ClickHouse, and what it asks for beside traces. Raises SinkError."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from sinks.alerts import Sample
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import measured
from stream import logs
from stream.watch.cases import Candidate
from stream.watch.corrected import Judged
from stream.watch.judged import read_judged
from stream.watch.measures import told
from stream.watch.records import COLUMNS, Incident, Mark, Measure, SegmentKey

_KNOWN_DAYS: Final = 30

_INCIDENTS: Final = """
SELECT incident_id, status, severity, kind, measure, segment,
    toUnixTimestamp64Milli(onset) AS onset, toUnixTimestamp64Milli(detected_at) AS detected_at,
    toUnixTimestamp64Milli(resolved_at) AS resolved_at, toUnixTimestamp64Milli(updated_at) AS updated_at,
    toUnixTimestamp64Milli(notified_at) AS notified_at, baseline, value, low, high, traces, evidence, parent,
    explained_by, release, summary, explanation, cases, notifications
FROM incidents FINAL
WHERE {where}
ORDER BY detected_at, incident_id
"""
_MARKS: Final = """
SELECT toUnixTimestamp64Milli(at) AS at, app, part, value, previous, source, note, made_by
FROM release_marks FINAL
WHERE at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
ORDER BY at
"""
_SAMPLES: Final = """
SELECT trace_id, coalesce(question, '') AS question, coalesce(answer, '') AS answer
FROM traces FINAL WHERE trace_id IN {ids:Array(String)}
"""
_CANDIDATES: Final = 200
_CASES: Final = """
SELECT trace_id, conversation_id AS conversation, {probability} AS probability,
    arrayMin(arrayMap(claim -> JSONExtractFloat(claim, 'support'), JSONExtractArrayRaw(evidence))) AS support,
    length(JSONExtractArrayRaw(evidence)) AS claims, failure_confidence AS confidence,
    concat(left(coalesce(question, ''), 400), ' ', left(coalesce(answer, ''), 600)) AS text
FROM traces FINAL
WHERE timestamp >= fromUnixTimestamp64Milli({{since:Int64}}, 'UTC')
  AND timestamp < fromUnixTimestamp64Milli({{until:Int64}}, 'UTC'){within} AND {which}
ORDER BY {order}, trace_id LIMIT {most}
"""
_HALLUCINATION: Final = measured("hallucination")
_WHICH: Final[Mapping[Measure, tuple[str, str]]] = {
    Measure.HALLUCINATION: ("failure = 'hallucination'", f"{_HALLUCINATION} DESC"),
    Measure.FAITHFULNESS: ("failure = 'hallucination'", f"{measured('faithfulness')}, {_HALLUCINATION} DESC"),
    Measure.REFUSAL: ("refusal", "failure_confidence DESC"),
    Measure.CORRECT_REFUSAL: ("refusal AND quadrant = 'honest'", "failure_confidence DESC"),
}
"""By measure: which traces are cases of it, and which of them are looked at first. An answer that retrieval
is to blame for is no case of a hallucination, however little supports it."""


class WatchStore:
    """Tables `rates`, `incidents` and `release_marks`, and cases out of `traces`."""

    def __init__(self, client: ClickHouse) -> None:
        self._client = client

    def open_incidents(self) -> list[Incident]:
        """All that are not over, with what belongs to them."""
        return self._incidents(
            "status = 'open' OR (status = 'absorbed' AND parent IN "
            "(SELECT incident_id FROM incidents FINAL WHERE status = 'open'))"
        )

    def incidents_since(self, since: float) -> list[Incident]:
        """All that lasted at some time since then; absorbed ones are left out."""
        return self._incidents(
            "status != 'absorbed' AND (resolved_at IS NULL OR "
            "resolved_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC'))",
            {"since": _ms(since)},
        )

    def save_incidents(self, incidents: Iterable[Incident]) -> None:
        """Store their newest states."""
        self._insert("incidents", (incident_row(incident) for incident in incidents))

    def save_rates(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Store rows of table `rates`."""
        self._insert("rates", rows)

    def save_marks(self, marks: Iterable[Mark]) -> None:
        """Store release marks."""
        self._insert("release_marks", (mark_row(mark) for mark in marks))

    def marks_since(self, since: float) -> list[Mark]:
        """Release marks from then on, in order."""
        rows = self._client.query(_MARKS, {"since": _ms(since)})
        return [Mark(**{**row, "at": row["at"] / 1000}) for row in rows]

    def candidates(
        self, measure: Measure, segment: SegmentKey, since: float, until: float
    ) -> list[Candidate]:
        """Traces of the segment and period that may be shown as cases, the worst first."""
        which, order = _WHICH.get(measure, (f"failure = '{measure.value}'", "failure_confidence DESC"))
        places = {column: f"p{number}" for number, (column, _) in enumerate(segment.parts)}
        within = "".join(f" AND {column} = {{{name}:String}}" for column, name in places.items())
        sql = _CASES.format(
            probability=_HALLUCINATION, within=within, which=which, order=order, most=_CANDIDATES
        )
        values = {name: segment.value(column) for column, name in places.items()}
        rows = self._client.query(sql, {"since": _ms(since), "until": _ms(until), **values})
        return [_candidate(row, measure) for row in rows]

    def samples(self, ids: Sequence[str]) -> tuple[Sample, ...]:
        """Question and answer of these traces, in this order."""
        if not ids:
            return ()
        found = {str(row["trace_id"]): row for row in self._client.query(_SAMPLES, {"ids": list(ids)})}
        return tuple(Sample(i, str(found[i]["question"]), str(found[i]["answer"])) for i in ids if i in found)

    def judged(self, since: float, until: float, rows_at_once: int) -> Judged | None:
        """The traces of a period with verdicts of a calibrated judge; null where there are too few."""
        return read_judged(self._client, since, until, rows_at_once)

    def known_values(self, since: float) -> dict[tuple[str, str], dict[str, float]]:
        """By app and release part, each value of the last weeks before `since`, and when it was last seen."""
        known: dict[tuple[str, str], dict[str, float]] = {}
        for column in COLUMNS:
            if not column.startswith("release_"):
                continue
            rows = self._client.query(
                f"SELECT app, {column} AS value, toUnixTimestamp(max(minute)) AS at FROM minute_rates "
                f"WHERE minute >= fromUnixTimestamp({{since:Int64}}) - INTERVAL {_KNOWN_DAYS} DAY "
                f"AND minute < fromUnixTimestamp({{since:Int64}}) AND {column} != '' GROUP BY app, value",
                {"since": int(since)},
            )
            for row in rows:
                part = column.removeprefix("release_")
                known.setdefault((str(row["app"]), part), {})[str(row["value"])] = float(row["at"])
        return known

    def _incidents(self, where: str, parameters: Mapping[str, Any] | None = None) -> list[Incident]:
        sql = _INCIDENTS.replace("{where}", where)
        return [found for row in self._client.query(sql, parameters) if (found := _read_incident(row))]

    def _insert(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        lines = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
        if lines:
            self._client.insert_raw(table, lines)


def incident_row(incident: Incident) -> dict[str, Any]:
    """As table `incidents` has it: faithfulness the right way up."""
    segment, measure = incident.segment, incident.measure
    low, high = _told(measure, incident.low), _told(measure, incident.high)
    if measure is Measure.FAITHFULNESS:
        low, high = high, low
    return {
        "incident_id": incident.incident_id,
        "status": incident.status,
        "severity": incident.severity,
        "kind": incident.kind,
        "measure": measure.value,
        "segment": segment.text,
        "app": segment.value("app"),
        "tenant": segment.value("tenant"),
        "language": segment.value("language"),
        "onset": stamp(incident.onset),
        "detected_at": stamp(incident.detected_at),
        "resolved_at": None if incident.resolved_at is None else stamp(incident.resolved_at),
        "baseline": _told(measure, incident.baseline),
        "value": _told(measure, incident.value),
        "low": low,
        "high": high,
        "traces": incident.traces,
        "evidence": incident.evidence,
        "parent": incident.parent,
        "explained_by": incident.explained_by.text if incident.explained_by else "",
        "release": incident.release,
        "summary": incident.summary,
        "explanation": orjson.dumps(incident.explanation).decode(),
        "cases": list(incident.cases),
        "notifications": incident.notifications,
        "notified_at": None if incident.notified_at is None else stamp(incident.notified_at),
        "updated_at": stamp(incident.updated_at),
    }


def incident_of(row: Mapping[str, Any]) -> Incident:
    """The other way: a row whose times are milliseconds."""
    measure = Measure(str(row["measure"]))
    low, high = _told(measure, row["low"]), _told(measure, row["high"])
    if measure is Measure.FAITHFULNESS:
        low, high = high, low
    at = {
        name: None if row[name] is None else row[name] / 1000
        for name in ("onset", "detected_at", "resolved_at", "updated_at", "notified_at")
    }
    plain = ("incident_id", "status", "severity", "kind", "parent", "release", "summary")
    return Incident(
        **{name: str(row[name]) for name in plain},  # type: ignore[arg-type]
        **at,  # type: ignore[arg-type]
        measure=measure,
        segment=SegmentKey.parse(str(row["segment"])),
        baseline=_told(measure, row["baseline"]),
        value=_told(measure, row["value"]),
        low=low,
        high=high,
        traces=int(row["traces"]),
        evidence=float(row["evidence"]),
        explained_by=SegmentKey.parse(str(row["explained_by"])) if row["explained_by"] else None,
        explanation=orjson.loads(row["explanation"] or "{}"),
        cases=tuple(row["cases"]),
        notifications=int(row["notifications"]),
    )


def _read_incident(row: Mapping[str, Any]) -> Incident | None:
    """An incident; null, and a word in the log, where it is of a kind that we do not know.

    A newer version may have written it, or a person by hand: what is known goes on all the same.
    """
    try:
        return incident_of(row)
    except (ValueError, TypeError) as error:
        logs.get().warning("an incident cannot be read", incident=row["incident_id"], reason=str(error))
        return None


def mark_row(mark: Mark) -> dict[str, Any]:
    """As table `release_marks` has it."""
    fields = ("app", "part", "value", "previous", "source", "note", "made_by")
    return {"at": stamp(mark.at), **{name: getattr(mark, name) for name in fields}}


def stamp(at: float) -> str:
    """A moment as JSON lines have it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def _candidate(row: Mapping[str, Any], measure: Measure) -> Candidate:
    by_support = measure in (Measure.HALLUCINATION, Measure.FAITHFULNESS)
    return Candidate(
        trace_id=str(row["trace_id"]),
        conversation=str(row["conversation"]),
        probability=row["probability"] if by_support else None,
        support=float(row["support"]) if row["claims"] else None,
        confidence=float(row["confidence"]),
        text=str(row["text"]),
    )


def _told(measure: Measure, value: float | None) -> float | None:
    return None if value is None else told(measure, float(value))


def _ms(at: float) -> int:
    return max(0, round(at * 1000))


__all__ = ["WatchStore", "incident_of", "incident_row", "mark_row", "stamp"]
