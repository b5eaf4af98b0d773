"""One conversation, in every form that libraries write it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from schemas.formats.messages import ChatMessage, read_messages

Q, A = "免费版能上传多大的文件?", "Up to 2 GB."
FORMS: dict[str, Any] = {
    "OpenAI": [{"role": "user", "content": Q}, {"role": "assistant", "content": A}],
    "OpenAI, parts": [
        {
            "role": "user",
            "content": [{"type": "text", "text": Q}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": A}]},
    ],
    "OpenAI Responses": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": Q}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": A}]},
    ],
    "GenAI conventions": [
        {"role": "user", "parts": [{"type": "text", "content": Q}], "name": None},
        {
            "role": "assistant",
            "parts": [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": A}],
        },
    ],
    "Gemini": [{"role": "user", "parts": [{"text": Q}]}, {"role": "model", "parts": [{"text": A}]}],
    "Bedrock": [{"role": "user", "content": [{"text": Q}]}, {"role": "assistant", "content": [{"text": A}]}],
    "LangChain, serialised": [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "HumanMessage"],
            "kwargs": {"content": Q},
        },
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "AIMessage"],
            "kwargs": {"content": A},
        },
    ],
    "LangChain, dumped": [{"type": "human", "data": {"content": Q}}, {"type": "ai", "data": {"content": A}}],
    "LangChain, plain": [{"type": "human", "content": Q, "id": None}, {"type": "ai", "content": A}],
    "LangChain, pairs": [["human", Q], ["ai", A]],
    "LangChain, a batch": [[{"type": "human", "content": Q}, {"type": "ai", "content": A}]],
    "Haystack": [
        {"role": "user", "content": [{"text": Q}]},
        {"_role": "assistant", "_content": [{"text": A}]},
    ],
    "LlamaIndex": [
        {"role": "user", "blocks": [{"block_type": "text", "text": Q}]},
        {"role": "assistant", "blocks": [{"block_type": "text", "text": A}]},
    ],
    "Choices": [{"role": "user", "content": Q}, {"index": 0, "message": {"role": "assistant", "content": A}}],
    "Python": [f"HumanMessage(content={Q!r})", f"AIMessage(content={A!r}, id='1')"],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("as_text", [False, True], ids=["structured", "as JSON"])
def test_every_form_says_the_same(form: Any, as_text: bool) -> None:
    given = orjson.dumps(form).decode() if as_text else form
    assert read_messages(given) == [ChatMessage("user", Q), ChatMessage("assistant", A)]


CALLS: dict[str, Any] = {
    "OpenAI": {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "function": {"name": "search", "arguments": '{"q": "x"}'}}],
    },
    "GenAI": {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "1", "name": "search", "arguments": {"q": "x"}}],
    },
    "Anthropic": {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "1", "name": "search", "input": {"q": "x"}}],
    },
    "Bedrock": {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "1", "name": "search", "input": {"q": "x"}}}],
    },
    "Responses": {"type": "function_call", "call_id": "1", "name": "search", "arguments": '{"q": "x"}'},
    "Vercel": {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "1", "toolName": "search", "args": {"q": "x"}}],
    },
    "OpenInference": {
        "role": "assistant",
        "tool_calls": [{"tool_call": {"id": "1", "function": {"name": "search", "arguments": '{"q": "x"}'}}}],
    },
}


@pytest.mark.parametrize("form", CALLS.values(), ids=CALLS.keys())
def test_a_call_of_a_tool_is_no_text(form: Any) -> None:
    (message,) = read_messages([form]) or []
    assert (message.role, message.text) == ("assistant", "")
    (call,) = message.calls
    assert (call.name, call.arguments) == ("search", {"q": "x"})


RESULTS: dict[str, Any] = {
    "OpenAI": {"role": "tool", "tool_call_id": "1", "content": "found"},
    "GenAI": {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "found"}]},
    "GenAI, by the user": {
        "role": "user",
        "parts": [{"type": "tool_call_response", "id": "1", "result": "found"}],
    },
    "Anthropic": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "1", "content": [{"text": "found"}]}],
    },
    "Bedrock": {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "1", "content": [{"text": "found"}]}}],
    },
    "Responses": {"type": "function_call_output", "call_id": "1", "output": "found"},
}


@pytest.mark.parametrize("form", RESULTS.values(), ids=RESULTS.keys())
def test_what_a_tool_gave_back_was_said_by_no_user(form: Any) -> None:
    assert read_messages([form]) == [ChatMessage("tool", "found")]


@pytest.mark.parametrize(
    "value", [None, "", "text", 3, [], {}, [1, 2], {"a": 1}, [{"id": 1}], [["a", "b", "c"]]]
)
def test_what_is_no_conversation_is_told_apart(value: Any) -> None:
    assert read_messages(value) is None
