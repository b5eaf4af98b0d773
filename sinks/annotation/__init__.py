"""The annotation queue: cases and labels in ClickHouse, leases in one SQLite file beside it."""

from sinks.annotation.errors import (
    LeaseFileError,
    LeaseLost,
    NoSuchItem,
    NotInConflict,
    NotYours,
    QueueRefusal,
    SelfReview,
    TooManyHeld,
)
from sinks.annotation.leases import Candidate, Lease, LeaseBook
from sinks.annotation.queue import AnnotationQueue, Claimed, Conflict, Rules, Stats

__all__ = [
    "AnnotationQueue", "Candidate", "Claimed", "Conflict", "Lease", "LeaseBook", "LeaseFileError",
    "LeaseLost", "NoSuchItem", "NotInConflict", "NotYours", "QueueRefusal", "Rules", "SelfReview", "Stats",
    "TooManyHeld",
]  # fmt: skip
