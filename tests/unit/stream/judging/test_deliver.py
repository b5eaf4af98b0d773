"""What is said of messages whose judges failed on them."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime

from structlog.testing import capture_logs

from judges.llm.asking import JudgeFailed, Reason
from schemas.trace import Trace
from stream.judging.arrived import Arrived
from stream.judging.deliver import Deliverer
from stream.judging.judge import TraceJudge
from stream.judging.memory import Failures
from stream.judging.patience import Absence, Patience
from stream.judging.rows import Identity
from stream.kafka.producer import Headers
from stream.telemetry.judge import JudgeMetrics
from tests.support.judging import Said, sampled_json

WHO = Identity("stub", "stub-1", "rag", "1")


async def _unknown_model(trace: Trace, scores: dict[str, object] | None) -> Said:
    raise JudgeFailed(Reason.BAD_REQUEST, "HTTP 404: the model `gpt` does not exist")


async def _send(topic: str, value: bytes, key: bytes | None, headers: Headers) -> None:
    pass


def test_dead_letters_of_one_reason_are_in_the_log_once_a_minute_with_their_number() -> None:
    clock = [1_000.0]
    judge = TraceJudge(
        _unknown_model,
        WHO,
        Patience(),
        Absence(),
        now=lambda: datetime.now(UTC),
        chance=random.Random(1).random,
    )
    deliverer = Deliverer(
        judge, Failures(None, WHO), _send, JudgeMetrics(), name=lambda topic: topic, now=lambda: clock[0]
    )

    async def work() -> None:
        for at in range(8):
            await deliverer.work(Arrived(("rag.judge", 0), at, 1_000_000, None, sampled_json(f"t{at}")))
            clock[0] += 20

    with capture_logs() as said:
        asyncio.run(work())
    assert [(line["reason"], line["traces"]) for line in said] == [("bad_request", n) for n in (1, 3, 3)]
    assert all("gpt" in line["detail"] for line in said)
