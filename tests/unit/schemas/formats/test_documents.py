"""Retrieved passages in every form that libraries and stores write them."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from schemas.formats.documents import read_documents

FORMS: dict[str, Any] = {
    "plain": [{"id": "k1", "text": "one", "score": 0.9}, {"id": "k2", "text": "two", "score": 0.4}],
    "LangChain": {
        "documents": [
            {"page_content": "one", "metadata": {"doc_id": "k1", "score": 0.9}, "type": "Document"},
            {"page_content": "two", "metadata": {"doc_id": "k2", "score": 0.4}, "type": "Document"},
        ]
    },
    "LangChain, serialised": [
        {
            "lc": 1,
            "id": ["langchain", "Document"],
            "kwargs": {"page_content": t, "metadata": {"id": i, "score": s}},
        }
        for i, t, s in (("k1", "one", 0.9), ("k2", "two", 0.4))
    ],
    "LangChain, with scores": [
        [{"page_content": "one", "metadata": {"id": "k1"}}, 0.9],
        [{"page_content": "two", "metadata": {"id": "k2"}}, 0.4],
    ],
    "LlamaIndex": {
        "source_nodes": [
            {"node": {"id_": "k1", "text": "one"}, "score": 0.9},
            {"node": {"id_": "k2", "text": "two"}, "score": 0.4},
        ]
    },
    "Haystack": {
        "documents": [
            {"id": "k1", "content": "one", "meta": {}, "score": 0.9},
            {"id": "k2", "content": "two", "meta": {}, "score": 0.4},
        ]
    },
    "Qdrant": {
        "points": [
            {"id": "k1", "payload": {"content": "one"}, "score": 0.9},
            {"id": "k2", "payload": {"content": "two"}, "score": 0.4},
        ]
    },
    "Elasticsearch": {
        "hits": {
            "hits": [
                {"_id": "k1", "_source": {"text": "one"}, "_score": 0.9},
                {"_id": "k2", "_source": {"text": "two"}, "_score": 0.4},
            ]
        }
    },
    "OpenAI vector stores": {
        "data": [
            {"document_id": "k1", "content": [{"type": "text", "text": "one"}], "score": 0.9},
            {"document_id": "k2", "content": [{"type": "text", "text": "two"}], "score": 0.4},
        ]
    },
    "OpenInference": [
        {"document": {"id": "k1", "content": "one", "score": 0.9}},
        {"document": {"id": "k2", "content": "two", "score": 0.4}},
    ],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("as_text", [False, True], ids=["structured", "as JSON"])
def test_every_form_holds_the_same_passages(form: Any, as_text: bool) -> None:
    found = read_documents(orjson.dumps(form).decode() if as_text else form)
    assert found is not None
    assert [(d.id, d.text, d.score) for d in found] == [("k1", "one", 0.9), ("k2", "two", 0.4)]


def test_columns_side_by_side_are_rows() -> None:
    chroma = {
        "ids": [["k1", "k2"]],
        "documents": [["one", "two"]],
        "metadatas": [[None, None]],
        "distances": [[1, 2]],
    }
    found = read_documents(chroma)
    assert found is not None
    assert [(d.id, d.text, d.score) for d in found] == [("k1", "one", None), ("k2", "two", None)]


def test_nothing_found_is_not_the_same_as_nothing_recorded() -> None:
    assert read_documents([]) == []
    assert read_documents({"documents": []}) == []
    assert read_documents({"count": 3}) is None
    assert read_documents("a joined text") is None
    assert read_documents(None) is None


def test_ids_without_texts_are_passages_whose_texts_were_not_recorded() -> None:
    found = read_documents([{"id": "k1", "score": 0.9}])
    assert found is not None
    assert [(d.id, d.text) for d in found] == [("k1", None)]


def test_texts_alone_are_passages() -> None:
    assert [d.text for d in read_documents(["one", "two"]) or ()] == ["one", "two"]
    assert [d.text for d in read_documents("['one', \"it's two\"]") or ()] == ["one", "it's two"]


def test_messages_are_no_passages() -> None:
    assert read_documents([{"role": "user", "content": "hi"}]) is None


def test_a_score_of_a_reranker_is_known_as_one() -> None:
    (found,) = read_documents([{"page_content": "one", "metadata": {"relevance_score": 1.14}}]) or []
    assert (found.score, found.rerank_score) == (1.14, 1.14)


@pytest.mark.parametrize(
    "value", [{"documents": {"documents": {"documents": {}}}}, [[[[[[[[[["x"]]]]]]]]]], [None, 1]]
)
def test_odd_nesting_ends(value: Any) -> None:
    read_documents(value)
