"""Python objects written with `str()`: messages and documents that a library could not turn into JSON."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

_LITERAL: Final = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_MESSAGE: Final = re.compile(r"^(?:\w+\(\w+=){0,3}(?:\w+\.)*(\w*Message(?:Chunk)?)\(")
"""Also inside what an agent gave back: `StopEvent(result=AgentOutput(response=ChatMessage(`."""
_ANSWER: Final = re.compile(rf"^(?:Generated|Extracted)Answer\((?:data|answer)={_LITERAL}", re.S)
"""Haystack's."""
_OBJECT: Final = re.compile(r"^[A-Z]\w+\(\w+=")
_ROLE: Final = re.compile(r"_?role=(?:<[\w.]+: '(\w+)'>|'(\w+)')")
_CONTENT: Final = re.compile(
    rf"\b(?:_?content|text)=\[?(?:\w+\()?(?:block_type='text', )?(?:text=)?{_LITERAL}", re.S
)
_DOCUMENT: Final = re.compile(r"^<?(?:\w+\.)*(?:Document|TextNode|NodeWithScore|Node)\(")
_DOCUMENT_TEXT: Final = re.compile(rf"\b(?:page_content|content|text)\s*[=:]\s*{_LITERAL}", re.S)
_DOCUMENT_ID: Final = re.compile(r"\b(?:id|id_|node_id)\s*=\s*'?([\w.:-]+)'?")
_DOCUMENT_SCORE: Final = re.compile(r"\bscore\s*[=:]\s*(-?\d+(?:\.\d+)?(?:e-?\d+)?)")
_CALL: Final = re.compile(rf"\bToolCall\(tool_name={_LITERAL}, arguments=(?=\{{)", re.S)
_CALL_END: Final = "}, id="
_CALL_CHARS: Final = 20_000
_RESULT: Final = re.compile(rf"\bToolCallResult\(result=\[?(?:TextContent\(text=)?{_LITERAL}", re.S)
"""Haystack's: what a model asks of a tool, and what that gave back."""
_NOT_ANSWERING: Final = frozenset({"user", "human", "humanmessage", "system", "systemmessage", "tool"})
_MAX_CHARS: Final = 1_000_000


def read_message_repr(text: str) -> dict[str, Any] | None:
    """Role and content of a message that was written as `ChatMessage(role=…, content='…')`; else null."""
    head = _MESSAGE.match(text[:200])
    if head is None or len(text) > _MAX_CHARS:
        return None
    role = _ROLE.search(text)
    name = next((group for group in role.groups() if group), None) if role else head.group(1)
    if not name:
        return None
    result = _RESULT.search(text)
    content = result or _CONTENT.search(text)
    calls = [] if result else _calls(text)
    if content is None and not calls:
        return None
    said = {"role": name.lower(), "content": _unquote(content.group(1)) if content else ""}
    return {**said, "tool_calls": calls} if calls else said


def _calls(text: str) -> list[dict[str, Any]]:
    found = []
    for call in _CALL.finditer(text):
        end = text.find(_CALL_END, call.end(), call.end() + _CALL_CHARS)
        if end >= 0:
            arguments = _literal(text[call.end() : end + 1])
            found.append({"name": _unquote(call.group(1)), "arguments": arguments})
    return found


def read_answer_repr(text: str) -> str | None:
    """What somebody answered, in an answer or a message of the assistant that was written so; else null."""
    if len(text) <= _MAX_CHARS and (answer := _ANSWER.match(text)):
        return _unquote(answer.group(1))
    message = read_message_repr(text)
    if message is None or message["role"] in _NOT_ANSWERING:
        return None
    return str(message["content"]) or None


def is_cut_repr(text: str) -> bool:
    """Whether an object was written so, and its end left out."""
    return text.endswith("...") and _OBJECT.match(text) is not None


def read_document_repr(text: str) -> dict[str, Any] | None:
    """Text, id and score of a passage that was written as `Document(…)`; else null.

    Haystack writes the first hundred characters of a text and three dots: that is no text.
    """
    if _DOCUMENT.match(text[:200]) is None or len(text) > _MAX_CHARS:
        return None
    content, identity, score = (p.search(text) for p in (_DOCUMENT_TEXT, _DOCUMENT_ID, _DOCUMENT_SCORE))
    plain = _unquote(content.group(1)) if content else None
    if plain is not None and plain.endswith("...") and len(plain) == 103:
        plain = None
    return {
        "text": plain,
        "id": identity.group(1) if identity else None,
        "score": float(score.group(1)) if score else None,
    }


def _unquote(literal: str) -> str:
    found = _literal(literal)
    return found if isinstance(found, str) else literal[1:-1]


def _literal(text: str) -> Any:
    """The value of a literal; null where it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


__all__ = ["is_cut_repr", "read_answer_repr", "read_document_repr", "read_message_repr"]
