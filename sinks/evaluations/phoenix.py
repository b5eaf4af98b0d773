"""Verdicts as Phoenix's annotations, by its HTTP API: on the trace's own span, else on the trace.

An annotation is known by its name, its place and its identifier, so that what is sent twice is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson

from sinks.evaluations.destination import Reading, Request
from sinks.evaluations.finding import Finding

SPANS: Final = "/v1/span_annotations"
TRACES: Final = "/v1/trace_annotations"
_LATER: Final = "?sync=false"
"""Phoenix then keeps annotations whose spans have not arrived yet, instead of refusing all of a request."""


class Phoenix:
    """A Phoenix, with a key where it asks for one."""

    name = "phoenix"

    def __init__(self, api_key: str | None = None) -> None:
        self.headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def takes(self, finding: Finding) -> bool:
        """Traces with an id of OpenTelemetry's kind."""
        return finding.otel_trace_id is not None

    def groups(self, findings: Sequence[Finding]) -> list[list[Finding]]:
        """Those with a span, and those without: two addresses."""
        on_spans = [finding for finding in findings if finding.span_id]
        on_traces = [finding for finding in findings if not finding.span_id]
        return [group for group in (on_spans, on_traces) if group]

    def build(self, findings: Sequence[Finding]) -> Request:
        """The annotations of one group."""
        path = SPANS if findings[0].span_id else TRACES
        data = [item for finding in findings for item in _annotations(finding)]
        return Request(path + _LATER, "application/json", orjson.dumps({"data": data}))

    def read(self, body: bytes, findings: Sequence[Finding]) -> Reading:
        """It takes all of a request or none of it."""
        return Reading()


def _annotations(finding: Finding) -> list[dict[str, Any]]:
    place = {"span_id": finding.span_id} if finding.span_id else {"trace_id": finding.trace_id}
    found = []
    for score in finding.scores:
        result = {"label": score.label, "score": score.value, "explanation": score.explanation}
        found.append(
            {
                **place,
                "name": score.name,
                "annotator_kind": finding.by,
                "result": {name: held for name, held in result.items() if held is not None},
                "metadata": {"by": finding.version},
                "identifier": f"ragpulse:{finding.version}",
            }
        )
    return found


__all__ = ["SPANS", "TRACES", "Phoenix"]
