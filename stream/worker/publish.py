"""From judged traces to messages: the scored row, and the sample for the judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from schemas.scored import Judged
from schemas.taxonomy import HEALTHY, Coverage
from stream import topics
from stream.kafka.producer import Output
from stream.pipeline import RULE_SCORER_ERROR
from stream.sampling import sampler
from stream.settings import Settings
from stream.telemetry import WorkerMetrics
from stream.worker.intake import ROW_ERROR, Found, Intake, Now, utc_now
from stream.worker.outputs import TO_TRACES, RowError, encode_judged


class Publisher:
    """Sends what was said of each trace; what cannot be said goes to the dead letters."""

    def __init__(
        self, settings: Settings, output: Output, intake: Intake, metrics: WorkerMetrics, now: Now = utc_now
    ) -> None:
        self._output = output
        self._bury = intake.bury
        self._metrics = metrics
        self._now = now
        self._choose = sampler(settings.sampling)
        self._scored = settings.kafka.topic(topics.SCORED)
        self._judge = settings.kafka.topic(topics.JUDGE)

    def publish(self, found: Sequence[Found], judged: Sequence[Judged]) -> list[Judged]:
        """Send them all. Returns those that were scored."""
        now = self._now()
        scored = [one for item, one in zip(found, judged, strict=True) if self._publish(item, one, now)]
        self._count(scored)
        self._metrics.publish_ages(now, [item.provenance.received_at for item in found])
        return scored

    def _publish(self, item: Found, judged: Judged, now: datetime) -> bool:
        if judged.verdict.rule == RULE_SCORER_ERROR:
            self._bury(item.slot, item.message, RULE_SCORER_ERROR, str(judged.scores.signals.get("error")))
            return False
        sampling = self._choose(judged)
        try:
            outgoing = encode_judged(judged, item.provenance, sampling, now)
        except RowError as error:
            self._bury(item.slot, item.message, ROW_ERROR, str(error))
            return False
        self._output.send(item.slot, self._scored, outgoing.row, outgoing.key, TO_TRACES)
        if outgoing.for_judges is not None:
            self._output.send(item.slot, self._judge, outgoing.for_judges, outgoing.key, [])
            for reason in sampling.reasons:
                self._metrics.sampled.labels(reason).inc()
        if outgoing.mended:
            self._metrics.tamed.inc()
        return True

    def _count(self, scored: Sequence[Judged]) -> None:
        for failure, count in Counter(one.verdict.failure for one in scored).items():
            self._metrics.scored.labels(failure.value if failure else HEALTHY).inc(count)
        for coverage, count in Counter(one.scores.coverage for one in scored).items():
            if coverage is not Coverage.FULL:
                self._metrics.not_measured.labels(coverage.value).inc(count)


__all__ = ["Publisher"]
