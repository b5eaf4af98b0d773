"""Agents with several searches: some hold a retriever, others give back what they found by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.formats.span import Span
from tests.unit.schemas.formats.spans import convert, span, texts
from tests.unit.schemas.formats.writers_otel import DOCS, A, Q, dump

KNOWN = [document["text"] for document in DOCS]
NEWS = "Since May, files may be up to 4 GB."


def step(kind: str, name: str, at: float, parent: Span | None, given: Any, came: Any) -> Span:
    held = {"openinference.span.kind": kind, "input.value": given, "output.value": came}
    return span(name, at, parent=parent, also=held, lasts=6 - at)


@pytest.mark.parametrize(
    ("name", "came", "more"),
    [
        ("web_search", NEWS, [NEWS]),
        ("web_search", dump([{"title": "News", "content": NEWS}]), [NEWS]),
        ("web_search", "\n".join(map(str, KNOWN)), []),
        ("send_mail", NEWS, []),
    ],
    ids=["a text", "passages", "what is known", "no search"],
)
def test_a_search_beside_one_that_holds_a_retriever_counts_too(name: str, came: str, more: list[str]) -> None:
    """LangChain's agents by OpenInference: a retriever inside one tool, a plain function as another."""
    root = step("AGENT", "agent", 0, None, Q, A)
    tool = step("TOOL", "search_kb", 1, root, dump({"query": "limit"}), "\n".join(map(str, KNOWN)))
    found = step("RETRIEVER", "KB", 1.1, tool, "limit", dump([{"page_content": text} for text in KNOWN]))
    other = step("TOOL", name, 3, root, dump({"query": "limit news"}), came)
    assert texts(convert(root, tool, found, other)) == KNOWN + more
