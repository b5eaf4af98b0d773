"""Which tools are searches, by their names or by what a model was told of them; and what they found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from schemas.formats.assembly.tree import Tree
from schemas.formats.conventions.common import as_text
from schemas.formats.conventions.plain import SEARCHES
from schemas.formats.documents import Document, read_documents
from schemas.formats.messages import TOOL, read_content, read_message
from schemas.formats.reading import read_answer
from schemas.formats.span import Span
from schemas.formats.step import Step
from schemas.formats.values import parse, regrow, unquote

_LISTS: Final = ("gen_ai.tool.definitions", "ai.prompt.tools", "llm.request.functions", "llm.tools", "tools")
"""Where libraries keep what a model was told of its tools: one value, or numbered names."""
_OWN: Final = ("gen_ai.tool.description", "tool.description", "spring.ai.tool.definition.description")
_FINDS: Final = re.compile(
    r"search|find|look(?:s|ing)?[- ]?up|retriev|fetch|get|quer(?:y|ies)|answer|检索|搜索|查找|查询|获取|召回",
    re.I,
)
_CORPUS: Final = re.compile(
    r"knowledge|documents?\b|documentation|\bdocs\b|articles?\b|\bfaqs?\b|handbooks?|manuals?\b|passages?\b|wiki"
    r"|vector (?:store|database|index)|知识|文档|资料|手册|文章|帮助中心",
    re.I,
)
_MAX_CHARS: Final = 10_000
_PART_KEYS: Final = frozenset({"type", "text", "citations", "annotations"})


def searches(tree: Tree, step: Step) -> bool:
    """Whether a tool looks for passages."""
    named = _message_of(step.output).get("name") or step.tool_name or step.span.name
    if step.span.attributes.get("gen_ai.tool.type") == "datastore":
        return True
    if SEARCHES.search(str(named)):
        return True
    return _finds_texts(step.span.text(*_OWN) or _told(tree).get(str(named)))


def which_search(tree: Tree, names: Iterable[str]) -> set[str]:
    """Those of the tools that were called which look for passages: by name, else by what is told of them."""
    found = {name for name in names if SEARCHES.search(name)}
    others = {name for name in names if name and name not in found}
    told = _told(tree) if others else {}
    return found | {name for name in others if _finds_texts(told.get(name))}


def _finds_texts(told: str | None) -> bool:
    read = (told or "")[:_MAX_CHARS]
    return _FINDS.search(read) is not None and _CORPUS.search(read) is not None


def _told(tree: Tree) -> dict[str, str]:
    """What the models of a trace were told of their tools, by name."""
    found: dict[str, str] = {}
    for step in tree.steps:
        for name in _LISTS if step.span.shape.has(*_LISTS) else ():
            for item in _items(step.span, name):
                _note(found, item)
    return found


def _items(span: Span, name: str) -> Iterator[Any]:
    if (whole := parse(span.attributes.get(name))) is None:
        whole = regrow(span.under(f"{name}."))
    for item in whole if isinstance(whole, list) else ():
        yield parse(item)


def _note(found: dict[str, str], item: Any) -> None:
    """A tool's definition: plain, inside `function`, or as JSON inside of a tool."""
    for _ in range(4):
        if not isinstance(item, dict):
            return
        if isinstance(item.get("name"), str) and isinstance(item.get("description"), str):
            found[item["name"]] = item["description"]
            return
        inner = (item.get(key) for key in ("function", "tool", "json_schema", "tool.json_schema"))
        item = parse(next((held for held in inner if held), None))


def found_by(step: Step) -> list[Document] | None:
    """The passages that a step gave back: as its output, in a part of a message, or beside a message."""
    opened = unquote(step.output)
    if _is_parts(opened):
        told = parse("\n".join(str(item["text"]) for item in opened))
        opened = None if isinstance(told, str) else told
    message = _message_of(opened)
    for held in (message.get("artifact"), message.get("content")):
        kept = None if held is None or isinstance(parse(held), str) else read_documents(held)
        if any(document.text for document in kept or ()):
            return kept
    return read_documents(opened)


def _is_parts(opened: Any) -> bool:
    """Whether a tool answered in the parts of a message: a text, and not a list of passages."""
    return (
        isinstance(opened, list)
        and bool(opened)
        and all(isinstance(item, dict) and "text" in item and item.keys() <= _PART_KEYS for item in opened)
    )


def text_of(step: Step) -> str | None:
    """What a search gave back as one text: alone, or in a message to the model."""
    opened = unquote(step.output)
    if isinstance(opened, str):
        return as_text(opened)
    if isinstance(opened, dict):
        message = read_message(_inner(opened))
        if message is not None and message.role == TOOL and message.text:
            return message.text
        if text := read_content(opened.get("blocks"))[0]:  # LlamaIndex: what a tool gave back, in blocks
            return text
    return read_answer(opened) or str(step.output)


def _inner(opened: Any) -> Any:
    held = opened.get("output") if isinstance(opened, dict) else None
    return held if isinstance(held, dict) else opened


def _message_of(output: Any) -> dict[str, Any]:
    """The fields of a message to the model (LangChain's, serialised in any way); empty where it is none."""
    held = _inner(parse(output))
    if not isinstance(held, dict):
        return {}
    inner = held.get("kwargs") if held.get("lc") else held.get("data")
    fields = inner if isinstance(inner, dict) else held
    return fields if "tool_call_id" in fields else {}


__all__ = ["found_by", "searches", "text_of", "which_search"]
