"""OTLP, as the OpenTelemetry Collector writes it to Kafka and to files: protobuf or JSON, to spans."""

from __future__ import annotations

from schemas.formats.otlp.as_json import read_json, read_parsed
from schemas.formats.otlp.as_proto import read_proto
from schemas.formats.otlp.logs import is_logs, read_logs_json, read_logs_proto, read_parsed_logs

__all__ = [
    "is_logs", "read_json", "read_logs_json", "read_logs_proto", "read_parsed", "read_parsed_logs",
    "read_proto",
]  # fmt: skip
