"""Incidents, and the story of one: rates around it, releases before it, its parts, its worst cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from console.drawing.spark import Point
from console.figures import Figure, known
from console.queries.said import READ, shown
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import all_measured

_COLUMNS: Final = """incident_id, status, severity, kind, measure, segment, app, tenant, language,
    toUnixTimestamp64Milli(onset) / 1000 AS onset_s,
    toUnixTimestamp64Milli(detected_at) / 1000 AS detected_s,
    toUnixTimestamp64Milli(coalesce(resolved_at, toDateTime64(0, 3, 'UTC'))) / 1000 AS resolved_s,
    toUnixTimestamp64Milli(updated_at) / 1000 AS updated_s,
    baseline, value, low, high, traces, evidence, parent, explained_by, release, summary, explanation, cases,
    notifications"""
_OPEN: Final = f"""
SELECT {_COLUMNS} FROM incidents FINAL WHERE status = 'open'
ORDER BY severity = 'page' DESC, detected_at DESC LIMIT 50
"""
_ALL: Final = f"""
SELECT {_COLUMNS} FROM incidents FINAL
WHERE status != 'absorbed' AND ({{status:String}} = '' OR status = {{status:String}})
    AND ({{measure:String}} = '' OR measure = {{measure:String}})
ORDER BY status = 'open' DESC, detected_at DESC, incident_id LIMIT {{most:UInt32}}
"""
_ONE: Final = f"SELECT {_COLUMNS} FROM incidents FINAL WHERE incident_id = {{incident:String}}"
_PARTS: Final = f"""
SELECT {_COLUMNS} FROM incidents FINAL WHERE parent = {{incident:String}} AND incident_id !=
{{incident:String}}
ORDER BY evidence DESC LIMIT 30
"""
_RATES: Final = """
SELECT toUnixTimestamp(at) AS at_s, value, low, high, measured, baseline, evidence
FROM rates FINAL
WHERE measure = {measure:String} AND segment = {segment:String} AND window_s = {window:UInt32}
    AND at >= toDateTime({since:UInt32}, 'UTC') AND at <= toDateTime({until:UInt32}, 'UTC')
ORDER BY at
"""
_WINDOWS: Final = """
SELECT min(window_s) AS window FROM rates
WHERE measure = {measure:String} AND segment = {segment:String}
    AND at >= toDateTime({since:UInt32}, 'UTC') AND at <= toDateTime({until:UInt32}, 'UTC')
"""
_MARKS: Final = """
SELECT toUnixTimestamp64Milli(at) / 1000 AS at_s, app, part, value, previous, source, note, made_by
FROM release_marks FINAL
WHERE at >= toDateTime({since:UInt32}, 'UTC') AND at <= toDateTime({until:UInt32}, 'UTC')
    AND ({app:String} IN ('', app))
ORDER BY at LIMIT 200
"""
_CASES: Final = f"""
SELECT trace_id, toUnixTimestamp64Milli(timestamp) / 1000 AS at, failure, first_failed_stage, language,
tenant,
    release_prompt, {all_measured(("hallucination", "faithfulness"))},
    substringUTF8(coalesce(question, ''), 1, {READ}) AS asked,
    substringUTF8(coalesce(answer, ''), 1, {READ}) AS answered
FROM traces FINAL
WHERE trace_id IN {{ids:Array(String)}}
"""
_BEFORE_S: Final = 1_800
_AFTER_S: Final = 900


@dataclass(frozen=True, slots=True)
class Incident:
    """One alert, as the watch keeps it. Times are seconds since 1970."""

    incident_id: str
    status: str
    severity: str
    kind: str
    measure: str
    segment: str
    app: str
    tenant: str
    language: str
    onset: float
    detected_at: float
    resolved_at: float | None
    updated_at: float
    baseline: float | None
    value: float | None
    low: float | None
    high: float | None
    traces: int
    evidence: float
    parent: str
    explained_by: str
    release: str
    summary: str
    explanation: Mapping[str, Any]
    cases: tuple[str, ...]
    notifications: int

    @property
    def figure(self) -> Figure:
        """The rate since the onset."""
        return known(self.value, self.low, self.high, self.traces)


@dataclass(frozen=True, slots=True)
class Released:
    """Something that began to run."""

    at: float
    app: str
    part: str
    value: str
    previous: str
    source: str
    note: str
    made_by: str

    @property
    def text(self) -> str:
        """`prompt=p8`."""
        return f"{self.part}={self.value}"


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A case of an incident in a line. `asked` and `answered` are its question and answer: cut, redacted."""

    trace_id: str
    at: float
    failure: str
    first_failed_stage: str
    language: str
    tenant: str
    release_prompt: str
    hallucination: float | None
    faithfulness: float | None
    asked: str
    answered: str


@dataclass(frozen=True, slots=True)
class Course:
    """How the rate went around an incident."""

    since: float
    until: float
    window_s: int
    points: tuple[Point, ...] = ()
    usual: tuple[tuple[float, float], ...] = ()
    evidence: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Split:
    """What a part of the segment did since the onset. `share`: of what is beyond the usual."""

    segment: str
    traces: float
    value: float
    usual: float
    excess: float
    share: float | None


