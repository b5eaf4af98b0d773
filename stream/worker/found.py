"""A trace on its way through the worker, and what it stands on."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.row import Provenance
from schemas.trace import Trace
from stream.kafka.config import Message
from stream.kafka.ledger import Slot


@dataclass(slots=True)
class Found:
    """One trace and the message that it came with. `others`: further messages that spans of it came in."""

    slot: Slot
    message: Message
    provenance: Provenance
    trace: Trace
    others: tuple[Message, ...] = ()


__all__ = ["Found"]
