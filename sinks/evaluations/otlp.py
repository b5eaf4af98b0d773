"""Verdicts as OpenTelemetry's evaluation events, over OTLP/HTTP: one log record a score.

The GenAI conventions define `gen_ai.evaluation.result` as an event, which today is a log record with an
event name, in the context of the span that is judged. A span event is no way: the span was exported long
before, and span events are being given up; a span of our own would lengthen the trace in every backend.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)

from sinks.evaluations.destination import Reading, Request
from sinks.evaluations.finding import Finding, Score

EVENT: Final = "gen_ai.evaluation.result"
PATH: Final = "/v1/logs"
_NANOS: Final = 1_000_000_000
_INFO: Final = 9


class Otlp:
    """A Collector, or any backend that takes OTLP logs over HTTP."""

    name = "otlp"

    def __init__(self, headers: dict[str, str] | None = None) -> None:
        self.headers = headers or {}

    def takes(self, finding: Finding) -> bool:
        """Traces with an id of OpenTelemetry's kind."""
        return finding.otel_trace_id is not None

    def groups(self, findings: Sequence[Finding]) -> list[list[Finding]]:
        """All in one request."""
        return [list(findings)] if findings else []

    def build(self, findings: Sequence[Finding]) -> Request:
        """An export request as protobuf, which every receiver of OTLP reads."""
        request = ExportLogsServiceRequest()
        group = request.resource_logs.add()
        _put(group.resource.attributes, "service.name", "ragpulse")
        scoped = group.scope_logs.add()
        scoped.scope.name = "ragpulse"
        for finding in findings:
            for score in finding.scores:
                _fill(scoped.log_records.add(), finding, score)
        return Request(PATH, "application/x-protobuf", request.SerializeToString())

    def read(self, body: bytes, findings: Sequence[Finding]) -> Reading:
        """A partial success names how many records were not taken, and not which."""
        try:
            answer = ExportLogsServiceResponse.FromString(body)
        except DecodeError:
            return Reading()  # a receiver that answers in words has taken them all the same
        told = answer.partial_success
        return Reading(
            refused=min(len(findings), max(0, told.rejected_log_records)), detail=told.error_message
        )


def _fill(record: Any, finding: Finding, score: Score) -> None:
    record.time_unix_nano = record.observed_time_unix_nano = int(finding.at.timestamp() * _NANOS)
    record.severity_number = _INFO
    record.event_name = EVENT
    record.trace_id = finding.otel_trace_id or b""
    record.span_id = finding.otel_span_id or b""
    held = record.attributes
    _put(held, "gen_ai.evaluation.name", score.name)
    if score.value is not None:
        held.add(key="gen_ai.evaluation.score.value").value.double_value = score.value
    if score.label is not None:
        _put(held, "gen_ai.evaluation.score.label", score.label)
    if score.explanation:
        _put(held, "gen_ai.evaluation.explanation", score.explanation)
    _put(held, "ragpulse.by", finding.version)


def _put(attributes: Any, key: str, text: str) -> None:
    attributes.add(key=key).value.string_value = text


__all__ = ["EVENT", "PATH", "Otlp"]
