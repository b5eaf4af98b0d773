"""A golden set and a system that answers it, of the simulated help desk's articles: good, noisy or broken."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from random import Random
from typing import Any, Final

from judges.golden import GoldenCase, GoldenSet, Kind
from schemas.trace import Trace
from stream.demo.knowledge import LANGUAGES, Article, load_library

REFUSALS: Final = {
    "en": "I could not find anything about this in the documents.",
    "zh": "抱歉，资料里没有查到相关内容。",
}
_JOINTS: Final = {"en": " And another thing: ", "zh": "另外，"}
_HIDDEN: Final = "office"
"""Domain whose articles are in no index: questions about it cannot be answered."""
_COUNT: Final = 5
Change = Callable[[GoldenCase, dict[str, Any], Random], None]
"""What is different in a candidate: changes one answer, as JSON of a trace, in place."""


def make_golden(single: int = 60, multi: int = 24, unanswerable: int = 16) -> GoldenSet:
    """So many cases of each kind, half of them in Chinese; the same each time."""
    cases: list[GoldenCase] = []
    for language in LANGUAGES:
        library = load_library(language)
        known = [case for case in library.openings if case.article.domain != _HIDDEN]
        hidden = [case for case in library.openings if case.article.domain == _HIDDEN]
        for number in range(single // 2):
            asked = known[number % len(known)]
            cases.append(
                GoldenCase(
                    f"{language}-single-{number:03d}",
                    asked.asked.questions[number // len(known) % len(asked.asked.questions)],
                    Kind.SINGLE_HOP,
                    language=language,
                    intent=asked.article.domain,
                    gold_chunk_ids=(asked.article.id,),
                    reference_answer=asked.asked.answers[0],
                )
            )
        for number in range(multi // 2):
            one, other = known[-1 - number], known[number]
            cases.append(
                GoldenCase(
                    f"{language}-multi-{number:03d}",
                    one.asked.questions[0] + _JOINTS[language] + other.asked.questions[0],
                    Kind.MULTI_HOP,
                    language=language,
                    intent=one.article.domain,
                    gold_chunk_ids=tuple(sorted({one.article.id, other.article.id})),
                    reference_answer=one.asked.answers[0] + library.joint + other.asked.answers[0],
                )
            )
        for number in range(unanswerable // 2):
            asked = hidden[number % len(hidden)]
            cases.append(
                GoldenCase(
                    f"{language}-none-{number:03d}",
                    asked.asked.questions[number // len(hidden) % len(asked.asked.questions)],
                    Kind.UNANSWERABLE,
                    language=language,
                    intent=asked.article.domain,
                    should_refuse=True,
                )
            )
    return GoldenSet("desk", ()).with_cases(cases)


def answer(case: GoldenCase, change: Change | None = None, seed: int = 0) -> dict[str, Any]:
    """The desk's answer as JSON of a trace: gold chunks among others, and the reference answer."""
    random = Random(int(hashlib.sha256(f"{case.case_id}/{seed}".encode()).hexdigest()[:8], 16))
    articles = {one.id: one for one in load_library(case.language).articles if one.domain != _HIDDEN}
    gold = [articles[one] for one in case.gold_chunk_ids]
    pool = sorted(articles.keys() - set(case.gold_chunk_ids))
    others = [articles[name] for name in random.sample(pool, _COUNT - len(gold))]
    reply: dict[str, Any] = {
        "trace_id": f"t-{case.case_id}",
        "case_id": case.case_id,
        "question": case.question,
        "retrieval": {"chunks": [_chunk(one, case.language) for one in [*gold, *others]]},
        "answer": REFUSALS[case.language] if case.should_refuse else case.reference_answer,
    }
    if change is not None:
        change(case, reply, random)
    return reply


def answers(golden: GoldenSet, change: Change | None = None, seed: int = 0) -> dict[str, Trace]:
    """An answer to each case, as a trace."""
    return {case.case_id: Trace.model_validate(answer(case, change, seed)) for case in golden.cases}


def lose_second_hop(share: float = 1.0) -> Change:
    """A regression in multi-hop questions alone: of two gold chunks, one is no longer found."""

    def change(case: GoldenCase, reply: dict[str, Any], random: Random) -> None:
        if case.kind is Kind.MULTI_HOP and random.random() < share:
            chunks = reply["retrieval"]["chunks"]
            del chunks[1 if len(case.gold_chunk_ids) > 1 else 0]

    return change


def _chunk(article: Article, language: str) -> dict[str, Any]:
    joint = load_library(language).joint
    return {"id": article.id, "text": f"{article.title}\n{joint.join(article.text)}"}


__all__ = ["REFUSALS", "Change", "answer", "answers", "lose_second_hop", "make_golden"]
