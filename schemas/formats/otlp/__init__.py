"""OTLP, as the OpenTelemetry Collector writes it to Kafka and to files: protobuf or JSON, to spans."""

from __future__ import annotations

from schemas.formats.otlp.as_json import read_json, read_parsed
from schemas.formats.otlp.as_proto import read_proto

__all__ = ["read_json", "read_parsed", "read_proto"]
