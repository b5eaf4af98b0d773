"""Gaps in the documents: unanswered questions, those about the same thing put together. Pure.

Within a language, questions are grouped by their words (`grouping.py`). Groups of different languages meet
where they name the same things: names and numbers, Latin words, and terms of a small glossary (`meeting.py`).
What cannot be reached that way stays apart, and says so by having one language.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from judges.clustering.grouping import group_texts
from judges.clustering.meeting import Embed, Met, meet
from judges.clustering.terms import CONCEPT, Terms, fold, read_terms
from judges.clustering.trend import Trend, trend_of
from judges.intervals import Interval, wilson
from schemas.unanswered import Asked, Unanswered

EXAMPLES: Final = 3
"""Questions that stand for a gap; at least one in each of its languages, up to these."""
TERMS: Final = 4
"""Of each language's group."""
Redact = Callable[[str], str]
Bundle = Sequence[Unanswered]
"""Questions in the same words, told of the same language."""


@dataclass(slots=True, frozen=True)
class Example:
    """One question that stands for others. Redacted."""

    text: str
    language: str
    questions: int
    """That were asked in these words, with or without a greeting."""
    trace_id: str


@dataclass(slots=True, frozen=True)
class Share:
    """A gap's share of all traces of the period, with its interval at 95 %."""

    value: float | None
    interval: Interval
    n: int
    """Traces of the period, answered or not."""


@dataclass(slots=True, frozen=True)
class Gap:
    """Questions about one thing that the documents do not answer. Every text in it is redacted."""

    gap_id: str
    """Of its most typical question: the same in another period as long as that is the same."""
    questions: int
    conversations: int
    """In which it was asked: whoever asks three times in one counts once."""
    share: Share
    trend: Trend
    """By conversations."""
    languages: dict[str, int]
    """Questions by language, most first; so are the next three."""
    apps: dict[str, int]
    tenants: dict[str, int]
    reasons: dict[str, int]
    """By `schemas.unanswered.Why`."""
    examples: tuple[Example, ...]
    """The most typical first."""
    terms: tuple[str, ...]
    """What its questions have in common."""
    met_by: tuple[str, ...]
    """What brought its languages together: by their English name where the glossary knows them; nothing where
    it has one language, or an embedding model brought them together."""
    trace_ids: tuple[str, ...]
    """All of them, the latest first."""
    first_at: float
    last_at: float


@dataclass(slots=True, frozen=True)
class Gaps:
    """Everything that went unanswered in a period."""

    since: float
    until: float
    traces: int
    """All of the period, answered or not."""
    unanswered: Share
    """Of all traces; counts those whose text could not be read as well."""
    gaps: tuple[Gap, ...]
    """The most conversations first."""
    once: int
    """Questions that nothing else was like: they are gaps of one, and not in `gaps`."""
    left_out: int
    """Unanswered questions that were too many to be read."""
    without_text: int


def find_gaps(asked: Asked, redact: Redact, *, embed: Embed | None = None) -> Gaps:
    """Group what went unanswered. Deterministic: the order of the questions does not matter.

    `redact` is applied to whatever is shown (and to whatever `embed` sees). `embed` gives vectors of texts,
    by which groups of different languages may meet as well.
    """
    questions = sorted(asked.questions, key=lambda one: (fold(one.question), one.asked_at, one.trace_id))
    bundles = _bundle(questions)
    terms = [read_terms(bundle[0].question, bundle[0].language) for bundle in bundles]
    groups = group_texts(terms, [len(bundle) for bundle in bundles])
    shown = [] if embed is None else [redact(bundles[group.members[0]][0].question) for group in groups]
    found = [
        _gap(met, bundles, terms, redact, asked)
        for met in meet(groups, terms, shown, embed)
        if sum(len(bundles[number]) for group in met.groups for number in group.members) > 1
    ]
    total, gone = sum(asked.traffic), asked.left_out + asked.without_text
    return Gaps(
        since=asked.since,
        until=asked.until,
        traces=total,
        unanswered=_share(len(questions) + gone, total),
        gaps=tuple(sorted(found, key=lambda gap: (-gap.conversations, -gap.questions, gap.gap_id))),
        once=len(questions) - sum(gap.questions for gap in found),
        left_out=asked.left_out,
        without_text=asked.without_text,
    )


