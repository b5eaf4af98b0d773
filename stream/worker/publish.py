"""From judged traces to messages: the scored row, and the sample for the judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from schemas.row import Sampling
from schemas.scored import Judged
from schemas.taxonomy import HEALTHY, Coverage
from stream import topics
from stream.kafka.producer import Output
from stream.pipeline import RULE_SCORER_ERROR
from stream.sampling import CAPPED, Other, sampler
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
        self._choose = sampler(settings.sampling, lambda: self._now().timestamp())
        self._scored = settings.kafka.topic(topics.SCORED)
        self._judge = settings.kafka.topic(topics.JUDGE)

    def publish(
        self,
        found: Sequence[Found],
        judged: Sequence[Judged],
        others: Mapping[int, Sequence[Other]] | None = None,
    ) -> list[Judged]:
        """Send them all. Returns those that were scored.

        `others` is what further scorers say, by position: a dispute makes it likelier that judges look.
        """
        now, others = self._now(), others or {}
        scored, samplings = [], []
        for at, (item, one) in enumerate(zip(found, judged, strict=True)):
            sampling = self._publish(item, one, others.get(at, ()), now)
            if sampling is not None:
                scored.append(one)
                samplings.append(sampling)
        self._count(scored)
        self._count_funnel(samplings)
        self._metrics.publish_ages(now, [item.provenance.received_at for item in found])
        return scored

    def _publish(
        self, item: Found, judged: Judged, others: Sequence[Other], now: datetime
    ) -> Sampling | None:
        if judged.verdict.rule == RULE_SCORER_ERROR:
            self._bury_all(item, RULE_SCORER_ERROR, str(judged.scores.signals.get("error")))
            return None
        sampling = self._choose(judged, others)
        try:
            outgoing = encode_judged(judged, item.provenance, sampling, now)
        except RowError as error:
            self._bury_all(item, ROW_ERROR, str(error))
            return None
        self._output.send(item.slot, self._scored, outgoing.row, outgoing.key, TO_TRACES)
        if outgoing.for_judges is not None:
            self._output.send(item.slot, self._judge, outgoing.for_judges, outgoing.key, [])
            for reason in sampling.reasons:
                self._metrics.sampled.labels(reason).inc()
        if outgoing.mended:
            self._metrics.tamed.inc()
        return sampling

    def _bury_all(self, item: Found, reason: str, detail: str) -> None:
        for message in (item.message, *item.others):
            self._bury(item.slot, message, reason, detail)

    def _count(self, scored: Sequence[Judged]) -> None:
        for failure, count in Counter(one.verdict.failure for one in scored).items():
            self._metrics.scored.labels(failure.value if failure else HEALTHY).inc(count)
        for coverage, count in Counter(one.scores.coverage for one in scored).items():
            if coverage is not Coverage.FULL:
                self._metrics.not_measured.labels(coverage.value).inc(count)

    def _count_funnel(self, samplings: Sequence[Sampling]) -> None:
        """How far each trace came on its way to the judges; their own process counts on from `selected`."""
        counts: Counter[tuple[str, str]] = Counter()
        for sampling in samplings:
            counts["seen", ""] += 1
            if sampling.probability <= 0.0:
                counts["ineligible", next(iter(sampling.reasons), "")] += 1
                continue
            counts["eligible", ""] += 1
            if sampling.selected:
                counts["selected", ""] += 1
            elif CAPPED in sampling.reasons:
                counts["capped", ""] += 1
        for labels, count in counts.items():
            self._metrics.judge_funnel.labels(*labels).inc(count)


__all__ = ["Publisher"]
