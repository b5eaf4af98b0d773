"""The simulated help desk: enough of it, in both languages, and consistent with itself."""

from __future__ import annotations

from itertools import chain

import pytest

from stream.demo.knowledge import LANGUAGES, Asked, load_library
from stream.demo.phrases import load_phrases
from stream.demo.world import APPS, TENANTS

both = pytest.mark.parametrize("language", LANGUAGES)


def everything_asked(language: str) -> list[Asked]:
    library = load_library(language)
    return [case.asked for case in chain(library.openings, library.follow_ups)]


@both
def test_there_are_at_least_forty_articles_of_two_to_five_sentences(language: str) -> None:
    articles = load_library(language).articles
    assert len(articles) >= 40
    assert all(2 <= len(article.text) <= 5 for article in articles)
    assert len({article.id for article in articles}) == len(articles)


@both
def test_every_article_answers_at_least_two_questions_in_several_wordings(language: str) -> None:
    for article in load_library(language).articles:
        assert len(article.asked) >= 2, article.id
        for asked in article.asked:
            assert len(asked.questions) >= 2, article.id
            assert asked.answers, article.id
            assert asked.wrong, article.id


@both
def test_follow_ups_have_a_rewrite_that_differs_from_every_wording(language: str) -> None:
    library = load_library(language)
    assert len(library.follow_ups) >= 30
    for case in library.follow_ups:
        assert case.asked.rewrite
        assert case.asked.rewrite not in case.asked.questions


@both
def test_the_sentences_named_as_support_exist_and_are_not_the_whole_article(language: str) -> None:
    library = load_library(language)
    for case in chain(library.openings, library.follow_ups):
        support = set(case.asked.support)
        assert support, case.article.id
        assert support < set(range(len(case.article.text))), case.article.id


@both
def test_no_text_is_used_twice_and_no_wrong_answer_is_a_right_one(language: str) -> None:
    asked = everything_asked(language)
    texts = list(chain.from_iterable((*one.questions, *one.answers, *one.wrong) for one in asked))
    assert len(texts) == len(set(texts))
    assert len(texts) >= 700


def test_chinese_is_chinese_and_english_is_english() -> None:
    for language, is_chinese in (("zh", True), ("en", False)):
        for article in load_library(language).articles:
            has_han = any("\u4e00" <= letter <= "\u9fff" for letter in "".join(article.text))
            assert has_han is is_chinese, article.id


@both
def test_refusals_come_in_all_manners(language: str) -> None:
    refusals = load_phrases(language).refusals
    assert set(refusals) == {"plain", "soft", "partial", "safety", "clarifying", "redirecting"}
    wordings = list(chain.from_iterable(refusals.values()))
    assert len(wordings) == len(set(wordings)) >= 30


@both
def test_every_app_has_enough_to_be_asked_and_something_else_to_return(language: str) -> None:
    library = load_library(language)
    for app in APPS.values():
        held = [a for a in library.articles if a.domain in app.domains]
        for domain in app.domains:
            assert len([a for a in held if a.domain != domain]) >= app.top_k, app.name
        assert any(case.article.domain in app.domains for case in library.follow_ups)


def test_the_tenants_share_the_traffic_among_them() -> None:
    assert sum(tenant.share for tenant in TENANTS) == pytest.approx(1.0)
    assert {tenant.app for tenant in TENANTS} == set(APPS)
