"""What other tools export as files, to spans: Langfuse, LangSmith, Phoenix, OpenTelemetry, TruLens."""

from __future__ import annotations

from schemas.formats.exports.langfuse import read_langfuse
from schemas.formats.exports.langsmith import read_langsmith
from schemas.formats.exports.span_json import read_span_json
from schemas.formats.exports.trulens import read_trulens

__all__ = ["read_langfuse", "read_langsmith", "read_span_json", "read_trulens"]
