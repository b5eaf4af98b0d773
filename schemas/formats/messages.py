"""Chat messages in every form that libraries record them, to one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from schemas.formats.reprs import read_message_repr
from schemas.formats.values import leaves, parse

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"
ROLES: Final = {
    "user": USER, "human": USER, "humanmessage": USER, "humanmessagechunk": USER, "input_text": USER,
    "assistant": ASSISTANT, "ai": ASSISTANT, "aimessage": ASSISTANT, "aimessagechunk": ASSISTANT,
    "model": ASSISTANT, "bot": ASSISTANT, "chatbot": ASSISTANT, "agent": ASSISTANT,
    "system": SYSTEM, "systemmessage": SYSTEM, "developer": SYSTEM,
    "tool": TOOL, "toolmessage": TOOL, "function": TOOL, "functionmessage": TOOL, "tool_result": TOOL,
    "function_call_output": TOOL, "tool-result": TOOL,
}  # fmt: skip
"""How roles, types and class names are called, to ours."""
_CALL_TYPES: Final = frozenset({"tool_call", "tool_use", "tool-call", "function_call", "tool_calls"})
_RESULT_TYPES: Final = frozenset(
    {"tool_call_response", "tool_result", "tool-result", "function_call_output", "function_response"}
)
_RESULT_KEYS: Final = frozenset({"toolResult", "function_response", "functionResponse"})
_WRAPPED: Final = frozenset({"type", "value", "providerOptions"})
_SILENT_TYPES: Final = frozenset(
    {"reasoning", "thinking", "redacted_thinking", "image", "image_url", "blob", "uri", "file"}
)
_PLAIN: Final = frozenset({"role", "content"})
_MAX_DEPTH: Final = 8


@dataclass(slots=True, frozen=True)
class ToolCall:
    """That a model asked for a tool: its name and its arguments, parsed where they are JSON."""

    name: str
    arguments: Any
    id: str = ""


@dataclass(slots=True)
class ChatMessage:
    """One message. `text` is empty where it only calls tools or its content was not recorded."""

    role: str
    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    name: str = ""


def read_messages(value: Any) -> list[ChatMessage] | None:
    """The messages of a list (also a list of lists), of JSON in text, or of one message alone.

    Null where the value is no conversation.
    """
    value = parse(value)
    if isinstance(value, dict):
        alone = read_message(value)
        return None if alone is None else [alone]
    if not isinstance(value, (list, tuple)) or not value:
        return None
    if all(isinstance(item, list) and item and isinstance(item[0], dict) for item in value):
        value = [message for batch in value for message in batch]
    found = [message for item in value if (message := read_message(item)) is not None]
    return found if found and len(found) * 2 > len(value) else None


def read_message(item: Any) -> ChatMessage | None:
    """One message; null where it is none."""
    if isinstance(item, str):
        item = read_message_repr(item) or parse(item)
    if isinstance(item, (list, tuple)):
        return _read_pair(item)
    if not isinstance(item, dict):
        return None
    if item.keys() == _PLAIN and (plain := _read_plain(item["role"], item["content"])) is not None:
        return plain
    inner = item.get("message")
    if isinstance(inner, dict) and "content" not in item:
        return read_message(inner)
    if item.get("lc") and isinstance(item.get("kwargs"), dict):  # LangChain's serialised objects
        return _read_constructor(item)
    if isinstance(item.get("data"), dict) and str(item.get("type", "")).lower() in ROLES:
        return read_message({"role": item["type"], **item["data"]})
    role = _role_of(item)
    if role is None:
        return None
    held = _content_of(item)
    text, calls = read_content(_without_results(held) if role == ASSISTANT else held)
    calls += _calls_of(item)
    if item.get("type") in ("function_call_output", "tool_result"):
        text = text or _flat(item.get("output", item.get("content")))
    if role == USER and _only_results(item):
        role = TOOL
    if role == TOOL and not text:
        text = _flat(_content_of(item))
    return ChatMessage(role, text, calls, _short(item.get("name")) or _short(item.get("tool_name")))


def _read_plain(role: Any, content: Any) -> ChatMessage | None:
    """The form of most messages: a role and a text; null where they are something else."""
    if not isinstance(role, str) or not isinstance(content, str) or content.startswith("[{"):
        return None
    known = ROLES.get(role.lower())
    return None if known is None else ChatMessage(known, content)


def _read_pair(item: Iterable[Any]) -> ChatMessage | None:
    pair = list(item)
    if len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], str):
        role = ROLES.get(pair[0].lower())
        return None if role is None else ChatMessage(role, pair[1])
    return None


def _read_constructor(item: dict[str, Any]) -> ChatMessage | None:
    path = item.get("id")
    name = str(path[-1]).lower() if isinstance(path, list) and path else ""
    role = ROLES.get(name) or ROLES.get(str(item["kwargs"].get("type", "")).lower())
    if role is None:
        return None
    return read_message({**item["kwargs"], "role": role})


def _role_of(item: dict[str, Any]) -> str | None:
    for key in ("role", "_role", "type", "kind", "sender"):
        value = item.get(key)
        if isinstance(value, dict):
            value = value.get("value")
        if isinstance(value, str) and (role := ROLES.get(value.lower().rpartition(".")[2])):
            return role
    kind = _short(item.get("type"))
    if kind in _CALL_TYPES:
        return ASSISTANT
    if kind in _RESULT_TYPES:
        return TOOL
    if kind == "message" or "finish_reason" in item:
        return ASSISTANT
    return None


def _content_of(item: dict[str, Any]) -> Any:
    for key in ("content", "parts", "contents", "_content", "text", "blocks", "tool_result"):
        value = item.get(key)
        if value not in (None, "", []):
            return value
    return None


def read_content(content: Any, depth: int = 0) -> tuple[str, list[ToolCall]]:
    """The text of a message's content, parts joined by line ends, and the tools it calls."""
    content = parse(content) if isinstance(content, str) and content[:2] == "[{" else content
    if isinstance(content, str):
        return content, []
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, (list, tuple)) or depth > _MAX_DEPTH:
        return "", []
    texts: list[str] = []
    calls: list[ToolCall] = []
    for part in content:
        text, called = _read_part(part, depth)
        if text:
            texts.append(text)
        calls += called
    return "\n".join(texts), calls


