"""Verdicts, back to where the trace lives: what is sent to each receiver, and how its answer is read.

Everything but `http.py` is pure: a finding in, bytes out.
"""

from __future__ import annotations

from sinks.evaluations.destination import Destination, Reading, Request
from sinks.evaluations.finding import Finding, Score
from sinks.evaluations.langfuse import Langfuse
from sinks.evaluations.otlp import Otlp
from sinks.evaluations.phoenix import Phoenix

__all__ = ["Destination", "Finding", "Langfuse", "Otlp", "Phoenix", "Reading", "Request", "Score"]
