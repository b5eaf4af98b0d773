"""Every metric of ours, by name: one folder to read what can be counted, drawn and alerted on.

Each process has one registry. The coverage accounting adds up: what was received is decoded, dead by
reason or lost by reason; what was decoded is scored or dead; what was scored is delivered.
"""

from __future__ import annotations

from stream.telemetry.annotation import AnnotationMetrics
from stream.telemetry.base import StreamMetrics
from stream.telemetry.console import ConsoleMetrics
from stream.telemetry.export import ExportMetrics
from stream.telemetry.sink import SinkMetrics
from stream.telemetry.watch import WatchMetrics
from stream.telemetry.worker import WorkerMetrics

__all__ = [
    "AnnotationMetrics",
    "ConsoleMetrics",
    "ExportMetrics",
    "SinkMetrics",
    "StreamMetrics",
    "WatchMetrics",
    "WorkerMetrics",
]
