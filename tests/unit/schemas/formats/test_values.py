"""JSON in text, Python in text, and names with numbers in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.formats.reprs import read_document_repr, read_message_repr
from schemas.formats.values import is_cut_json, leaves, parse, unflatten, unquote


def test_objects_and_lists_are_parsed_and_all_other_text_stays() -> None:
    assert parse('{"a": [1]}') == {"a": [1]}
    assert parse(" [1, 2]") == [1, 2]
    assert parse("{'query': '退款', 'k': None}") == {"query": "退款", "k": None}
    for text in ("42", "true", '"quoted"', "[1] a citation", "{x} is a template", "", "{'a': print()}"):
        assert parse(text) == text
    assert unquote('"acme"') == "acme"
    assert unquote('"') == '"'


@pytest.mark.parametrize(
    "text",
    ['{"question": "那专业版呢', '{"a": 1, "b": [1, 2', '[{"a": fal', '{"a"', "{'query': 'abc", '["x", "y'],
)
def test_json_that_ends_too_early_is_recognised(text: str) -> None:
    assert is_cut_json(text)


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', "[1] Refunds take 5 days", "{x} and {y}", "plain", "", "[see above] and more", "{'a': 1}"],
)
def test_what_is_whole_or_no_json_at_all_is_not_called_cut(text: str) -> None:
    assert not is_cut_json(text)


def test_numbered_names_become_lists_in_the_order_of_their_numbers() -> None:
    items = [(f"{i}.document.content", f"text {i}") for i in (10, 2, 0)] + [("2.document.score", 0.5)]
    assert unflatten(items) == [
        {"document": {"content": "text 0"}},
        {"document": {"content": "text 2", "score": 0.5}},
        {"document": {"content": "text 10"}},
    ]
    assert unflatten([("a", 1), ("a.b", 2)]) == {"a": {"b": 2}}


@given(st.lists(st.tuples(st.text(alphabet="a.0", max_size=6), st.integers())))
def test_any_names_can_be_put_together(items: list[tuple[str, int]]) -> None:
    unflatten(items)


def test_every_text_inside_a_value_is_found_also_inside_json() -> None:
    assert list(leaves({"a": ["x", {"b": '{"c": "y"}'}], "n": 1})) == ["x", "y"]


def test_messages_and_passages_written_as_python_objects_are_read() -> None:
    assert read_message_repr(
        "ChatMessage(role=<MessageRole.USER: 'user'>, additional_kwargs={}, "
        "blocks=[TextBlock(block_type='text', text='it\\'s free')])"
    ) == {"role": "user", "content": "it's free"}
    assert read_message_repr("HumanMessage(content='免费版?', additional_kwargs={})") == {
        "role": "humanmessage",
        "content": "免费版?",
    }
    assert read_message_repr("A ChatMessage(role='user')") is None
    document = read_document_repr("Document(id=k1, content: 'Refunds take five days.', score: 2.5)")
    assert document == {"text": "Refunds take five days.", "id": "k1", "score": 2.5}
    long = read_document_repr(f"Document(id=k1, content: '{'x' * 100}...', score: 2.5)")
    assert long is not None
    assert long["text"] is None