def _bundle(questions: Sequence[Unanswered]) -> list[list[Unanswered]]:
    """Questions in the same words and language, together."""
    bundles: dict[tuple[str, str], list[Unanswered]] = {}
    for one in questions:
        bundles.setdefault((fold(one.question), one.language), []).append(one)
    return list(bundles.values())


def _gap(met: Met, bundles: Sequence[Bundle], terms: Sequence[Terms], redact: Redact, asked: Asked) -> Gap:
    members = [number for group in met.groups for number in group.members]
    questions = [one for number in members for one in bundles[number]]
    examples = tuple(_example(same, bundles, terms, redact) for same in _choose(met, bundles, terms))
    shown = {term for one in examples for term in read_terms(one.text, one.language).weights}
    spelled = {term: word for number in reversed(members) for term, word in terms[number].spelled.items()}
    firsts = _first_of_conversations(questions)
    latest = sorted(questions, key=lambda one: (-one.asked_at, one.trace_id))
    common = dict.fromkeys(term for group in met.groups for term in group.terms[:TERMS])
    return Gap(
        gap_id=hashlib.sha256(fold(examples[0].text).encode()).hexdigest()[:12],
        questions=len(questions),
        conversations=len(firsts),
        share=_share(len(questions), sum(asked.traffic)),
        trend=trend_of(_by_piece(firsts, asked), asked.traffic),
        languages=_counted(terms[number].language for number in members for _ in bundles[number]),
        apps=_counted(one.app for one in questions),
        tenants=_counted(one.tenant for one in questions),
        reasons=_counted(one.why.value for one in questions),
        examples=examples,
        terms=tuple(dict.fromkeys(spelled[term] for term in common if term in shown)),
        met_by=tuple(term.removeprefix(CONCEPT) for term in met.by if term in shown),
        trace_ids=tuple(dict.fromkeys(one.trace_id for one in latest)),
        first_at=latest[-1].asked_at,
        last_at=latest[0].asked_at,
    )


def _choose(met: Met, bundles: Sequence[Bundle], terms: Sequence[Terms]) -> list[list[int]]:
    """The most typical questions of each language in turn, that with most questions first.

    Each is all texts that have the same terms: the same question with or without a greeting.
    """
    asked = {group.language: sum(len(bundles[n]) for n in group.members) for group in met.groups}
    groups = sorted(met.groups, key=lambda group: (-asked[group.language], group.language))
    kinds = []
    for group in groups:
        same: dict[frozenset[str], list[int]] = {}
        for number in group.members:
            same.setdefault(frozenset(terms[number].weights), []).append(number)
        kinds.append(list(same.values()))
    in_turn = [numbers for row in zip_longest(*kinds) for numbers in row if numbers is not None]
    return in_turn[: max(EXAMPLES, len(groups))]


def _example(
    same: Sequence[int], bundles: Sequence[Bundle], terms: Sequence[Terms], redact: Redact
) -> Example:
    shortest = min(same, key=lambda number: (len(bundles[number][0].question), number))
    latest = max(bundles[shortest], key=lambda one: (one.asked_at, one.trace_id))
    asked = sum(len(bundles[number]) for number in same)
    return Example(redact(latest.question), terms[shortest].language, asked, latest.trace_id)


def _first_of_conversations(questions: Sequence[Unanswered]) -> list[Unanswered]:
    """The first question of each conversation; one that names none is its own."""
    firsts: dict[tuple[str, ...], Unanswered] = {}
    for one in sorted(questions, key=lambda one: (one.asked_at, one.trace_id)):
        key = (one.app, one.tenant, one.conversation) if one.conversation else (one.trace_id,)
        firsts.setdefault(key, one)
    return list(firsts.values())


def _by_piece(questions: Sequence[Unanswered], asked: Asked) -> list[int]:
    pieces = [0] * len(asked.traffic)
    length = (asked.until - asked.since) / len(pieces)
    for one in questions:
        pieces[min(max(int((one.asked_at - asked.since) / length), 0), len(pieces) - 1)] += 1
    return pieces


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda each: (-each[1], each[0])))


def _share(some: int, total: int) -> Share:
    """Null where nothing is known of the traffic; never more than all of it."""
    some = min(some, total)
    return Share(some / total if total else None, wilson(some, total), total)


__all__ = ["EXAMPLES", "Example", "Gap", "Gaps", "Redact", "Share", "find_gaps"]
