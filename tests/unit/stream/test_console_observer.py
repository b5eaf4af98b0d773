"""What the console does, counted and written down."""

from __future__ import annotations

import io

import orjson

from stream import logs
from stream.console.observer import LoggedConsole
from stream.settings import TelemetrySettings
from stream.telemetry import ConsoleMetrics


def test_deeds_are_lines_that_nobody_can_break_and_are_counted() -> None:
    lines = io.StringIO()
    logs.configure(TelemetrySettings(log_format="console"), "console", lines)
    metrics = ConsoleMetrics()
    observer = LoggedConsole(metrics)
    observer.audit(
        "original read", by="adam", address="127.0.0.1", trace_id="t\n[error] forged\x1b[31m" + "x" * 900
    )
    (line,) = lines.getvalue().splitlines()
    assert "\x1b" not in line
    assert len(line) < 1_000
    count = metrics.registry.get_sample_value("ragpulse_console_events_total", {"event": "original read"})
    assert count == 1.0


def test_requests_are_counted_under_few_labels() -> None:
    metrics = ConsoleMetrics()
    observer = LoggedConsole(metrics)
    observer.request("/queue", "GET", 200, 0.1)
    observer.request("none", "BREW", 0, 0.1)
    get = metrics.registry.get_sample_value
    assert (
        get("ragpulse_console_requests_total", {"route": "/queue", "method": "GET", "status": "2xx"}) == 1.0
    )
    assert get("ragpulse_console_requests_total", {"route": "none", "method": "other", "status": "0"}) == 1.0


def test_what_nobody_foresaw_is_written_down_with_where_it_was() -> None:
    lines = io.StringIO()
    logs.configure(TelemetrySettings(log_format="json"), "console", lines)
    metrics = ConsoleMetrics()
    try:
        raise ZeroDivisionError("inside")
    except ZeroDivisionError as error:
        LoggedConsole(metrics).crashed("/queue", error)
    line = orjson.loads(lines.getvalue())
    assert (line["event"], line["route"]) == ("request failed", "/queue")
    assert "ZeroDivisionError: inside" in line["exception"]
    assert metrics.registry.get_sample_value("ragpulse_console_crashes_total", {"route": "/queue"}) == 1.0
