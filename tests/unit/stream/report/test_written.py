"""Reports as HTML and Markdown: whatever a text holds, it is text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from console.drawing import Bar, draw_bars
from stream.report.as_html import as_html
from stream.report.as_markdown import as_markdown, escaped
from stream.report.blocks import Cell, Page, Picture, Section, Table, Text, Tile, Tiles, as_letters

HOSTILE = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</style><script>x</script>",
    "javascript:1", "![x](http://evil.example/p.png)", "[click](http://evil.example)", "| a | b |",
    "line\nbreak\r\n# heading",
    "`code` **bold** _it_ ~~gone~~", "http://evil.example www.evil.example a@evil.example", "\x1b[31mred\x00",
    "&lt;script&gt;", "$x^2$", "<!-- -->", "\u202egnp.exe",
)  # fmt: skip


class Seen(HTMLParser):
    """Tags and attributes of a page, and the text beside them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(text: str) -> Page:
    """A page with a text in every place that there is."""
    bars = draw_bars([Bar(1, "healthy", text, text)], text)
    return Page(
        title=text,
        language="en",
        lead=[Text(text, "bad"), Tiles((Tile(text, text, text, "bad"),))],
        sections=[
            Section(
                text,
                [
                    Table((text, "n"), [[Cell(text, "bad", more=(text,)), text]], right=frozenset((1,))),
                    Picture(bars, (("healthy", text),)),
                ],
            )
        ],
        foot=[text],
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup_in_html(text: str) -> None:
    plain, hostile = Seen(as_html(page_of("p" * len(text)))), Seen(as_html(page_of(text)))
    assert hostile.tags == plain.tags
    assert [name for name, _ in hostile.attributes] == [name for name, _ in plain.attributes]
    assert "script" not in hostile.tags


def test_a_page_loads_nothing_and_forbids_what_could() -> None:
    page = as_html(page_of("plain"))
    seen = Seen(page)
    assert not {"script", "img", "link", "iframe", "object", "form"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name in ("src", "href", "srcset") or name[:2] == "on"]
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_markup_in_markdown(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    for start, character in enumerate(shown):
        if character in "`*_~|":
            assert shown[start - 1] == "\\"
    assert not {"<", ">"} & set(shown)
    for link in ("](", "][", "]:"):
        assert link not in shown
    assert "http://" not in shown


@pytest.mark.parametrize("text", ["# heading", "- item", "1. item", "+ item", "=", "> quote"])
def test_no_paragraph_becomes_a_heading_or_a_list(text: str) -> None:
    line = as_markdown(Page("t", "en", lead=[Text(text)])).splitlines()[2]
    assert line.startswith(("\\", "&gt;"))


def test_a_text_keeps_its_table_whole_in_markdown() -> None:
    lines = as_markdown(page_of("a | b\nc")).splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1


def test_terminals_take_nothing_for_a_command() -> None:
    assert "\x1b" not in as_markdown(page_of("\x1b[2J\x07"))


def test_tones_say_the_same_in_markdown() -> None:
    assert "**worse**" in as_markdown(Page("t", "en", lead=[Text("worse", "bad")]))


def test_languages_are_said_in_html() -> None:
    assert '<html lang="zh-Hans">' in as_html(Page("标题", "zh"))


def test_a_course_as_letters_has_its_top() -> None:
    assert as_letters([0, 1, 2, 4]) == "▁▃▅█"
    assert as_letters([0, 0]) == ""
    assert as_letters([]) == ""
