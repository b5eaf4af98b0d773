"""What leaves the worker unscored: dead letters and late feedback; and complaints about encodings."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from schemas.row import Provenance
from schemas.trace import LateFeedback
from stream import topics
from stream.dead import letters
from stream.kafka.config import Message
from stream.kafka.ledger import Slot
from stream.kafka.producer import Output
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.complaints import Complaints
from stream.worker.outputs import TO_EVALUATIONS, TO_FEEDBACK, RowError, encode_evaluations, encode_feedback

BY: Final = "worker"
ROW_ERROR: Final = "row_error"
"""Reason of a dead letter that was understood and yet fits no row."""


class Aside:
    """Sends dead letters and late feedback; the offset of the message waits for the confirmation."""

    def __init__(
        self,
        settings: Settings,
        output: Output,
        metrics: WorkerMetrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._output = output
        self._metrics = metrics
        formats = {source.name: source.format for source in settings.kafka.sources}
        self._complaints = Complaints(formats, clock)
        self._scored = settings.kafka.topic(topics.SCORED)
        self._dead = settings.kafka.topic(topics.DEAD)

    def bury(self, slot: Slot, message: Message, reason: str, detail: str) -> None:
        """Send the dead letter for a message; its offset waits for the confirmation."""
        value, key, headers = letters.write(message, reason, detail, BY)
        self._output.send(slot, self._dead, value, key, headers)
        self._metrics.dead.labels(reason).inc()
        self._complaints.hear(message, reason)

    def send_feedback(self, slot: Slot, message: Message, late: LateFeedback, provenance: Provenance) -> None:
        """Publish late feedback as a row of its own table, and what evaluators said beside it."""
        try:
            key, row = encode_feedback(late, provenance)
            _, said = encode_evaluations(late, provenance)
        except RowError as error:
            self.bury(slot, message, ROW_ERROR, str(error))
            return
        if late.holds_feedback:
            self._output.send(slot, self._scored, row, key, TO_FEEDBACK)
            self._metrics.feedback.inc()
        for line in said:
            self._output.send(slot, self._scored, line, key, TO_EVALUATIONS)
        self._metrics.evaluations.inc(len(said))


__all__ = ["BY", "ROW_ERROR", "Aside"]
