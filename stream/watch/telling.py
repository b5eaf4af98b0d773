"""What is told of an incident: its record in the words of whoever receives it. Pure."""

from __future__ import annotations

from sinks.alerts import News, Sample
from sinks.alerts.news import Event
from stream.watch.measures import told
from stream.watch.records import Incident, Measure


def news_of(event: Event, incident: Incident, grafana: str | None, samples: tuple[Sample, ...] = ()) -> News:
    """News of an incident as it is now; rates of faithfulness the right way up."""
    segment, measure = incident.segment, incident.measure
    low, high = _told(measure, incident.low), _told(measure, incident.high)
    if measure is Measure.FAITHFULNESS:
        low, high = high, low
    return News(
        event=event,
        incident_id=incident.incident_id,
        status=incident.status,
        severity=incident.severity,
        kind=incident.kind,
        measure=measure.value,
        segment=segment.text,
        app=segment.value("app"),
        tenant=segment.value("tenant"),
        language=segment.value("language"),
        onset=incident.onset,
        detected_at=incident.detected_at,
        resolved_at=incident.resolved_at,
        baseline=_told(measure, incident.baseline),
        value=_told(measure, incident.value),
        low=low,
        high=high,
        traces=incident.traces,
        explained_by=incident.explained_by.text if incident.explained_by else "",
        release=incident.release,
        summary=incident.summary,
        description=str(incident.explanation.get("text", "")),
        cases=incident.cases,
        link=_link(incident, grafana),
        samples=samples,
    )


def _link(incident: Incident, grafana: str | None) -> str:
    if not grafana:
        return ""
    return f"{grafana.rstrip('/')}/d/ragpulse-incident?var-incident={incident.incident_id}"


def _told(measure: Measure, value: float | None) -> float | None:
    return None if value is None else told(measure, value)


__all__ = ["news_of"]