def _read_part(part: Any, depth: int) -> tuple[str, list[ToolCall]]:
    if isinstance(part, str):
        return part, []
    if not isinstance(part, dict):
        return "", []
    if len(part) == 2 and part.get("type") == "text":  # the form of most parts
        for key in ("text", "content"):
            if isinstance(part.get(key), str):
                return part[key], []
    inner = part.get("message_content")
    if isinstance(inner, dict):
        return _read_part(inner, depth + 1)
    kind = _short(part.get("type")) or _short(part.get("part_kind"))
    if kind == "document" or isinstance(part.get("document"), dict):
        return _read_document(part), []
    if kind in _SILENT_TYPES or part.get("thought") is True:
        return "", []
    for key in ("toolUse", "tool_use", "function_call", "functionCall", "tool_call"):
        if isinstance(part.get(key), dict):
            return "", [_call(part[key])]
    if kind in _CALL_TYPES:
        return "", [_call(part)]
    for key in ("toolResult", "function_response", "functionResponse", "tool_call_result"):
        if isinstance(part.get(key), dict):
            held = part[key]
            return _flat(held.get("content", held.get("response", held.get("result")))), []
    if kind in _RESULT_TYPES:
        names = ("response", "output", "result", "content")
        return _flat(_unwrapped(next((part[name] for name in names if part.get(name) is not None), None))), []
    for key in ("text", "content", "parts", "input_text", "output_text"):
        held = part.get(key)
        if isinstance(held, str):
            return held, []
        if isinstance(held, dict) and isinstance(held.get("value"), str):
            return held["value"], []
        if isinstance(held, list) and held:
            return read_content(held, depth + 1)
    return "", []


def _read_document(part: dict[str, Any]) -> str:
    """A document among the parts of a message (Anthropic, Bedrock), marked as one; empty if it is no text."""
    held = part.get("document") or parse(part.get("text"))  # OpenInference: the part again, as JSON
    held = held if isinstance(held, dict) else part
    source = held.get("source")
    source = source if isinstance(source, dict) else held
    text = next((source[key] for key in ("data", "text", "content") if source.get(key)), None)
    if source.get("type") == "base64":
        return ""
    text = text if isinstance(text, str) else read_content(text)[0]
    return f"<document>\n{text}\n</document>" if text else ""


def _calls_of(item: dict[str, Any]) -> list[ToolCall]:
    held = item.get("tool_calls") or item.get("toolCalls")
    extra = item.get("additional_kwargs")
    if not held and isinstance(extra, dict):
        held = extra.get("tool_calls")
    if isinstance(held, dict):
        held = list(held.values())
    calls = [_call(call) for call in held if isinstance(call, dict)] if isinstance(held, list) else []
    if item.get("type") == "function_call":
        calls.append(_call(item))
    return calls


def _call(call: dict[str, Any]) -> ToolCall:
    call = call["tool_call"] if isinstance(call.get("tool_call"), dict) else call
    inner = call.get("function")
    held = inner if isinstance(inner, dict) else call
    name = held.get("name") or held.get("toolName") or held.get("tool_name") or ""
    keys = ("arguments", "args", "input", "parameters")
    arguments = next((held[key] for key in keys if held.get(key) is not None), None)
    identity = call.get("id") or call.get("call_id") or call.get("toolCallId") or call.get("toolUseId") or ""
    return ToolCall(str(name), parse(arguments), str(identity))


def _only_results(item: dict[str, Any]) -> bool:
    """Whether what a user says is nothing but what tools gave back, as some interfaces have it."""
    content = _content_of(item)
    return isinstance(content, list) and all(
        isinstance(part, dict) and (_short(part.get("type")) in _RESULT_TYPES or part.keys() & _RESULT_KEYS)
        for part in content
    )


def _without_results(content: Any) -> Any:
    """What an assistant said, without what tools gave it back: some libraries write a whole turn as one."""
    if not isinstance(content, list):
        return content
    return [
        part for part in content if not (isinstance(part, dict) and _short(part.get("type")) in _RESULT_TYPES)
    ]


def _unwrapped(result: Any) -> Any:
    """What a tool gave back, without its kind (the Vercel AI SDK's `{"type": "json", "value": …}`)."""
    wrapped = isinstance(result, dict) and result.keys() <= _WRAPPED and "value" in result
    return result["value"] if wrapped else result


def _flat(value: Any) -> str:
    """A tool's result as the model saw it: its texts, in order."""
    return value if isinstance(value, str) else "\n".join(leaves(value))


def _short(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= 200 else ""


__all__ = [
    "ASSISTANT", "ROLES", "SYSTEM", "TOOL", "USER", "ChatMessage", "ToolCall", "read_content",
    "read_message", "read_messages",
]  # fmt: skip
