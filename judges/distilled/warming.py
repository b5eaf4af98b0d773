"""The first batch, scored before anybody waits for it: kernels compiled, tables read, vocabularies built."""

from __future__ import annotations

from schemas.scored import Scorer
from schemas.trace import Chunk, Message, Retrieval, Trace

_TEXTS = (
    (
        "How long is the warranty of the RK3588 board?",
        "What about returns?",
        "Returns are free for 30 days, not for twenty-five. The fee of 1,200 euros is paid at 5 pm [1].",
        (
            "The warranty covers 24 months. Returns are allowed within 30 days.",
            '{"fee": 1200, "free": false}',
        ),
    ),
    (
        "这块板的保修期有多长？",
        "那退货呢？",
        "退货在三十天内免费，不收手续费。下午三点半以后，费用增加百分之十五[2]。",
        ("保修期为24个月。禁止退货超过30天。", "手续费减少15%，约3万元。"),
    ),
)


def warm_up(scorer: Scorer) -> Scorer:
    """Let a scorer score a few traces of every kind, and give it back."""
    traces = [_make_trace(*texts) for texts in _TEXTS]
    traces.append(Trace(trace_id="warm", question="Who?", answer=None, retrieval=None))
    for batch in (traces, traces[-1:], []):
        scorer.score(batch)
    return scorer


def _make_trace(before: str, question: str, answer: str, chunks: tuple[str, ...]) -> Trace:
    return Trace(
        trace_id="warm",
        history=[Message(role="user", content=before)],
        question=question,
        rewritten_query=f"{before} {question}",
        answer=answer,
        retrieval=Retrieval(chunks=[Chunk(id=str(i), text=text) for i, text in enumerate(chunks)]),
    )
