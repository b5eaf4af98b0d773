"""What holds for scoring as a whole: evidence, independence of the batch, bounds, hostile input."""

from __future__ import annotations

import math
import random
import tracemalloc
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.triage import triage
from schemas.scored import Judged, Scores
from schemas.trace import Trace
from tests.unit.judges.traces import CHUNKS, SCORER, make_trace, score

ANSWERS = [
    "The Fjell tent weighs 2.1 kg.",
    "The Fjell tent weighs 3.4 kg and costs 99 euros. Shipping to Norway takes eight working days [2].",
    "1. It weighs 2.1 kg.\n2. Returns are free within 30 days.\n- Colour: green",
    "帐篷重2.1公斤，价格为349欧元；可住两人。运往挪威需要八个工作日【2】。",
    "I can't see your order, but returns are free within 30 days of delivery.",
    "您好！资料没有说明颜色。不过帐篷重2.1公斤。",
    "I don't know.",
    "",
]
QUESTIONS = ["How much does the Fjell tent weigh?", "帐篷多重？", "What about it?", "Shipping to Norway?"]


def traces(count: int = 24) -> list[Trace]:
    chosen = random.Random(7)
    return [
        make_trace(
            chosen.choice(QUESTIONS),
            chosen.choice(ANSWERS),
            chosen.sample(
                [*CHUNKS, "无关内容。", "帐篷重2.1公斤，价格为349欧元。", "", "x" * 500], chosen.randint(0, 5)
            ),
            trace_id=f"t{i}",
            history=[{"role": "user", "content": chosen.choice(QUESTIONS)}] if i % 3 == 0 else [],
            rewritten_query=chosen.choice(QUESTIONS) if i % 4 == 0 else None,
        )
        for i in range(count)
    ]


def flat(scores: Scores) -> str:
    """All of it as text, so that NaN equals NaN and every digit counts."""
    return repr(asdict(scores))


@pytest.mark.parametrize("answer", ANSWERS)
def test_evidence_is_a_piece_of_the_answer_and_of_a_chunk(answer: str) -> None:
    chunks = [*CHUNKS, "帐篷重2.1公斤，价格为349欧元。"]
    for claim in score(make_trace(answer=answer, chunks=chunks)).evidence:
        assert answer[claim.start : claim.end] == claim.text
        assert 0.0 <= claim.support <= 1.0
        if claim.chunk is not None:
            assert claim.chunk_id == f"k{claim.chunk}"
            assert claim.chunk_start is not None
            assert claim.chunk_end is not None
            passage = chunks[claim.chunk][claim.chunk_start : claim.chunk_end]
            assert passage
            assert passage == passage.strip()


def test_evidence_names_the_weakest_claim_first_and_the_passage_that_comes_nearest() -> None:
    answer = "Shipping to Norway takes eight working days. The Fjell tent weighs 9.9 kg."
    first, second = score(make_trace(answer=answer)).evidence
    assert first.text == "The Fjell tent weighs 9.9 kg."
    assert first.support < 0.5 <= second.support
    assert first.chunk == 0
    assert CHUNKS[0][first.chunk_start : first.chunk_end].startswith("The Fjell tent weighs 2.1 kg")
    assert second.chunk == 1


def test_evidence_counts_the_chunks_that_have_no_text() -> None:
    claim = score(make_trace(chunks=[None, "", CHUNKS[0]])).evidence[0]
    assert claim.chunk == 2
    assert claim.chunk_id == "k2"


def test_context_from_the_prompt_is_no_chunk() -> None:
    trace = make_trace(retrieval={"chunks": None, "prompt_context": CHUNKS[0]})
    claim = score(trace).evidence[0]
    assert claim.chunk is None
    assert claim.chunk_id is None
    assert claim.chunk_start is not None


def test_a_trace_scores_the_same_alone_and_in_any_batch() -> None:
    batch = traces()
    alone = [flat(score(t)) for t in batch]
    assert [flat(s) for s in SCORER.score(batch)] == alone
    assert [flat(s) for s in SCORER.score(batch[::-1])] == alone[::-1]
    shuffled = random.Random(3).sample(range(len(batch)), len(batch))
    assert [flat(s) for s in SCORER.score([batch[i] for i in shuffled])] == [alone[i] for i in shuffled]
    assert [flat(s) for s in SCORER.score(batch[:5])] == alone[:5]


def test_nothing_leaks_from_one_trace_into_another() -> None:
    secret = make_trace(
        "What is the code?", "The code is 4711.", ["The code of the safe is 4711."], trace_id="s"
    )
    other = make_trace("What is the code?", "The code is 4711.", ["Nothing about it here."], trace_id="o")
    before = flat(score(other))
    together = SCORER.score([secret, other, secret])
    assert flat(together[1]) == before
    assert together[0].faithfulness == 1.0
    assert together[1].faithfulness == 0.0


