"""The form of an answer as a JSON schema that servers accept, and in words for those that take none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel

from judges.llm.asking import Message

_DROPPED: Final = frozenset(
    {"title", "default", "examples", "minLength", "maxLength", "uniqueItems", "discriminator", "format"}
)
"""What some servers refuse in a schema, and what an answer is held to all the same when it is read."""

_ORDER_ZH: Final = (
    "只输出一个符合下面 JSON Schema 的 JSON 对象，字段顺序与其一致，不要输出任何其他文字，不要使用代码块：\n"
)
_ORDER_EN: Final = (
    "Answer with one JSON object that fits the JSON Schema below, its fields in the same order, "
    "and with nothing else: no other words, no code fence.\n"
)
_REPAIR_ZH: Final = "你的回答无法使用：{problem}。请重新回答。"
_REPAIR_EN: Final = "Your answer could not be used: {problem}. Answer again. "


@lru_cache(maxsize=256)
def schema_text(form: type[BaseModel]) -> str:
    """The schema of a form as compact JSON: what is sent, hashed and counted."""
    return json.dumps(schema_of(form), ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=256)
def schema_of(form: type[BaseModel]) -> dict[str, Any]:
    """The schema of a form in the subset that strict structured output takes.

    References are written out, every field is required, no other is allowed, and fields keep their order, so
    that reasoning that stands before a score is written before it. Raises TypeError for a form that contains
    itself or takes objects with any keys, which strict mode cannot express.

    The result is shared: do not change it.
    """
    whole = form.model_json_schema()
    plain = _plain(whole, whole.get("$defs", {}), ())
    assert isinstance(plain, dict)
    return plain


def _plain(node: Any, definitions: dict[str, Any], inside: tuple[str, ...]) -> Any:
    match node:
        case {"$ref": str(reference), **beside}:
            name = reference.rsplit("/", 1)[-1]
            if name in inside:
                raise TypeError(f"the form contains itself: {name}")
            return _plain(definitions[name] | beside, definitions, (*inside, name))
        case {"type": "object"}:
            return _plain_object(node, definitions, inside)
        case {"oneOf": options, **rest}:
            return _plain(rest | {"anyOf": options}, definitions, inside)
        case {"allOf": [only], **rest}:
            return _plain(rest | only, definitions, inside)
        case dict():
            kept = {key: value for key, value in node.items() if key not in _DROPPED and key != "$defs"}
            return {key: _plain(value, definitions, inside) for key, value in kept.items()}
        case list():
            return [_plain(item, definitions, inside) for item in node]
        case _:
            return node


def _plain_object(
    node: dict[str, Any], definitions: dict[str, Any], inside: tuple[str, ...]
) -> dict[str, Any]:
    if "properties" not in node and node.get("additionalProperties", True) is not False:
        raise TypeError("a field of the form takes objects with any keys; give it a model with named fields")
    fields = node.get("properties", {})
    described = {"description": node["description"]} if "description" in node else {}
    return described | {
        "type": "object",
        "properties": {name: _plain(field, definitions, inside) for name, field in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def in_words(messages: Sequence[Message], form: type[BaseModel]) -> tuple[Message, ...]:
    """The messages with the form described in words, where no monitored text can stand: at the end of the
    system message, or in one put before all others."""
    order = _ORDER_ZH if _is_chinese(messages) else _ORDER_EN
    text = f"{order}{schema_text(form)}"
    if messages and messages[0].role == "system":
        first = Message("system", f"{messages[0].content}\n\n{text}")
        return (first, *messages[1:])
    return (Message("system", text), *messages)


def repair(
    messages: Sequence[Message], answered: str, problem: str, form: type[BaseModel]
) -> tuple[Message, ...]:
    """The messages with one more turn: what was answered, what is wrong with it, and the form once more."""
    zh = _is_chinese(messages)
    complaint = (_REPAIR_ZH if zh else _REPAIR_EN).format(problem=problem.rstrip("."))
    order = (_ORDER_ZH if zh else _ORDER_EN) + schema_text(form)
    return (*messages, Message("assistant", answered), Message("user", complaint + order))


def _is_chinese(messages: Sequence[Message]) -> bool:
    said = "".join(message.content for message in messages if message.role == "system")[:2000]
    said = said or "".join(message.content for message in messages)[:2000]
    return sum("\u4e00" <= character <= "\u9fff" for character in said) * 5 > len(said)


__all__ = ["in_words", "repair", "schema_of", "schema_text"]
