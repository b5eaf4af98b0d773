"""An export that runs in a thread of the test, and rows for it to send."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from stream.endpoint import Health
from stream.export.main import ASSIGNED, compose, open_destination
from stream.settings import Settings
from stream.telemetry import ExportMetrics
from tests.support.rows import trace_line
from tests.support.running import Running

QUICK: dict[str, Any] = {
    "batch_wait_s": 0.2, "timeout_s": 0.5, "tries": 4, "retry_first_s": 0.02, "retry_max_s": 0.1,
    "langfuse_public_key": "pk", "langfuse_secret_key": "sk",
}  # fmt: skip


class RunningExport(Running):
    """One lane, and what it says of itself."""

    def __init__(self, settings: Settings, name: str) -> None:
        self.metrics = ExportMetrics()
        self.destination = name
        super().__init__("export", self.metrics, Health(ASSIGNED))
        url, destination = open_destination(settings.export, name)
        self._body = compose(settings, destination, url, self.metrics, self.health).run

    def exported(self, outcome: str) -> int:
        """How many findings came to that end."""
        return int(self.count("ragpulse_exported_findings_total", outcome=outcome))


@contextmanager
def running_export(settings: Settings, name: str) -> Iterator[RunningExport]:
    """An export in a thread while the body runs."""
    lane = RunningExport(settings, name).start()
    try:
        yield lane
    finally:
        lane.stop()


def rows(count: int, **values: Any) -> list[bytes]:
    """So many rows of table `traces`, of traces that came as spans."""
    return [
        trace_line(
            f"{number + 1:032x}",
            extra=orjson.dumps({"ragpulse_span": f"{number + 1:016x}"}).decode(),
            **values,
        )
        for number in range(count)
    ]


__all__ = ["QUICK", "RunningExport", "rows", "running_export"]