@dataclass(frozen=True, slots=True)
class Story:
    """All that the page of one incident shows."""

    incident: Incident
    course: Course
    releases: tuple[Released, ...]
    """From half an hour before the onset to the alert, in order."""
    parts: tuple[Incident, ...]
    cases: tuple[CaseLine, ...]
    missing: int
    """Cases whose trace is not there any more."""
    splits: tuple[Split, ...]


def open_incidents(client: ClickHouse) -> tuple[Incident, ...]:
    """Pages first, then the newest. Raises SinkError."""
    return tuple(_incident(row) for row in client.query(_OPEN))


def list_incidents(
    client: ClickHouse, *, status: str = "", measure: str = "", most: int = 200
) -> tuple[Incident, ...]:
    """Open ones first, then the newest; parts of others are left out. Raises SinkError."""
    parameters = {"status": status, "measure": measure, "most": most}
    return tuple(_incident(row) for row in client.query(_ALL, parameters))


def read_story(client: ClickHouse, incident_id: str) -> Story | None:
    """One incident with what surrounds it; null where there is none of this id. Raises SinkError."""
    found = client.query(_ONE, {"incident": incident_id})
    if not found:
        return None
    incident = _incident(found[0])
    cases, course = _cases(client, incident.cases), _course(client, incident)
    around = {"since": int(course.since), "until": int(incident.detected_at) + 1, "app": incident.app}
    return Story(
        incident=incident,
        course=course,
        releases=tuple(_released(row) for row in client.query(_MARKS, around)),
        parts=tuple(_incident(row) for row in client.query(_PARTS, {"incident": incident_id})),
        cases=cases,
        missing=len(incident.cases) - len(cases),
        splits=_splits(incident.explanation.get("splits")),
    )


def _course(client: ClickHouse, incident: Incident) -> Course:
    """From half an hour before the onset to a while after its end, in the narrowest window that there is."""
    since = max(0.0, incident.onset - _BEFORE_S)
    until = (incident.resolved_at or incident.updated_at) + _AFTER_S
    within = {
        "since": int(since), "until": int(until) + 1, "measure": incident.measure, "segment":
        incident.segment,
    }  # fmt: skip
    window = int(client.query(_WINDOWS, within)[0]["window"] or 0)
    rows = client.query(_RATES, within | {"window": window}) if window else []
    points = [
        Point(float(row["at_s"]), known(row["value"], row["low"], row["high"], float(row["measured"])))
        for row in rows
    ]
    last = max((point.at for point in points), default=until)
    return Course(
        since=max(since, min(min((point.at for point in points), default=since), incident.onset - 60)),
        until=max(min(until, last), incident.detected_at + 60),
        window_s=window,
        points=tuple(points),
        usual=tuple((float(r["at_s"]), float(r["baseline"])) for r in rows if r["baseline"] is not None),
        evidence=tuple((float(r["at_s"]), float(r["evidence"])) for r in rows if r["evidence"] is not None),
    )


def _cases(client: ClickHouse, ids: tuple[str, ...]) -> tuple[CaseLine, ...]:
    if not ids:
        return ()
    found = {
        str(row["trace_id"]): CaseLine(
            **{**row, "asked": shown(row["asked"]), "answered": shown(row["answered"])}
        )
        for row in client.query(_CASES, {"ids": list(ids)})
    }
    return tuple(found[one] for one in ids if one in found)


def _splits(said: Any) -> tuple[Split, ...]:
    """What the explanation says; parts of it that do not have the expected form are left out."""
    found = []
    for one in said if isinstance(said, list) else []:
        try:
            numbers = {name: float(one[name]) for name in ("traces", "value", "usual", "excess")}
            share = None if one.get("share") is None else float(one["share"])
            found.append(Split(segment=str(one["segment"]), share=share, **numbers))
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return tuple(found)


_TIMES: Final = {"onset": "onset_s", "detected_at": "detected_s", "updated_at": "updated_s"}


def _incident(row: Mapping[str, Any]) -> Incident:
    plain = {name: value for name, value in row.items() if not name.endswith("_s")}
    return Incident(
        **{
            **plain,
            **{name: float(row[column]) for name, column in _TIMES.items()},
            "resolved_at": float(row["resolved_s"]) or None,
            "explanation": _object(row["explanation"]),
            "cases": tuple(row["cases"]),
            "traces": int(row["traces"]),
        }
    )


def _object(text: str) -> Mapping[str, Any]:
    """What a text of JSON says; nothing where it is none."""
    try:
        said = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return said if isinstance(said, dict) else {}


def _released(row: Mapping[str, Any]) -> Released:
    names = ("app", "part", "value", "previous", "source", "note", "made_by")
    return Released(at=float(row["at_s"]), **{name: str(row[name]) for name in names})


__all__ = [
    "CaseLine",
    "Course",
    "Incident",
    "Released",
    "Split",
    "Story",
    "list_incidents",
    "open_incidents",
    "read_story",
]
