"""What the small live applications have in common: documents, a keyword search, and a scripted model.

Nothing is guessed by a model here, so that the truth of every trace is known.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of the knowledge base."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """One question, what the scripted model says (null: it fails), and what ragpulse must find."""

    name: str
    question: str
    answer: str | None
    failure: str
    passages: tuple[str, ...]
    """Ids that the search finds, in any order."""


PASSAGES = (
    Passage("kb-1", "A refund takes up to 14 days after the return has arrived at the warehouse."),
    Passage("kb-2", "Every device comes with a warranty of two years; batteries are covered for six months."),
    Passage("kb-3", "The free plan allows uploads of at most 2 GB for each file."),
    Passage("kb-4", "所有设备自购买之日起保修两年，电池保修六个月。"),
    Passage("kb-5", "退货寄达仓库后，退款最多需要十四天到账。"),
    Passage("kb-6", "企业版支持单点登录，并提供审计日志，保留一百八十天。"),
)

CASES = (
    Case(
        "healthy_en",
        "How long does a refund take after the return has arrived?",
        "A refund takes up to 14 days after the return has arrived at the warehouse.",
        "healthy",
        ("kb-1",),
    ),
    Case("healthy_zh", "电池保修多久？", "电池保修六个月。", "healthy", ("kb-4",)),
    Case("nothing_found_en", "Who painted Guernica?", "I do not know.", "empty_recall", ()),
    Case("nothing_found_zh", "珠穆朗玛峰多高？", "我不知道。", "empty_recall", ()),
    Case("model_fails_en", "How large may uploads on the free plan be?", None, "system_error", ("kb-3",)),
    Case(
        "invented_en",
        "How long are batteries covered by the warranty?",
        "Batteries are covered for ten years and are replaced within one hour by a courier.",
        "hallucination",
        ("kb-2",),
    ),
    Case(
        "invented_zh",
        "退货寄达仓库后，退款多久到账？",
        "退款三分钟内到账，并额外赠送五百元代金券。",
        "hallucination",
        ("kb-5",),
    ),
    Case("refused_zh", "企业版的审计日志保留多久？", "抱歉，我无法回答这个问题。", "over_refusal", ("kb-6",)),
)
MODEL = "scripted-1"
FAILS = "the model is overloaded"


def search(query: str) -> list[tuple[Passage, float]]:
    """The passage that shares most words (of English) or pairs of characters (of Chinese): three at least."""
    wanted = _terms(query)
    scored = [(passage, len(wanted & _terms(passage.text)) / max(1, len(wanted))) for passage in PASSAGES]
    found = [(passage, score) for passage, score in scored if round(score * len(wanted)) >= 3]
    return sorted(found, key=lambda pair: -pair[1])[:1]


def say(prompt: str) -> str:
    """What the model answers: the case is the one whose question stands last in the prompt."""
    case = max(CASES, key=lambda case: prompt.rfind(case.question))
    if case.answer is None:
        raise RuntimeError(FAILS)
    return case.answer


def start_tracing() -> object:
    """A tracer provider that exports to OTEL_EXPORTER_OTLP_ENDPOINT, over HTTP as protobuf."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": os.environ["APP"]}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(), max_export_batch_size=7))
    return provider


def _terms(text: str) -> set[str]:
    words = {word for word in re.findall(r"[a-z0-9]+", text.lower()) if len(word) > 3}
    signs = re.sub(r"[^\u4e00-\u9fff]", "", text)
    return words | {signs[i : i + 2] for i in range(len(signs) - 1)}
