"""Forms as schemas that servers accept."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from judges.llm.asking import Message
from judges.llm.forms import in_words, repair, schema_of, schema_text


class Claim(BaseModel):
    """One claim."""

    text: str = Field(max_length=300, description="word for word")
    label: Literal["supported", "not_found"]
    chunk: int | None = None


class Verdict(BaseModel):
    reasoning: str
    claims: list[Claim] = Field(default=[], max_length=30)
    main: Claim = Field(description="the one that matters")
    score: int = Field(ge=1, le=5)


def objects(node: Any) -> list[dict[str, Any]]:
    match node:
        case dict():
            own = [node] if node.get("type") == "object" else []
            return own + [found for value in node.values() for found in objects(value)]
        case list():
            return [found for value in node for found in objects(value)]
        case _:
            return []


def test_every_object_requires_all_its_fields_and_no_other() -> None:
    found = objects(schema_of(Verdict))
    assert len(found) == 3
    for node in found:
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False


def test_fields_keep_their_order_so_that_reasoning_is_written_first() -> None:
    assert list(schema_of(Verdict)["properties"]) == ["reasoning", "claims", "main", "score"]
    assert schema_text(Verdict).index('"reasoning"') < schema_text(Verdict).index('"score"')


def test_references_are_written_out_and_descriptions_survive() -> None:
    text = schema_text(Verdict)
    assert "$ref" not in text
    assert "$defs" not in text
    assert schema_of(Verdict)["properties"]["main"]["description"] == "the one that matters"
    assert "word for word" in text


def test_what_strict_servers_refuse_is_left_out_and_ranges_stay() -> None:
    text = schema_text(Verdict)
    for word in ("title", "default", "maxLength"):
        assert f'"{word}"' not in text
    assert schema_of(Verdict)["properties"]["score"] == {"minimum": 1, "maximum": 5, "type": "integer"}
    assert schema_of(Verdict)["properties"]["claims"]["maxItems"] == 30


def test_a_field_that_is_called_title_is_kept() -> None:
    class Page(BaseModel):
        title: str
        default: str

    assert list(schema_of(Page)["properties"]) == ["title", "default"]


def test_a_form_that_strict_mode_cannot_express_is_an_error() -> None:
    class Open(BaseModel):
        scores: dict[str, int]

    with pytest.raises(TypeError, match="any keys"):
        schema_of(Open)
    with pytest.raises(TypeError, match="contains itself"):
        schema_of(Tree)


class Tree(BaseModel):
    children: list[Tree]


def test_in_words_the_form_stands_with_the_system_not_with_the_monitored_text() -> None:
    messages = (Message("system", "You judge."), Message("user", "the text"))
    said = in_words(messages, Verdict)
    assert said[0].content.startswith("You judge.")
    assert schema_text(Verdict) in said[0].content
    assert "JSON" in said[0].content
    assert said[1] == messages[1]
    alone = in_words((messages[1],), Verdict)
    assert [message.role for message in alone] == ["system", "user"]


def test_the_language_of_the_order_is_that_of_the_question() -> None:
    chinese = in_words((Message("system", "你是一位严格的评审。"), Message("user", "text")), Verdict)
    english = in_words((Message("system", "You are a strict judge."), Message("user", "文本")), Verdict)
    assert "只输出" in chinese[0].content
    assert "Answer with one JSON object" in english[0].content


def test_a_repair_turn_says_what_was_wrong_and_asks_for_the_form_again() -> None:
    messages = (Message("system", "You judge."), Message("user", "the text"))
    said = repair(messages, "it is good", "there is no JSON object in it", Verdict)
    assert said[:2] == messages
    assert said[2] == Message("assistant", "it is good")
    assert "there is no JSON object in it" in said[3].content
    assert json.dumps(schema_of(Verdict), separators=(",", ":")) in said[3].content
