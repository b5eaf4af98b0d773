"""The simulated help desk's articles, in Chinese and English, and what people ask about them.

All of it is of our own writing; companies, products and people are invented.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import orjson

LANGUAGES: Final = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that people ask: phrasings, right and wrong answers, and the sentences that answer it."""

    questions: tuple[str, ...]
    answers: tuple[str, ...]
    wrong: tuple[str, ...]
    support: tuple[int, ...]
    rewrite: str | None
    """For follow-ups, the question as it would be asked without the conversation."""
    follow_ups: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Article:
    """One help article: `text` by sentence."""

    id: str
    domain: str
    title: str
    text: tuple[str, ...]
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A question about an article; `before` is the one it follows up, or null."""

    article: Article
    asked: Asked
    before: Asked | None = None


@dataclass(frozen=True, slots=True)
class Library:
    """All articles of one language."""

    language: str
    articles: tuple[Article, ...]
    openings: tuple[Case, ...]
    follow_ups: tuple[Case, ...]
    lacking: tuple[Case, ...] = ()
    """What people ask and no article holds: its articles have no text, and the same ids in both languages."""

    @property
    def joint(self) -> str:
        """What stands between two sentences."""
        return "" if self.language == "zh" else " "


@cache
def load_library(language: str) -> Library:
    """The articles of one language (`en` or `zh`)."""
    articles = tuple(_article(raw) for raw in read_data(f"knowledge_{language}.json"))
    openings = tuple(Case(article, asked) for article in articles for asked in article.asked)
    follow_ups = tuple(case for opening in openings for case in _followed(opening))
    lacking = tuple(_lacking(raw, language) for raw in read_data("lacking.json"))
    return Library(language, articles, openings, follow_ups, lacking)


def read_data(name: str) -> Any:
    """One of the JSON files beside this module."""
    return orjson.loads(files("stream.demo").joinpath(name).read_bytes())


def _followed(opening: Case) -> Iterator[Case]:
    for asked in opening.asked.follow_ups:
        yield Case(opening.article, asked, before=opening.asked)


def _article(raw: dict[str, Any]) -> Article:
    asked = tuple(_asked(one) for one in raw["asked"])
    return Article(raw["id"], raw["domain"], raw["title"], tuple(raw["text"]), asked)


def _lacking(raw: dict[str, Any], language: str) -> Case:
    own = raw[language]
    asked = Asked(tuple(own["questions"]), tuple(own["answers"]), (), (), None, ())
    return Case(Article(raw["id"], raw["domain"], own["title"], (), (asked,)), asked)


def _asked(raw: dict[str, Any]) -> Asked:
    return Asked(
        questions=tuple(raw["questions"]),
        answers=tuple(raw["answers"]),
        wrong=tuple(raw["wrong"]),
        support=tuple(raw["support"]),
        rewrite=raw.get("rewrite"),
        follow_ups=tuple(_asked(one) for one in raw.get("follow_ups", ())),
    )


__all__ = ["LANGUAGES", "Article", "Asked", "Case", "Library", "load_library", "read_data"]