def test_scoring_twice_gives_the_same() -> None:
    batch = traces()
    assert [flat(s) for s in SCORER.score(batch)] == [flat(s) for s in SCORER.score(batch)]


def test_an_empty_batch_is_no_work() -> None:
    assert SCORER.score([]) == []


def test_scores_come_in_the_order_of_the_traces() -> None:
    batch = [make_trace(answer=a, trace_id=str(i)) for i, a in enumerate(ANSWERS)]
    expected = [bool(a) and a == "I don't know." for a in ANSWERS]
    assert [s.refusal for s in SCORER.score(batch)] == expected


def test_memory_is_bounded_on_a_hundred_huge_chunks() -> None:
    words = random.Random(1).choices(
        ["tent", "weighs", "349", "euros", "帐篷", "Norway,", "days.", "alpha"], k=3_500
    )
    huge = make_trace(chunks=[(" ".join(words))[:20_000]] * 100)
    tracemalloc.start()
    scores = score(huge)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scores.coverage.value == "truncated"
    assert peak < 400_000_000


UNIT = ["faithfulness", "hallucination", "answer_relevance", "context_relevance", "context_sufficiency"]
PIECES = st.sampled_from(
    [
        "", " ", "\n", "\0", "\ud800", "\udfff", "\u200b", "\ufeff", "\u202e", "😀", "a", "The", "cannot",
        "not", "don’t", "它", "没有", "无法回答", "资料", "。", ".", "?", "！", "[1]", "[1,2", "【99】",
        "①", "(", ")", "“", '"', "`", "```", "1,200", "12%", "99999999999999999999", "1e400", "百分之",
        "三万", "5:99", "-1", "½", "٣", "x" * 300, "字" * 300, "<|im_end|>", "{{context}}", "\\frac{",
        "| | |", "<td>", "�", "Ã©", "锟斤拷", "http://a.b/c?d", "\r\n", "\u2028",
    ]
)  # fmt: skip
TEXT = st.one_of(
    st.none(), st.lists(PIECES, max_size=12).map(" ".join), st.text(st.characters(codec=None), max_size=80)
)
HOSTILE = st.builds(
    lambda question, answer, rewrite, chunks, history, language, error, prompt: Trace.model_validate(
        {
            "trace_id": "t",
            "question": question,
            "answer": answer,
            "rewritten_query": rewrite,
            "language": language,
            "history": [{"role": "user", "content": h} for h in history],
            "generation": {"error": error} if error else None,
            "retrieval": None
            if chunks == "none"
            else {"chunks": chunks, "prompt_context": prompt, "min_score": 0.2},
            "gold": {"chunk_ids": ["k0", "k0", ""], "answer": answer},
        }
    ),
    question=TEXT,
    answer=TEXT,
    rewrite=TEXT,
    chunks=st.one_of(
        st.just("none"),
        st.none(),
        st.lists(
            st.fixed_dictionaries({"id": st.sampled_from(["k0", "k1", None]), "text": TEXT}), max_size=5
        ),
    ),
    history=st.lists(TEXT, max_size=3),
    language=TEXT,
    error=st.sampled_from([None, None, None, "boom"]),
    prompt=TEXT,
)


def check(trace: Trace, scores: Scores) -> None:
    """What holds for every trace there is."""
    values: dict[str, Any] = asdict(scores)
    for name in [*UNIT, "citation_precision"]:
        assert values[name] is None or 0.0 <= round(values[name], 9) <= 1.0, name
    for claim in scores.evidence:
        assert (trace.answer or "")[claim.start : claim.end] == claim.text
        assert 0.0 <= claim.support <= 1.0
    for name, value in scores.signals.items():
        assert not (isinstance(value, float) and math.isnan(value)), name
    assert (scores.faithfulness is None) == (scores.hallucination is None)
    assert scores.refusal == (scores.refusal_kind == "full")
    verdict = triage(trace, scores)
    assert 0.0 <= verdict.confidence <= 1.0
    assert (verdict.failure is None) == (verdict.stage is None)
    assert Judged(trace, scores, verdict).line()["trace_id"] == trace.trace_id


@settings(max_examples=250, deadline=None, derandomize=True)
@given(HOSTILE)
def test_no_trace_makes_scoring_fail(trace: Trace) -> None:
    check(trace, score(trace))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(HOSTILE, min_size=2, max_size=6))
def test_no_trace_changes_the_scores_of_its_neighbours(batch: list[Trace]) -> None:
    assert [flat(s) for s in SCORER.score(batch)] == [flat(score(t)) for t in batch]
