"""A trace as an annotator sees it."""

from __future__ import annotations

import copy
from typing import Any

import orjson

from judges.redaction import redact_trace

PHONE, MAIL, NAME = "13812345678", "wangfang@example.com", "王芳菲"
SECRET, EXTENSION = "Kp9!wq2Z", "85123456"


def make_trace() -> dict[str, Any]:
    """A trace with something of a person in every text that it has."""
    answer = f"{NAME}的电话是{PHONE}。请用{SECRET}登录。"
    return {
        "trace_id": "t-1",
        "timestamp": "2026-12-01T08:00:00Z",
        "app": "helpdesk",
        "language": "zh",
        "release": {"app": "v42", "generator": "qwen-max"},
        "conversation_id": f"wx-{MAIL}",
        "history": [{"role": "user", "content": f"我叫{NAME},密码是{SECRET}"}],
        "question": f"{NAME}怎么联系?",
        "rewritten_query": f"{NAME} 电话 {PHONE}",
        "retrieval": {
            "top_k": 5,
            "error": None,
            "prompt_context": f"通讯录:{NAME} {PHONE}",
            "chunks": [
                {
                    "id": "k1",
                    "doc_id": f"mail/{MAIL}",
                    "text": f"前台。{NAME},手机{PHONE},住幸福路9号3栋2单元。",
                    "rank": 1,
                },
                {"id": "k2", "doc_id": "d-2023121501234567", "text": None},
            ],
        },
        "generation": {"model": "qwen-max", "input_tokens": 1800000, "error": f"timeout calling {MAIL}"},
        "answer": answer,
        "feedback": {"rating": -1, "comment": f"我是{NAME},打{PHONE}"},
        "gold": {"chunk_ids": ["k1"], "answer": f"打{PHONE}"},
        "extra": {
            "mobile": EXTENSION,
            "phone": int(PHONE),
            "users": {MAIL: {"name": NAME}},
            "seen": 12345678,
        },
    }


def make_scores(trace: dict[str, Any]) -> dict[str, Any]:
    """Scores whose evidence points into the answer and the first chunk."""
    answer, chunk = trace["answer"], trace["retrieval"]["chunks"][0]["text"]
    end = answer.index("。") + 1
    return {
        "trace_id": "t-1",
        "failure": "hallucination",
        "scorer_version": "student-1",
        "evidence": [
            {
                "text": answer[:end], "start": 0, "end": end, "support": 0.2, "chunk": 0, "chunk_id": "k1",
                "chunk_start": chunk.index(NAME), "chunk_end": chunk.index(",住"),
                "why": f"{PHONE} not in chunk",
            },
            {"text": answer[end:], "start": end, "end": len(answer), "support": 0.9, "chunk": None},
        ],
        "because": {"claim": f"{NAME}的电话"},
    }  # fmt: skip


def test_nothing_of_a_person_is_left_anywhere() -> None:
    trace = make_trace()
    clean, scores, counts = redact_trace(trace, make_scores(trace))
    left = orjson.dumps([clean, scores], option=orjson.OPT_NON_STR_KEYS).decode()
    for value in (PHONE, MAIL, NAME, NAME[1:], SECRET, EXTENSION, "幸福路"):
        assert value not in left, value
    assert set(counts) >= {"person", "phone", "email", "key", "address"}


def test_what_rows_are_joined_by_stays() -> None:
    clean, scores, _ = redact_trace(make_trace(), make_scores(make_trace()))
    assert scores is not None
    assert clean["trace_id"] == scores["trace_id"] == "t-1"
    assert clean["release"] == make_trace()["release"]
    chunks = clean["retrieval"]["chunks"]
    assert [chunk["id"] for chunk in chunks] == ["k1", "k2"]
    assert chunks[1]["doc_id"] == "d-2023121501234567"
    assert clean["gold"]["chunk_ids"] == ["k1"]
    assert chunks[1]["text"] is None
    assert clean["generation"]["input_tokens"] == 1800000
    assert clean["extra"]["seen"] == 12345678


def test_evidence_points_at_the_same_words_as_before() -> None:
    trace = make_trace()
    clean, scores, _ = redact_trace(trace, make_scores(trace))
    assert scores is not None
    first, second = scores["evidence"]
    for claim in (first, second):
        assert clean["answer"][claim["start"] : claim["end"]] == claim["text"]
    assert first["text"] == "[人名]的电话是[电话]。"
    chunk = clean["retrieval"]["chunks"][0]["text"]
    assert chunk[first["chunk_start"] : first["chunk_end"]] == "[人名],手机[电话]"


def test_the_answers_number_is_seen_to_be_the_chunks_number() -> None:
    trace = make_trace()
    trace["answer"] = f"电话{PHONE}或13912345678"
    clean, _, _ = redact_trace(trace)
    assert clean["answer"] == "电话[电话]或[电话2]"
    assert "手机[电话]" in clean["retrieval"]["chunks"][0]["text"]


def test_the_trace_that_is_handed_in_is_not_changed() -> None:
    trace = make_trace()
    scores = make_scores(trace)
    before = copy.deepcopy((trace, scores))
    redact_trace(trace, scores)
    assert (trace, scores) == before


def test_a_trace_may_be_redacted_again() -> None:
    trace = make_trace()
    clean, scores, _ = redact_trace(trace, make_scores(trace))
    again, scores_again, counts = redact_trace(clean, scores)
    assert (again, scores_again) == (clean, scores)
    assert counts == {}


def test_a_trace_of_which_little_is_known_is_redacted_too() -> None:
    assert redact_trace({"trace_id": "x", "question": None, "answer": None}) == (
        {"trace_id": "x", "question": None, "answer": None},
        None,
        {},
    )
    clean, scores, _ = redact_trace({"trace_id": "x", "retrieval": None, "answer": "y"}, {"evidence": []})
    assert clean["retrieval"] is None
    assert scores == {"evidence": []}
