"""What receivers of alerts are sent."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from typing import Any

import orjson

from sinks.alerts import SIGNATURE, News, Sample, alerts_request, sign, webhook_request

NOON = 1_796_126_400.0
NEWS = News(
    event="opened",
    incident_id="a1",
    status="open",
    severity="page",
    kind="change",
    measure="hallucination",
    segment="app=helpdesk,tenant=lumen",
    app="helpdesk",
    tenant="lumen",
    language="",
    onset=NOON - 30,
    detected_at=NOON,
    resolved_at=None,
    baseline=0.05,
    value=0.4,
    low=0.35,
    high=0.45,
    traces=312,
    explained_by="app=helpdesk,release_prompt=p8,tenant=lumen",
    release="prompt=p8",
    summary="Hallucination rose",
    cases=("t-1", "t-2"),
    link="http://grafana/d/ragpulse-incident",
)


def alert_of(news: News) -> dict[str, Any]:
    (alert,) = orjson.loads(alerts_request([news], NOON + 60, 300).body)
    return dict(alert)


def test_alertmanager_hears_labels_that_stay_and_annotations_that_may_change() -> None:
    alert, later = (
        alert_of(NEWS),
        alert_of(replace(NEWS, value=0.5, summary="more", explained_by="", release="")),
    )
    assert alert["labels"] == later["labels"]
    assert "language" not in alert["labels"]
    assert alert["annotations"]["rate"] == "40.0% [35.0%, 45.0%], usually 5.0%, 312 traces"
    assert alert["annotations"]["cases"] == "t-1 t-2"
    assert alert["generatorURL"] == NEWS.link
    assert alerts_request([NEWS], NOON, 300).path == "/api/v2/alerts"


def test_an_open_alert_ends_by_itself_and_a_resolved_one_when_it_did() -> None:
    assert alert_of(NEWS)["startsAt"] == "2026-12-01T12:00:00.000Z"
    assert alert_of(NEWS)["endsAt"] == "2026-12-01T12:06:00.000Z"
    assert alert_of(replace(NEWS, resolved_at=NOON + 10))["endsAt"] == "2026-12-01T12:00:10.000Z"


def test_all_traffic_has_a_name() -> None:
    assert alert_of(replace(NEWS, segment=""))["labels"]["segment"] == "all traffic"


def test_a_webhook_gets_one_object_with_times_as_text() -> None:
    request = webhook_request(NEWS, NOON, "a1-opened-0", None)
    said = orjson.loads(request.body)
    assert (said["version"], said["event"], said["delivery"]) == (1, "opened", "a1-opened-0")
    assert said["incident"]["onset"] == "2026-12-01T11:59:30.000+00:00"
    assert said["incident"]["resolved_at"] is None
    assert said["incident"]["cases"] == ["t-1", "t-2"]
    assert SIGNATURE not in request.headers


def test_no_text_of_a_trace_is_sent_unless_it_is_handed_in() -> None:
    spoken = replace(NEWS, samples=(Sample("t-1", "什么时候退款？", "三天。"),))
    for request in (webhook_request(NEWS, NOON, "d", "s"), alerts_request([NEWS], NOON, 300)):
        assert b"samples" not in request.body
    assert (
        orjson.loads(webhook_request(spoken, NOON, "d", "s").body)["incident"]["samples"][0]["answer"]
        == "三天。"
    )
    assert "三天。" in alert_of(spoken)["annotations"]["samples"]


def test_a_signature_covers_the_body_and_the_time() -> None:
    request = webhook_request(NEWS, NOON, "d", "s3cret")
    digest = hmac.new(b"s3cret", f"{int(NOON)}.".encode() + request.body, hashlib.sha256).hexdigest()
    assert request.headers[SIGNATURE] == f"t={int(NOON)},v1={digest}"
    assert sign(request.body, "s3cret", NOON + 1) != request.headers[SIGNATURE]
    assert sign(request.body + b" ", "s3cret", NOON) != request.headers[SIGNATURE]
