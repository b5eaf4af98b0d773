"""LangSmith: runs as its API and its bulk export give them, of LangChain and of wrapped clients."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.formats.assembly import assemble
from schemas.formats.exports import read_langsmith
from schemas.trace import Trace
from tests.unit.schemas.formats.spans import texts

Q, A = "How large may an upload be?", "Up to 25 MB."
DOCS = [{"id": "k1", "text": "Uploads: 25 MB a file."}, {"id": "k2", "text": "Paid plans: 2 GB."}]
REPLY = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "AIMessage"],
    "kwargs": {
        "content": A,
        "type": "ai",
        "usage_metadata": {"input_tokens": 90, "output_tokens": 9},
        "response_metadata": {"finish_reason": "stop", "model_name": "m-1-2026-01-01"},
    },
}
OUTPUTS = {
    "langchain": {
        "generations": [[{"text": A, "type": "ChatGeneration", "message": REPLY}]],
        "type": "LLMResult",
    },
    "langchain's older count": {
        "generations": [[{"text": A, "generation_info": {"finish_reason": "stop"}}]],
        "llm_output": {
            "token_usage": {"prompt_tokens": 90, "completion_tokens": 9},
            "model_name": "m-1-2026-01-01",
        },
    },
    "a wrapped client": {
        "model": "m-1-2026-01-01",
        "choices": [{"message": {"role": "assistant", "content": A}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 9},
    },
}


def run(name: str, kind: str, at: int, given: Any, came: Any, **more: Any) -> dict[str, Any]:
    held = {"id": name, "trace_id": "root", "parent_run_id": None if name == "root" else "root", "name": name}
    held |= {"start_time": f"2026-11-01T10:00:0{at}", "end_time": f"2026-11-01T10:00:0{at + 1}"}
    return held | {"run_type": kind, "inputs": given, "outputs": came, **more}


def one(runs: list[dict[str, Any]]) -> Trace:
    trace = assemble(read_langsmith(runs))
    assert isinstance(trace, Trace)
    return trace


@pytest.mark.parametrize("exported", [False, True], ids=["api", "bulk export"])
@pytest.mark.parametrize("came", OUTPUTS.values(), ids=OUTPUTS.keys())
def test_tokens_and_why_it_stopped_stand_in_the_outputs(came: dict[str, Any], exported: bool) -> None:
    extra = {"invocation_params": {"model": "m-1"}}
    events = [{"name": "start", "time": "x"}, {"name": "new_token", "time": "2026-11-01T10:00:02.500"}]
    asked = {"messages": [{"role": "user", "content": Q}]}
    runs = [
        run("root", "chain", 0, {"input": Q}, {"output": A}),
        run("model", "llm", 2, asked, came, extra=extra, events=events),
    ]
    if exported:
        runs = [
            {key: json.dumps(held) if isinstance(held, (dict, list)) else held for key, held in run.items()}
            for run in runs
        ]
    generation = one(runs).generation
    assert generation is not None
    assert (generation.model, generation.finish_reason) == ("m-1", "stop")
    assert (generation.input_tokens, generation.output_tokens, generation.ttft_ms) == (90, 9, 500)


def test_passages_as_json_in_a_tools_message_are_passages() -> None:
    came = {
        "output": {"content": json.dumps(DOCS), "type": "tool", "name": "lookup_help", "tool_call_id": "c"}
    }
    runs = [
        run("root", "chain", 0, {"input": Q}, {"output": A}),
        run("lookup_help", "tool", 1, {"input": "{'query': 'upload limit'}"}, came),
    ]
    trace = one(runs)
    assert trace.rewritten_query == "upload limit"
    assert texts(trace) == [document["text"] for document in DOCS]
