"""The texts of the pages, in both languages, and the templates that use them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Formatter

import pytest
from jinja2 import nodes

import console
from console.pages.incidents import lasting
from console.rendering.templates import coded, open_templates, share, when
from console.words import Words, load_words
from schemas.annotation import Reason
from sinks.annotation import errors

HOME = Path(console.__file__).parent
TEMPLATES = sorted((HOME / "templates").glob("**/*.html"))
FILES = sorted((HOME / "words").glob("*.en.json"))


by_template = pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_both_languages_say_the_same_things() -> None:
    english, chinese = load_words("en"), load_words("zh")
    assert english.keys() == chinese.keys()
    for name, text in english.items():
        assert fields(text) == fields(chinese[name]), name


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name)
def test_no_text_is_empty_or_said_twice(file: Path) -> None:
    for path in (file, file.with_name(file.name.replace(".en.", ".zh."))):
        pairs = json.loads(path.read_text("utf-8"), object_pairs_hook=list)
        assert len({key for key, _ in pairs}) == len(pairs)
        assert all(isinstance(text, str) and text.strip() for _, text in pairs)


def test_chinese_texts_are_chinese() -> None:
    for name, text in load_words("zh").items():
        plain = re.sub(r"\{\w+\}|Cohen|Krippendorff|English|Recall", "", text)
        assert re.search(r"[\u4e00-\u9fff]", text) or not re.search(r"[a-z]{4,}", plain), name


@by_template
def test_every_text_that_a_template_names_exists(template: Path) -> None:
    tree = open_templates().parse(template.read_text("utf-8"))
    known = load_words("en")
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "say" and call.args:
            name = call.args[0]
            if isinstance(name, nodes.Const):
                assert name.value in known, name.value


@by_template
def test_no_template_switches_escaping_off_or_holds_a_script_or_style(template: Path) -> None:
    text = template.read_text("utf-8")
    assert not re.search(r"\|\s*safe\b|autoescape|Markup|\bon[a-z]+\s*=\s*[\"']", text)
    assert not re.search(r"<style|\sstyle\s*=|javascript:", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))
    assert not re.search(r"https?://", text), "everything is served from here"


@by_template
def test_every_form_that_changes_something_carries_its_token(template: Path) -> None:
    for form in re.findall(r"<form[^>]*method=\"post\".*?</form>", template.read_text("utf-8"), re.DOTALL):
        assert 'name="csrf" value="{{ visit.form_token }}"' in form


@pytest.mark.parametrize("script", sorted((HOME / "static").glob("*.js")), ids=lambda path: path.name)
def test_no_script_makes_html_of_text(script: Path) -> None:
    text = script.read_text("utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text)


def test_every_refusal_and_reason_of_the_queue_has_words() -> None:
    known = load_words("en")
    for refusal in errors.QueueRefusal.__subclasses__():
        assert f"queue.refused.{refusal.__name__}" in known
    for reason in Reason:
        assert f"queue.reason.{reason.value}" in known


def test_what_is_said_of_a_value_of_ours_falls_back_to_the_value() -> None:
    say = Words("en")
    assert say.of("failure", "empty_recall") == "Empty recall"
    assert say.of("failure", "<b>") == "<b>"
    with pytest.raises(KeyError):
        say("queue.no_such_text")


def test_numbers_and_times_are_shown_the_same_everywhere() -> None:
    assert (share(0.1234), share(None)) == ("12.3 %", "–")
    assert when(0) == "1970-01-01 00:00:00"
    assert when(None) == "–"


def test_commands_in_a_sentence_are_code_and_nothing_in_it_is_markup() -> None:
    assert coded("`ragpulse doctor` <b>") == "<code>ragpulse doctor</code> &lt;b&gt;"
    assert "`" not in "".join(
        coded(text) for name, text in load_words("zh").items() if name.endswith("_hint")
    )


def test_chinese_sentences_have_chinese_commas() -> None:
    assert not [name for name, text in load_words("zh").items() if re.search(r"^,|[\u4e00-\u9fff],", text)]


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (94.2, "94 s", "94 秒"),
        (720, "12 min", "12 分钟"),
        (12_000, "3 h 20 min", "3 小时 20 分钟"),
        (187_200, "2 d 4 h", "2 天 4 小时"),
        (172_800, "2 d", "2 天"),
    ],
)
def test_lengths_of_time_are_said_in_the_language_of_the_page(
    seconds: float, english: str, chinese: str
) -> None:
    assert (lasting(seconds, Words("en")), lasting(seconds, Words("zh"))) == (english, chinese)
