"""Personal data and secrets, taken out of a text for good: names, numbers, addresses, accounts, keys.

`redact` is for one text, `redact_trace` for a trace with what was said of it. What is taken out leaves the
kind of thing it was and nothing else: no hash, no length, no last four digits. Within a trace the same value
gets the same mark (`[phone 2]`): an annotator still sees whether the answer's number is the one of the chunk.
"""

from __future__ import annotations

from judges.redaction.kinds import KINDS
from judges.redaction.redact import Redacted, Redactor, redact
from judges.redaction.spans import Item
from judges.redaction.traces import redact_trace

__all__ = ["KINDS", "Item", "Redacted", "Redactor", "redact", "redact_trace"]
