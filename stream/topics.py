"""The topics, and what a message on each of them looks like.

These are the default names; `settings.kafka.topic(name)` gives the name in a deployment that shares
its cluster and sets another `topic_prefix`.
"""

from __future__ import annotations

from typing import Final

PREFIX: Final = "rag."
TRACES: Final = "rag.traces"
"""In: traces and late feedback. Key: conversation_id, else trace_id."""
SPANS: Final = "rag.spans"
"""Between two workers: the spans of one trace out of one message, so that one partition has them all. Key:
trace_id. Written and read by the worker alone, and only where a topic of spans needs it."""
SCORED: Final = "rag.scored"
"""Out: flat rows (`schemas.row`), inserted as they are. Key: trace_id. Header `table`."""
JUDGE: Final = "rag.judge"
"""Sampled traces for the LLM judges: `{"trace": …, "scores": …, "sample": …, "received_at": …}`.
Key: trace_id."""
VERDICTS: Final = "rag.verdicts"
"""What the judges said: rows of table `verdicts`. Key: trace_id."""
DEAD: Final = "rag.dead"
"""What could not be read or stored: the original bytes as value, why and whence as headers."""
ANNOTATION: Final = "rag.annotation"
"""Cases worth an annotator's hour: `{"trace": …, "scores": …, "sample": …, "reason": …, "verdicts": [rows]}`,
redacted. Key: trace_id."""

REPLAYED: Final = "rag.replayed"
"""Which dead letters were sent back to where they came from. Key: position and time of the letter."""

ALL: Final = (TRACES, SCORED, JUDGE, VERDICTS, DEAD, ANNOTATION, REPLAYED)

HEADER_TABLE: Final = "table"
"""On `rag.scored`: the table that the row belongs to, `traces` (also when absent), `feedback`,
`evaluations` or `scores`."""

# Headers on `rag.spans`.
SPANS_FORMAT: Final = "format"
SPANS_FROM: Final = "from"
"""Topic, partition, offset, timestamp (ms) and format of the message that the spans came in, with spaces."""
SPANS_CUT: Final = "cut"
"""1 where the spans did not fit, and were left out: the value is empty."""

# Headers of a dead letter. All values are UTF-8 text.
DEAD_REASON: Final = "reason"
DEAD_DETAIL: Final = "detail"
DEAD_TOPIC: Final = "topic"
DEAD_PARTITION: Final = "partition"
DEAD_OFFSET: Final = "offset"
DEAD_TIMESTAMP: Final = "timestamp_ms"
DEAD_BY: Final = "by"
"""Which process gave up on it: worker, judge or sink."""
DEAD_SIZE: Final = "size"
"""Bytes of the original; larger than the value only where the value had to be cut (`cut` = 1)."""
DEAD_CUT: Final = "cut"
"""1 where the value is only the beginning of the original: such a letter cannot be replayed."""
DEAD_ORIGINAL: Final = "original."
"""Headers of the original message are kept under this prefix. Its key is the key of the letter."""
