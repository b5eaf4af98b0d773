"""Values inside attributes: JSON in text, a Python repr in text, lists flattened to numbered names."""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Final

import orjson

MAX_DEPTH: Final = 24
"""Deeper values are left as they are: no convention nests that far."""
_MAX_REPR_CHARS: Final = 100_000
_MAX_INDEX: Final = 10_000
_OPENING: Final = ("{", "[")
_LITERAL_CHARS: Final = 5
"""`false` without its last letter: how far before the end a parser stops."""


def parse(value: Any) -> Any:
    """JSON in text, parsed; a Python literal that stands for JSON too; anything else as it is.

    Only objects and lists are looked for: a text that happens to be `42` or `true` stays text.
    """
    if not isinstance(value, str) or not value.lstrip().startswith(_OPENING):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        pass  # a repr, a template, prose that begins with a bracket, or JSON that was cut
    return _parse_repr(value)


def parse_texts(value: Any) -> Any:
    """The same; also a list of texts that was put together without escapes, as Spring AI does it."""
    opened = parse(value)
    if not isinstance(opened, str):
        return opened
    text = opened.strip()
    return text[2:-2].split('", "') if text[:2] == '["' and text[-2:] == '"]' and len(text) > 3 else opened


def is_cut_json(value: Any) -> bool:
    """Whether a text is the beginning of JSON (or of a Python literal) that ends too early.

    Prose that only begins with a bracket fails earlier than at its end, and is not meant.
    """
    if not isinstance(value, str):
        return False
    text = value.strip()
    if text[:1] not in ("{", "[") or not isinstance(parse(text), str):
        return False
    if text[:2] in ("{'", "['") or text[:3] in ("[{'", "[['"):
        return text[-1:] not in "}]"
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or error.pos >= len(text) - _LITERAL_CHARS
    except RecursionError:
        return False
    return False


def unquote(value: Any) -> Any:
    """The same as `parse`, for sources that encode plain text as JSON too (`"\\"acme\\""`)."""
    if isinstance(value, str) and len(value) > 1 and value[0] == '"' and value[-1] == '"':
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return parse(value)


def _parse_repr(value: str) -> Any:
    if len(value) > _MAX_REPR_CHARS or "'" not in value:
        return value
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in somebody's text
            found = ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return value
    return found if isinstance(found, (dict, list)) else value


def unflatten(items: Iterable[tuple[str, Any]]) -> Any:
    """`0.message.role` and the like, back to lists and dictionaries.

    Dictionaries whose keys are all numbers become lists, in the order of the numbers.
    """
    return regrow((tuple(name.split(".")), value) for name, value in items)


def regrow(items: Iterable[tuple[tuple[str, ...], Any]]) -> Any:
    """The same for names that are split at their dots already."""
    tree: dict[str, Any] = {}
    for path, value in items:
        if len(path) > MAX_DEPTH + 1:
            continue
        node = tree
        for key in path[:-1]:
            inner = node.get(key)
            if not isinstance(inner, dict):
                inner = node[key] = {}
            node = inner
        last = path[-1]
        if not isinstance(node.get(last), dict):
            node[last] = value
    return _lists(tree)


def _lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    built = {key: _lists(value) if isinstance(value, dict) else value for key, value in node.items()}
    if built and all(key.isdigit() and key.isascii() and len(key) <= 9 for key in built):
        order = sorted(built, key=int)
        return [built[key] for key in order[:_MAX_INDEX]]
    return built


def leaves(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text inside a value, in order; JSON inside text is opened."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, str):
        opened = parse(value)
        if isinstance(opened, str):
            yield opened
        else:
            yield from leaves(opened, depth + 1)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item, depth + 1)


__all__ = ["MAX_DEPTH", "is_cut_json", "leaves", "parse", "parse_texts", "regrow", "unflatten", "unquote"]
