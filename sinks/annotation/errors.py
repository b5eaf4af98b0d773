"""What the queue refuses, and why: each message is one sentence for the annotator.

QueueRefusal
├── LeaseLost        it expired and somebody else has it, or it was given back
├── NotYours         somebody else holds it
├── TooManyHeld      label or give back what you hold first
├── NoSuchItem       nothing of that id is in the queue
├── SelfReview       nobody judges a case twice, nor a conflict they are part of
└── NotInConflict    nothing to arbitrate
LeaseFileError       the file of leases cannot be used
"""

from __future__ import annotations


class QueueRefusal(Exception):
    """The queue says no; nothing was changed."""


class LeaseLost(QueueRefusal):
    """The lease is gone: it expired and the case went to somebody else, or it was given back."""


class NotYours(QueueRefusal):
    """The lease is held by somebody else."""


class TooManyHeld(QueueRefusal):
    """One annotator holds as many cases as one may."""


class NoSuchItem(QueueRefusal):
    """There is no such case."""


class SelfReview(QueueRefusal):
    """The annotator has had a say in this case already."""


class NotInConflict(QueueRefusal):
    """The votes of this case do not contradict each other, or somebody had the last word."""


class LeaseFileError(Exception):
    """The file of leases cannot be used. Nothing is handed out without it: two would get the same case."""


__all__ = [
    "LeaseFileError", "LeaseLost", "NoSuchItem", "NotInConflict", "NotYours", "QueueRefusal", "SelfReview",
    "TooManyHeld",
]  # fmt: skip
