"""A queue with cases in it, for tests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from schemas.annotation import AnnotationItem
from schemas.row import encode
from sinks.clickhouse.client import ClickHouse

NOW = datetime.now(UTC).replace(microsecond=0)


def case(name: str, **fields: Any) -> AnnotationItem:
    """A case of retrieval, made now, that wants two votes."""
    base: dict[str, Any] = {
        "app": "helpdesk",
        "language": "en",
        "failure": "poor_retrieval",
        "first_failed_stage": "retrieval",
        "reason": "stage",
        "reasons": ("stage",),
        "value": 0.5,
        "because": "the scorer says poor retrieval with 0.90",
        "votes_wanted": 2,
        "payload": {"trace": {"trace_id": f"trace-{name}", "question": f"What about {name}?"}},
        "created_at": NOW,
    }
    return AnnotationItem(name, f"trace-{name}", NOW, **{**base, **fields})


def put_in(client: ClickHouse, items: Iterable[AnnotationItem]) -> None:
    """Store cases as the filler does."""
    client.insert_raw("annotation_items", b"\n".join(encode(item.as_row(NOW)) for item in items))
