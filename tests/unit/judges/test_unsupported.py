"""Languages and answers that rules cannot read get no numbers, and nobody is blamed."""

from __future__ import annotations

import pytest

from judges.distilled import load_scorer
from judges.triage import triage
from schemas.trace import Trace

THAI = ("คืนเงินใช้เวลากี่วัน", "การคืนเงินใช้เวลา 14 วันหลังจากส่งคืน", "ใช้เวลา 14 วัน")
JAPANESE = ("返金には何日かかりますか", "返金は返品後14日以内に行われます。", "14日以内です。")


def one(question: str, chunk: str, answer: str) -> Trace:
    return Trace.model_validate(
        {"trace_id": "t", "question": question, "answer": answer, "retrieval": {"chunks": [{"text": chunk}]}}
    )


@pytest.mark.parametrize("texts", [THAI, JAPANESE], ids=["thai", "japanese"])
def test_an_unsupported_language_is_not_measured_and_not_blamed(texts: tuple[str, str, str]) -> None:
    trace = one(*texts)
    (scores,) = load_scorer().score([trace])
    assert scores.coverage.value == "unsupported_language"
    assert scores.faithfulness is scores.answer_relevance is None
    assert scores.context_relevance is scores.context_sufficiency is None
    assert triage(trace, scores).failure is None


@pytest.mark.parametrize("answer", ["👍", "...???", "[1]"])
def test_an_answer_that_claims_nothing_has_no_relevance(answer: str) -> None:
    (scores,) = load_scorer().score([one("How long is the warranty?", "The warranty is two years.", answer)])
    assert scores.answer_relevance is None
