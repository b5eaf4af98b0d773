"""Small traces in both languages, each with one thing right or wrong, for judges that go by words."""

from __future__ import annotations

from typing import Any

from schemas.trace import Trace

DOCUMENTS = {
    "en": [
        "The RK3588 integrates an NPU with 6 TOPS of computing power. It supports INT4 and INT8 weights.",
        "Delivery of evaluation boards takes 14 days. Boards can be returned within 30 days.",
    ],
    "zh": [
        "瑞芯微 RK3588 集成了算力为 6 TOPS 的神经网络处理单元。该单元支持 INT4 与 INT8 量化。",
        "评估板的交付周期为 14 天。评估板可在 30 天内退货。",
    ],
}
QUESTIONS = {
    "en": "What computing power does the NPU of the RK3588 have?",
    "zh": "瑞芯微 RK3588 的神经网络处理单元算力是多少？",
}
ANSWERS = {
    "en": {
        "healthy": "The RK3588 integrates an NPU with 6 TOPS of computing power [1].",
        "hallucination": "The RK3588 integrates an NPU with 8 TOPS of computing power [1].",
        "over_refusal": "I cannot tell from the documents.",
    },
    "zh": {
        "healthy": "瑞芯微 RK3588 集成了算力为 6 TOPS 的神经网络处理单元[1]。",
        "hallucination": "瑞芯微 RK3588 集成了算力为 8 TOPS 的神经网络处理单元[1]。",
        "over_refusal": "根据现有资料，无法回答该问题。",
    },
}
GOLD = {
    "en": "The NPU has 6 TOPS of computing power.",
    "zh": "神经网络处理单元的算力为 6 TOPS。",
}
GOOD = {"en": "an NPU with 6 TOPS of computing power", "zh": "算力为 6 TOPS 的神经网络处理单元"}
"""Quotes that occur in the first document."""
INVENTED = {"en": "an NPU with 60 TOPS, the fastest there is", "zh": "业界最快的 60 TOPS 处理单元"}
"""Quotes that occur nowhere."""
HISTORY = {
    "en": [("user", "Which boards do you sell?"), ("assistant", "Boards with the RK3588.")],
    "zh": [("user", "你们卖什么板子？"), ("assistant", "搭载 RK3588 的板子。")],
}


def trace_of(language: str, kind: str, **fields: Any) -> Trace:
    """A trace that fails in the way of `kind` ("healthy" for none). `fields` replace or add to it."""
    documents = DOCUMENTS[language]
    if kind == "poor_retrieval":
        documents = documents[1:]
    trace: dict[str, Any] = {
        "trace_id": f"{language}-{kind}",
        "question": QUESTIONS[language],
        "history": [{"role": role, "content": content} for role, content in HISTORY[language]],
        "retrieval": {"chunks": [{"id": f"kb-{i}", "text": text} for i, text in enumerate(documents)]},
        "answer": ANSWERS[language].get(kind, ANSWERS[language]["healthy"]),
    }
    return Trace.model_validate(trace | fields)


__all__ = ["ANSWERS", "DOCUMENTS", "GOLD", "GOOD", "HISTORY", "INVENTED", "QUESTIONS", "trace_of"]
