"""Alertmanager's API, version 2: the alerts that fire now, said again and again while they do.

An alert that is not said again ends by itself at `endsAt`; so it does when nobody is left to say
that it ended. What tells one alert from another is its labels: nothing may be among them that changes
while it lasts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from sinks.alerts.news import News
from sinks.evaluations.destination import Request

NAME: Final = "RagpulseIncident"


def alerts_request(news: Sequence[News], now: float, lasts_s: float) -> Request:
    """One POST with all of them. `lasts_s`: how long an alert holds unless it is said again."""
    alerts = [_alert(one, now + lasts_s) for one in news]
    return Request("/api/v2/alerts", "application/json", orjson.dumps(alerts))


def _alert(news: News, until: float) -> dict[str, Any]:
    labels = {
        "alertname": NAME,
        "incident": news.incident_id,
        "kind": news.kind,
        "measure": news.measure,
        "segment": news.segment or "all traffic",
        "app": news.app,
        "tenant": news.tenant,
        "language": news.language,
        "severity": news.severity,
    }
    annotations = {
        "summary": news.summary,
        "description": news.description,
        "onset": _stamp(news.onset),
        "release": news.release,
        "carried_by": news.explained_by,
        "rate": _rate(news),
        "cases": " ".join(news.cases),
        "samples": "\n\n".join(f"{s.trace_id}\nQ: {s.question}\nA: {s.answer}" for s in news.samples),
    }
    alert: dict[str, Any] = {
        "labels": {name: value for name, value in labels.items() if value},
        "annotations": {name: value for name, value in annotations.items() if value},
        "startsAt": _stamp(news.detected_at),
        "endsAt": _stamp(until if news.resolved_at is None else news.resolved_at),
    }
    if news.link:
        alert["generatorURL"] = news.link
    return alert


def _rate(news: News) -> str:
    if news.value is None:
        return ""
    between = f" [{news.low:.1%}, {news.high:.1%}]" if news.low is not None and news.high is not None else ""
    usual = f", usually {news.baseline:.1%}" if news.baseline is not None else ""
    return f"{news.value:.1%}{between}{usual}, {news.traces:,} traces"


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


__all__ = ["NAME", "alerts_request"]
