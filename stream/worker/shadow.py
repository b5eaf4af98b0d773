"""The candidate beside the serving scorer: a sampled share of traces is scored by both.

Which traces is a hash of the trace_id, with the salt of the samples for judges: a trace that the judges
see is among them first of all, so that both scorers can be held against the same verdicts. Whatever the
candidate does wrong, it is set aside, and serving does not notice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from schemas.scored import Judged, Scorer
from stream import logs, topics
from stream.kafka.producer import Output
from stream.pipeline import judge_or_raise
from stream.sampling import Other, draw
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.intake import Found, Now, utc_now
from stream.worker.outputs import TO_SCORES, encode_score

SHADOW: Final = "shadow"


class Shadow:
    """Scores by the candidate and publishes what it said; the offsets wait for that, too."""

    def __init__(
        self,
        settings: Settings,
        output: Output,
        metrics: WorkerMetrics,
        set_aside: Callable[[Scorer], bool],
        now: Now = utc_now,
    ) -> None:
        self._rate = settings.scorer.shadow_rate
        self._salt = settings.sampling.salt
        self._topic = settings.kafka.topic(topics.SCORED)
        self._output = output
        self._metrics = metrics
        self._set_aside = set_aside
        self._now = now

    def score(self, found: Sequence[Found], candidate: Scorer) -> dict[int, Other]:
        """Let the candidate score its share of these traces, and publish what it says.

        Returns that by position in `found`. Never raises for what a candidate does.
        """
        chosen = [
            (at, item) for at, item in enumerate(found) if draw(item.trace.trace_id, self._salt) < self._rate
        ]
        if not chosen:
            return {}
        try:
            judged = judge_or_raise([item.trace for _, item in chosen], candidate)
            rows = self._rows([item for _, item in chosen], judged)
        except Exception as error:
            self._give_up(candidate, error)
            return {}
        for (_, item), (key, row) in zip(chosen, rows, strict=True):
            self._output.send(item.slot, self._topic, row, key, TO_SCORES)
        self._metrics.scored_beside.labels(SHADOW, candidate.version).inc(len(rows))
        return {at: Other(one, self._rate) for (at, _), one in zip(chosen, judged, strict=True)}

    def _rows(self, chosen: Sequence[Found], judged: Sequence[Judged]) -> list[tuple[bytes, bytes]]:
        now = self._now()
        return [
            encode_score(one, item.provenance.received_at, SHADOW, now)
            for item, one in zip(chosen, judged, strict=True)
        ]

    def _give_up(self, candidate: Scorer, error: Exception) -> None:
        if self._set_aside(candidate):
            self._metrics.candidate_failures.labels(candidate.version).inc()
            logs.get().error(
                "the candidate failed and is set aside until the registry names another; serving goes on",
                candidate=candidate.version,
                error=f"{type(error).__name__}: {error}"[:300],
            )


__all__ = ["SHADOW", "Shadow"]
