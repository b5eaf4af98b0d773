"""What becomes of one message: judged, its outcome delivered, and only then done. Free of Faust."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import orjson

from judges.llm.asking import Reason
from schemas.tame import tame
from stream import logs, topics
from stream.annotation.building import redact_payload
from stream.dead import letters
from stream.judging.arrived import Arrived
from stream.judging.judge import JUDGE_ERROR, GivenUp, Outcome, TraceJudge, Unjudged, Verdicts
from stream.judging.memory import Failures
from stream.judging.sampled import Sampled, UnreadableSample, read_sampled
from stream.kafka.producer import Headers
from stream.telemetry.judge import JudgeMetrics

BY: Final = "judge"
DISAGREEMENT: Final = "judges_disagree"
"""Why a trace is put before people."""
_HOPELESS: Final = 100
_SAY_AGAIN_S: Final = 60.0

Send = Callable[[str, bytes, bytes | None, Headers], Awaitable[None]]
"""Publish to one of our topics (a name of `stream.topics`), and return once the broker has confirmed it."""


class JudgingBroken(RuntimeError):
    """Our own code fails on everything. That is no fault of the traces, so no more are given up for it."""


class Deliverer:
    """Judges messages and delivers what comes of them."""

    def __init__(
        self,
        judge: TraceJudge,
        failures: Failures,
        send: Send,
        metrics: JudgeMetrics,
        *,
        name: Callable[[str], str],
        annotate_from: float = math.inf,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._judge = judge
        self._failures = failures
        self._send = send
        self._metrics = metrics
        self._verdicts, self._dead = name(topics.VERDICTS), name(topics.DEAD)
        self._annotation = name(topics.ANNOTATION)
        self._annotate_from = annotate_from
        self._now = now
        self._failed_in_a_row = 0
        self._unsaid: Counter[str] = Counter()
        self._said: dict[str, float] = {}

    async def work(self, message: Arrived) -> None:
        """Judge one message; returns once its verdict or its dead letter is confirmed."""
        try:
            sampled = read_sampled(message.value(), message.moment)
        except UnreadableSample as error:
            await self._bury(message, error.reason, error.detail)
            return
        outcome = await self._failures.recall(message) or await self._judge.judge(sampled)
        self._notice_own_failures(outcome)
        match outcome:
            case Verdicts(rows=rows):
                await self._publish_rows(sampled, rows)
                await self._annotate(sampled, outcome)
                self._metrics.funnel.labels("judged", "").inc()
                self._metrics.verdicts.labels(outcome.panel.consensus.failure or "").inc()
            case Unjudged(reason=reason, rows=rows):
                await self._publish_rows(sampled, rows)
                self._count_unjudged(reason)
            case GivenUp(reason=reason, detail=detail):
                if reason != JUDGE_ERROR:
                    await self._failures.keep(message, outcome)
                self._say(reason, detail)
                await self._bury(message, reason, detail)
        self._metrics.publish_to_judged.observe(max(0.0, self._now() - message.time_ms / 1000))

    def _say(self, reason: str, detail: str) -> None:
        """A wrong model name makes a dead letter of every trace: that belongs in the log, once a minute."""
        self._unsaid[reason] += 1
        if self._now() - self._said.get(reason, -math.inf) < _SAY_AGAIN_S:
            return
        self._said[reason] = self._now()
        traces = self._unsaid.pop(reason)
        logs.get().warning(
            "traces that no judge judged are dead letters", reason=reason, detail=detail, traces=traces
        )

    def _count_unjudged(self, reason: str) -> None:
        over_budget = reason == Reason.OVER_BUDGET
        stage = ("over_budget", "") if over_budget else ("failed", reason)
        self._metrics.funnel.labels(*stage).inc()

    async def _publish_rows(self, sampled: Sampled, rows: Sequence[bytes]) -> None:
        await asyncio.gather(*(self._publish(self._verdicts, row, _key(sampled)) for row in rows))

    async def _annotate(self, sampled: Sampled, said: Verdicts) -> None:
        """Put what judges cannot agree on before people."""
        if said.panel.disagreement is None or said.panel.disagreement < self._annotate_from:
            return
        case = annotation_case(sampled, DISAGREEMENT, said.rows)
        await self._publish(self._annotation, case, _key(sampled))
        self._metrics.annotated.labels(DISAGREEMENT).inc()

    async def _bury(self, message: Arrived, reason: str, detail: str) -> None:
        value, key, headers = letters.write(message, reason, detail, BY)
        await self._publish(self._dead, value, key, headers)
        self._metrics.dead.labels(reason).inc()
        self._metrics.funnel.labels("failed", reason).inc()

    async def _publish(
        self, topic: str, value: bytes, key: bytes | None, headers: Headers | None = None
    ) -> None:
        self._metrics.produced.labels(topic).inc()
        await self._send(topic, value, key, headers or [])
        self._metrics.delivered.labels(topic).inc()

    def _notice_own_failures(self, outcome: Outcome) -> None:
        is_ours = isinstance(outcome, GivenUp) and outcome.reason == JUDGE_ERROR
        self._failed_in_a_row = self._failed_in_a_row + 1 if is_ours else 0
        if self._failed_in_a_row >= _HOPELESS:
            raise JudgingBroken(f"judging failed on {self._failed_in_a_row} traces in a row: {outcome}")


def _key(sampled: Sampled) -> bytes:
    return sampled.trace.trace_id.encode(errors="replace")


def annotation_case(sampled: Sampled, reason: str, verdicts: Sequence[bytes]) -> bytes:
    """A message for `rag.annotation`: the trace with all that is said of it, redacted."""
    trace, sampling = sampled.trace, sampled.sampling
    case, _ = redact_payload(
        {
            "trace": tame(trace.model_dump(mode="json")),
            "scores": sampled.scores,
            "verdicts": [orjson.loads(row) for row in verdicts],
        }
    )
    case["sample"] = {"probability": sampling.probability, "reasons": sampling.reasons}
    case["reason"] = reason
    return orjson.dumps(case, option=orjson.OPT_NON_STR_KEYS)


__all__ = ["BY", "DISAGREEMENT", "Deliverer", "JudgingBroken", "Send", "annotation_case"]
