"""The second look: what of the encoder's words is kept, and that serving never pays for its failures."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from structlog.testing import capture_logs

from judges.encoder import ClaimScore, EncoderScore, EncoderTier
from judges.encoder.combine import Fitting
from judges.encoder.judged import as_judged
from judges.encoder.pairs import Pair
from schemas.scored import Judged, Scores
from schemas.taxonomy import Failure
from schemas.trace import Trace
from stream.errors import PartMissing
from stream.kafka.ledger import Ledger
from stream.pipeline import judge_batch
from stream.settings import EncoderSettings, Settings
from stream.telemetry import WorkerMetrics
from stream.worker import run_worker
from stream.worker.intake import Found
from stream.worker.second_look import SecondLook, open_tier
from tests.unit.stream.test_shadow import AT, Recording, found

GOOD = {"text": "The RK3588 integrates an NPU of 6 TOPS."}


class Unsure:
    """A scorer that says the same chance of everything, and measures what triage wants."""

    version = "unsure-1"

    def __init__(self, chance: float = 0.45) -> None:
        self._chance = chance

    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        return [
            Scores(
                self.version,
                language="en",
                faithfulness=0.5,
                hallucination=self._chance,
                answer_relevance=0.9,
                context_relevance=0.9,
                context_sufficiency=0.9,
            )
            for _ in batch
        ]


def said(combined: float | None = 0.9, **values: Any) -> EncoderScore:
    claims = ClaimScore(0.8, combined, faithfulness=0.0, weakest=0, pairs=1)
    return EncoderScore("t", "enc-1", 0.1, **{"claims": claims, "sufficiency": None, **values})


def unsure(chance: float = 0.45) -> Judged:
    trace = Trace.model_validate(
        {"trace_id": "t", "question": "Which NPU?", "answer": "It has an NPU of 9 TOPS.",
         "retrieval": {"chunks": [GOOD]}}
    )  # fmt: skip
    return judge_batch([trace], Unsure(chance))[0]


def test_the_verdict_is_the_encoders_and_only_what_it_measured_is_kept() -> None:
    before = unsure()
    assert before.verdict.failure is None
    after = as_judged(before, said())
    assert after.verdict.failure is Failure.HALLUCINATION
    assert (after.scores.scorer_version, after.scores.hallucination) == ("enc-1", 0.9)
    assert (after.scores.faithfulness, after.scores.answer_relevance) == (0.0, None)
    assert before.scores.hallucination == 0.45


def test_without_a_blend_the_encoders_own_probability_counts() -> None:
    assert as_judged(unsure(), said(combined=None)).scores.hallucination == 0.8


def test_a_refusal_is_one_too_many_once_the_chunks_are_seen_to_answer() -> None:
    before = unsure()
    before.scores.refusal, before.scores.context_sufficiency = True, 0.2
    after = as_judged(before, said(claims=None, sufficiency=0.9))
    assert as_judged(before, said(claims=None, sufficiency=0.1)).verdict.failure is Failure.POOR_RETRIEVAL
    assert after.verdict.failure is Failure.OVER_REFUSAL
    assert (after.scores.context_sufficiency, after.scores.hallucination) == (0.9, None)
    assert before.scores.context_sufficiency == 0.2


def test_what_was_learned_of_the_classes_moves_with_the_sufficiency() -> None:
    before = unsure()
    before.scores.context_sufficiency = 0.5
    before.scores.classes = {"poor_retrieval": 0.4, "hallucination": 0.1, "healthy": 0.5}
    after = as_judged(before, said(claims=None, sufficiency=0.2))
    assert after.verdict.failure is Failure.POOR_RETRIEVAL
    assert before.scores.classes["healthy"] == 0.5


class Tier:
    """A tier that says the same of every trace, or fails so many times."""

    version = "enc-1"

    def __init__(self, fails: int = 0) -> None:
        self.skipped: Counter[str] = Counter()
        self.asked = 0
        self._fails = fails

    def judge(self, batch: Sequence[Judged]) -> list[EncoderScore | None]:
        self.asked += 1
        if self.asked <= self._fails:
            raise RuntimeError("no memory left")
        self.skipped["budget"] += 1
        return [said() if number == 0 else None for number in range(len(batch))]


def look(tier: Any, output: Recording, metrics: WorkerMetrics) -> SecondLook:
    return SecondLook(tier, Settings(), output, metrics, now=lambda: AT)  # type: ignore[arg-type]


def a_batch(ledger: Ledger, offset: int) -> tuple[list[Found], list[Judged]]:
    items = [found(ledger, f"t-{offset + n}", offset + n) for n in range(2)]
    return items, judge_batch([item.trace for item in items], Unsure())


def value(metrics: WorkerMetrics, name: str, **labels: str) -> float:
    return metrics.registry.get_sample_value(name, labels) or 0.0


def test_what_the_encoder_reads_is_published_and_the_offset_waits_for_it() -> None:
    ledger, output, metrics = Ledger(), Recording(), WorkerMetrics()
    items, judged = a_batch(ledger, 0)
    look(Tier(), output, metrics).judge(items, judged)
    (row,) = output.sent
    assert (row["trace_id"], row["role"], row["scorer_version"]) == ("t-0", "encoder", "enc-1")
    for item in items:
        ledger.settle(item.slot)
    assert ledger.committable() == {}
    ledger.settle(items[0].slot)
    assert ledger.committable() == {("rag.traces", 0): 2}
    assert value(metrics, "ragpulse_encoder_skipped_total", reason="budget") == 1
    assert value(metrics, "ragpulse_scores_beside_total", role="encoder", scorer="enc-1") == 1


def test_an_encoder_that_fails_once_goes_on() -> None:
    ledger, output, metrics = Ledger(), Recording(), WorkerMetrics()
    second = look(Tier(fails=1), output, metrics)
    with capture_logs() as lines:
        for batch in range(3):
            second.judge(*a_batch(ledger, 10 * batch))
    assert len(output.sent) == 2
    assert len(lines) == 1
    assert value(metrics, "ragpulse_encoder_skipped_total", reason="failed") == 1


def test_an_encoder_that_keeps_failing_is_left_alone() -> None:
    ledger, output, tier = Ledger(), Recording(), Tier(fails=100)
    second = look(tier, output, WorkerMetrics())
    with capture_logs() as lines:
        for batch in range(20):
            second.judge(*a_batch(ledger, 10 * batch))
    assert tier.asked == 5
    assert [line["event"].endswith("until the next start") for line in lines] == [False, True]


def test_no_model_means_no_encoder() -> None:
    assert open_tier(EncoderSettings()) is None


def test_a_model_that_is_not_there_is_named_with_its_setting(tmp_path: Any) -> None:
    with pytest.raises(PartMissing, match="RAGPULSE_ENCODER__MODEL"):
        open_tier(EncoderSettings(model=str(tmp_path / "nowhere")))


def test_an_embedder_is_named_with_its_setting_as_well(tmp_path: Any) -> None:
    with pytest.raises(PartMissing, match=r"RAGPULSE_ENCODER__EMBEDDER is .*nowhere"):
        open_tier(EncoderSettings(embedder=str(tmp_path / "nowhere")))


def test_a_worker_with_a_model_that_is_not_there_does_not_start(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "nowhere")
    assert run_worker(Settings.model_validate({"encoder": {"model": model}}), threading.Event()) == 2
    assert f"RAGPULSE_ENCODER__MODEL is {model}" in capsys.readouterr().err


class Reader:
    """Finds no claim supported."""

    fitting = Fitting(version="reader-1")

    def supports(self, pairs: Sequence[Pair]) -> list[float]:
        return [-4.0 for _ in pairs]


def test_the_tier_itself_fits_and_reads_only_uncertain_traces() -> None:
    ledger, output = Ledger(), Recording()
    tier = EncoderTier(EncoderSettings(share=1.0, budget=1.0), Reader())
    for number, chance in enumerate((0.1, 0.5, 0.9)):
        one = unsure(chance)
        look(tier, output, WorkerMetrics()).judge([found(ledger, "t", number)], [one])
    (row,) = output.sent
    assert (row["scorer_version"], row["failure"]) == ("reader-1", "hallucination")
    assert row["hallucination"] > 0.9
