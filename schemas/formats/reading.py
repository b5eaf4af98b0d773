"""The question in an input and the answer in an output, whatever an application wraps them in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from schemas.formats.messages import ASSISTANT, SYSTEM, TOOL, USER, ChatMessage, read_content, read_messages
from schemas.formats.reprs import is_cut_repr, read_answer_repr
from schemas.formats.values import is_cut_json, parse
from schemas.trace import Message

_QUESTION_KEYS: Final = (
    "question", "user_question", "original_question", "user_query", "query", "user_input", "user_message",
    "human_input", "chat_input", "query_str", "query_bundle", "input", "prompt", "text", "message",
    "new_message", "input_text", "content", "user_prompt", "task", "q", "search_query", "utterance",
    "contents", "userQuestion", "userQuery", "userInput", "userMessage", "originalQuestion", "queryStr",
    "inputText", "chatInput",
)  # fmt: skip
_WRAPPER_KEYS: Final = (
    "inputs",
    "input",
    "input_data",
    "kwargs",
    "args",
    "data",
    "body",
    "request",
    "payload",
    "state",
    "value",
    "variables",
    "input_str",
)
_HISTORY_KEYS: Final = (
    "chat_history", "history", "messages", "conversation_history", "conversation", "previous_messages",
    "message_history", "memory", "chatHistory", "conversationHistory", "previousMessages", "messageHistory",
)  # fmt: skip
_ANSWER_KEYS: Final = (
    "answer", "final_answer", "final_output", "output_text", "output", "response", "result", "reply",
    "generation", "completion", "text", "content", "raw", "generated_text", "message", "return",
    "response_str",
    "final_result", "output_value", "summary", "finalAnswer", "finalOutput", "outputText", "generatedText",
)  # fmt: skip
_ANSWER_LISTS: Final = (
    "generations",
    "choices",
    "candidates",
    "replies",
    "messages",
    "outputs",
    "output",
    "content",
    "parts",
    "contents",
    "items",
    "last_messages",
    "answers",
    "data",
    "update",
)
_ANSWER_WRAPPERS: Final = (
    "outputs",
    "return_values",
    "output_data",
    "kwargs",
    "llm",
    "generator",
    "answer_builder",
    "data",
    "body",
    "value",
    "state",
    "update",
)
_MAX_DEPTH: Final = 7


@dataclass(slots=True)
class Asked:
    """A question as the user put it, and the conversation before it."""

    question: str
    history: list[Message] = field(default_factory=list)


def read_question(value: Any, depth: int = 0) -> Asked | None:
    """The question in what a step was given; null where none can be told apart."""
    opened = parse(value)
    if isinstance(opened, str):
        return Asked(opened) if _is_text(opened) else None
    if depth > _MAX_DEPTH:
        return None
    if isinstance(opened, (list, tuple)):
        return _from_messages(read_messages(opened)) or _from_arguments(opened, depth)
    if isinstance(opened, dict):
        return _from_dictionary(opened, depth)
    return None


def _from_dictionary(value: dict[str, Any], depth: int) -> Asked | None:
    if "args" in value and "kwargs" in value:  # a decorated function's arguments
        return _from_call(value, depth)
    alone = read_messages(value)
    if alone:
        return _from_messages(alone)
    history = read_history(value)
    for key in _QUESTION_KEYS:
        held = value.get(key)
        if isinstance(held, str) and held.strip():
            inner = parse(held)
            if isinstance(inner, str):
                return Asked(held, history)
    messages = read_messages(value.get("messages"))
    if messages and (asked := _from_messages(messages)):
        return asked
    for key in (*_QUESTION_KEYS, *_WRAPPER_KEYS):
        held = value.get(key)
        if isinstance(held, (dict, list)) or (isinstance(held, str) and held.strip()):
            asked = read_question(held, depth + 1)
            if asked:
                asked.history = asked.history or history
                return asked
    return _from_parts(value, history, depth)


def _from_parts(value: dict[str, Any], history: list[Message], depth: int) -> Asked | None:
    """Named parts of a pipeline, each with its own inputs; or a dictionary with one text in it."""
    for held in value.values():
        if isinstance(held, dict) and any(isinstance(held.get(key), str) for key in _QUESTION_KEYS):
            asked = read_question(held, depth + 1)
            if asked:
                return asked
    texts = [held for held in value.values() if isinstance(held, str) and held.strip()]
    return Asked(texts[0], history) if len(texts) == 1 and len(value) <= 2 else None


def _from_call(value: dict[str, Any], depth: int) -> Asked | None:
    kwargs = value["kwargs"] if isinstance(value["kwargs"], dict) else {}
    args = value["args"] if isinstance(value["args"], list) else []
    history = read_history(kwargs) or next((turns for arg in args if (turns := _turns(arg))), [])
    asked = _from_dictionary(kwargs, depth + 1) if kwargs else None
    if asked is None or not any(key in kwargs for key in _QUESTION_KEYS):
        asked = _from_arguments(args, depth) or asked
    if asked and not asked.history:
        asked.history = history
    return asked


def _from_arguments(args: list[Any] | tuple[Any, ...], depth: int) -> Asked | None:
    for arg in args:
        asked = read_question(arg, depth + 1)
        if asked:
            return asked
    return None


def _from_messages(messages: list[ChatMessage] | None) -> Asked | None:
    """The last thing a user said, and what was said before."""
    for i in range(len(messages or ()) - 1, -1, -1):
        assert messages is not None
        if messages[i].role == USER and messages[i].text.strip():
            return Asked(messages[i].text, said(messages[:i]))
    return None


def read_history(value: dict[str, Any]) -> list[Message]:
    """Earlier turns that an input holds beside its question."""
    for key in _HISTORY_KEYS:
        if key != "messages" and (turns := _turns(value.get(key))):
            return turns
    return []


def _turns(value: Any) -> list[Message]:
    return said(read_messages(value) or _exchanges(parse(value)))


def _exchanges(value: Any) -> list[ChatMessage]:
    """What was asked beside what was answered, pair by pair (LangChain's older chains, Gradio)."""
    pairs = value if isinstance(value, list) else []
    texts = (list, tuple)
    if not all(isinstance(pair, texts) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
        return []
    turns = ((role, text) for pair in pairs for role, text in zip((USER, ASSISTANT), pair, strict=True))
    return [ChatMessage(role, text) for role, text in turns if isinstance(text, str)]


def said(messages: list[ChatMessage]) -> list[Message]:
    """What user and assistant said, without instructions and tools."""
    return [
        Message(role=message.role, content=message.text)
        for message in messages
        if message.role in (USER, ASSISTANT) and message.text.strip()
    ]


def read_answer(value: Any, depth: int = 0) -> str | None:
    """The answer in what a step gave back; null where none can be told apart."""
    opened = parse(value)
    if isinstance(opened, str):
        return read_answer_repr(opened) or (opened if _is_text(opened) and not is_cut_repr(opened) else None)
    if depth > _MAX_DEPTH:
        return None
    if isinstance(opened, (list, tuple)):
        return _answer_in_list(list(opened), depth)
    if isinstance(opened, dict):
        return _answer_in_dictionary(opened, depth)
    return None


def _answer_in_list(items: list[Any], depth: int) -> str | None:
    messages = read_messages(items)
    if messages:
        return last_said(messages)
    if items and all(isinstance(item, str) for item in items):
        return (read_answer_repr(items[0]) or items[0]) if len(items) == 1 else None
    if items and all(isinstance(item, dict) and _is_part(item) for item in items):
        return read_content(items)[0] or None
    for item in items if len(items) <= 50 else items[:50]:
        if isinstance(item, (dict, list)):
            found = read_answer(item, depth + 1)
            if found:
                return found
    return None


def _answer_in_dictionary(value: dict[str, Any], depth: int) -> str | None:
    alone = read_messages(value)
    if alone:
        return last_said(alone)
    for key in _ANSWER_KEYS:
        held = value.get(key)
        if isinstance(held, str) and held.strip():
            found = read_answer(held, depth + 1)
            if found:
                return found
    for key in (*_ANSWER_KEYS, *_ANSWER_LISTS, *_ANSWER_WRAPPERS):
        held = value.get(key)
        if isinstance(held, (dict, list)):
            found = read_answer(held, depth + 1)
            if found:
                return found
    return None


def last_said(messages: list[ChatMessage]) -> str | None:
    """The last words of the assistant; null where the last of it is a call of a tool."""
    for message in reversed(messages):
        if message.role == ASSISTANT:
            return message.text if message.text.strip() else None
        if message.role in (USER, TOOL, SYSTEM):
            return None
    return None


def _is_text(text: str) -> bool:
    """Something to read, and not the beginning of JSON that was cut."""
    return bool(text.strip()) and not is_cut_json(text)


def _is_part(item: dict[str, Any]) -> bool:
    """A part of a message; a passage, which has text too, says more of itself."""
    if item.keys() & {"score", "metadata", "page_content", "relevance_score"}:
        return False
    return isinstance(item.get("text"), str) or item.get("type") in (
        "text",
        "output_text",
        "tool_use",
        "reasoning",
        "thinking",
    )


__all__ = ["Asked", "last_said", "read_answer", "read_history", "read_question", "said"]
