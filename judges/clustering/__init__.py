"""Unanswered questions, those about the same thing put together: what the documents lack. Pure.

`find_gaps` groups what `sinks.clickhouse.unanswered.read_unanswered` reads. How well it does is measured in
docs/REPORTS.md.
"""

from __future__ import annotations

from judges.clustering.gaps import Example, Gap, Gaps, Redact, Share, find_gaps
from judges.clustering.meeting import Embed
from judges.clustering.trend import Direction, Trend

__all__ = ["Direction", "Embed", "Example", "Gap", "Gaps", "Redact", "Share", "Trend", "find_gaps"]
