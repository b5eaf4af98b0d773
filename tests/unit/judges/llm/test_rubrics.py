"""Rubrics are files that do not change once published, in two languages that ask the same."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import pytest
from pydantic import BaseModel

import judges.llm.rubrics
from judges.llm.rubrics import LANGUAGES, UnknownRubric, load, names
from judges.llm.rubrics.forms import ClaimsForm, PreferenceForm, ReverseForm, ScoresForm

DATA = Path(judges.llm.rubrics.__file__).parent / "data"
PUBLISHED = {
    name: checksum
    for checksum, name in (
        line.split("  ") for line in (DATA / "published.txt").read_text(encoding="utf-8").splitlines()
    )
}


RUBRICS = {name for name in PUBLISHED if name.endswith(".toml")}


def test_a_published_rubric_is_what_it_was() -> None:
    for name in RUBRICS:
        checksum = PUBLISHED[name]
        found = hashlib.sha256((DATA / name).read_bytes()).hexdigest()
        assert found == checksum, f"{name} was published: write a new version in place of changing it"


def outline(form: Any) -> str:
    """The fields of a form, and what they may hold, in their order."""
    if get_origin(form) is Annotated:
        return outline(get_args(form)[0])
    if get_origin(form) in (list, Literal):
        return str([x if isinstance(x, str | int) else outline(x) for x in get_args(form)])
    if isinstance(form, type) and issubclass(form, BaseModel):
        hints = get_type_hints(form, include_extras=True)
        return str([f"{name}: {outline(hints[name])}" for name in form.model_fields])
    return str(form.__name__)


def test_the_forms_of_a_published_rubric_are_what_they_were() -> None:
    forms = "".join(map(outline, (ClaimsForm, ScoresForm, ReverseForm, PreferenceForm)))
    found = hashlib.sha256(forms.encode()).hexdigest()
    assert found == PUBLISHED["forms of rag/1"], f"a form with other fields is a new version: {found}"


def test_every_rubric_is_listed_as_published_and_the_first_stays_listed() -> None:
    assert {str(path.relative_to(DATA)) for path in DATA.rglob("*.toml")} == RUBRICS
    assert PUBLISHED.keys() >= {"rag/1/zh.toml", "rag/1/en.toml"}


@pytest.mark.parametrize("name", names())
def test_both_languages_have_the_same_tasks_blocks_and_words(name: str) -> None:
    zh, en = load(name, "zh"), load(name, "en")
    assert (zh.name, zh.version) == (en.name, en.version)
    assert (zh.language, en.language) == ("zh", "en")
    assert zh.tasks.keys() == en.tasks.keys()
    assert zh.blocks.keys() == en.blocks.keys()
    assert zh.words.keys() == en.words.keys()
    assert len(set(zh.blocks.values())) == len(zh.blocks)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_explains_every_field_of_its_form_in_their_order(language: str) -> None:
    rubric = load("rag", language)
    for task, form in (("claims", ClaimsForm), ("scores", ScoresForm), ("preference", PreferenceForm)):
        text = rubric.tasks[task].instructions
        fields = re.findall(r'"(\w+)": \{', str(form.model_json_schema()["properties"]).replace("'", '"'))
        inner = form.model_json_schema().get("$defs", {}).get("ClaimEntry", {}).get("properties", {})
        named = [field for field in [*form.model_fields, *inner] if field not in ("claims",)]
        places = [text.find(field) for field in named]
        assert fields
        assert min(places) >= 0, [f for f, place in zip(named, places, strict=True) if place < 0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_the_documents_count_is_shown_by_what_is_not_so(language: str) -> None:
    rules = load("rag", language).rules
    assert "50 °C" in rules
    assert "100 °C" in rules
    assert "{begin}" in rules
    assert "{end}" in rules


@pytest.mark.parametrize(("asked", "given"), [("zh", "zh"), ("en", "en"), ("ja", "en"), (None, "en")])
def test_languages_without_a_rubric_are_judged_under_the_english_one(asked: str | None, given: str) -> None:
    assert load("rag", asked).language == given


@pytest.mark.parametrize(("name", "version"), [("none", None), ("../rag", None), ("rag", "99")])
def test_an_unknown_rubric_is_named_in_the_error(name: str, version: str | None) -> None:
    with pytest.raises(UnknownRubric, match=re.escape(name)):
        load(name, "en", version)
