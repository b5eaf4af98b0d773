"""What leaves the worker unscored: dead letters and late feedback; and complaints about encodings."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from schemas.formats import base
from schemas.row import Provenance
from schemas.trace import LateFeedback
from stream import logs, topics
from stream.dead import letters
from stream.kafka.config import Message
from stream.kafka.ledger import Slot
from stream.kafka.producer import Output
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.encodings import AUTO
from stream.worker.guess import guess
from stream.worker.outputs import TO_EVALUATIONS, TO_FEEDBACK, RowError, encode_evaluations, encode_feedback

BY: Final = "worker"
ROW_ERROR: Final = "row_error"
"""Reason of a dead letter that was understood and yet fits no row."""
_SAY_AGAIN_S: Final = 60.0
_OF_ENCODING: Final = frozenset(
    {base.NOT_OTLP, base.NOT_JSON, base.NOT_UTF8, base.NOT_AN_OBJECT, base.MISSING_FIELD, base.WRONG_TYPE,
     base.UNKNOWN_ENCODING}
)  # fmt: skip
"""Reasons for which the topic's format may be to blame, and not the message."""


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
        self._clock = clock
        self._said: dict[str, float] = {}
        self._formats = {source.name: source.format for source in settings.kafka.sources}
        self._scored = settings.kafka.topic(topics.SCORED)
        self._dead = settings.kafka.topic(topics.DEAD)

    def bury(self, slot: Slot, message: Message, reason: str, detail: str) -> None:
        """Send the dead letter for a message; its offset waits for the confirmation."""
        value, key, headers = letters.write(message, reason, detail, BY)
        self._output.send(slot, self._dead, value, key, headers)
        self._metrics.dead.labels(reason).inc()
        if reason in _OF_ENCODING:
            self._complain(message, reason)

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

    def _complain(self, message: Message, reason: str) -> None:
        """Say what a topic's bytes look like, where that is not what its setting says: once a minute."""
        topic = str(message.topic())
        wanted = self._formats.get(topic)
        said = self._said.get(topic)
        if wanted is None or (said is not None and self._clock() - said < _SAY_AGAIN_S):
            return
        found = guess(message.value() or b"")
        if found.form is not None and wanted in (AUTO, found.form):
            return  # the right encoding, of a message that is wrong in itself
        self._said[topic] = self._clock()
        if found.form:
            todo = f"set its format to {found.form}, or to auto, in RAGPULSE_KAFKA__SOURCES"
        else:
            todo = "change its encoding, or take the topic out of RAGPULSE_KAFKA__SOURCES"
        logs.get().error(
            f"topic {topic} does not hold what its setting says ({wanted}): the bytes look like "
            f"{found.words}; {todo}. Until then its messages become dead letters",
            topic=topic, format=wanted, looks_like=found.form, reason=reason,
        )  # fmt: skip


__all__ = ["BY", "ROW_ERROR", "Aside"]
