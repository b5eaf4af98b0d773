"""A trace on its way: what was asked, retrieved and answered, and the truth about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from judges.corruption.bank import pick, read_bank
from judges.corruption.change import Change
from judges.corruption.topics import list_topics
from judges.corruption.traces.leave_out import LEAVE_OUT
from judges.corruption.traces.material import Material, Turn
from schemas.taxonomy import HEALTHY, Failure

SMALL_TALK, EARLIER = 0.15, 0.1
"""Shares of clear questions with small talk, or with another question, before them."""
_REWRITES = (0.55, 0.25, 0.2)
"""Shares of clear questions with no rewrite, with the question itself, with the question trimmed."""
OPENED, CLOSED = 0.2, 0.15


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a made trace. It never travels in the trace itself."""

    failure: Failure | None
    """Null for a healthy one."""
    kind: str
    """How it failed, within the class."""
    manner: str
    """How the answer came about: `supported`, `refused`, `copied`, `from_memory`, `invented`, `changed` …"""
    refusal: bool
    context_holds_answer: bool
    changes: tuple[Change, ...] = ()
    """What was changed in a supported answer; the offsets are those of the trace's answer."""

    @property
    def name(self) -> str:
        """The class as tables name it."""
        return self.failure.value if self.failure else HEALTHY


@dataclass(slots=True)
class Draft:
    """What happened, stage by stage."""

    material: Material
    question: str
    history: tuple[Turn, ...] = ()
    rewrite: str | None = None
    chunks: list[str] | None = field(default_factory=list)
    below_bar: bool = False
    retrieval_error: str | None = None
    answer: str | None = None
    finish_reason: str = "stop"
    generation_error: str | None = None
    kind: str = ""
    manner: str = ""
    refusal: bool = False
    holds_answer: bool = False
    changes: tuple[Change, ...] = ()


def start_draft(material: Material, questions: tuple[str, ...], random: Random) -> Draft:
    """The question as it was asked, with what stood before it and what the rewriter made of it.

    The same for every class. `questions` are others, for the histories that have nothing to do with it.
    """
    if material.is_follow_up:
        return Draft(material, material.question, material.history, material.rewrite)
    question = material.question
    bare = question.strip().rstrip("?？.。! ！")
    rewrite = random.choices((None, question, bare), _REWRITES)[0]
    return Draft(material, question, _unrelated_history(material.language, questions, random), rewrite)


def topic_of(material: Material) -> str:
    """A name for what the question is about."""
    language, intent = material.language, material.intent
    subjects = [subject for _, subject in LEAVE_OUT[language](intent)]
    topics = list_topics(material.chunks, language)
    topics = [t for t in topics if t.removeprefix("the ").lower() in intent.lower()]
    fallback = "this" if language == "en" else "这件事"
    return [*subjects, *topics, fallback][0]


def refuse(draft: Draft, random: Random, manner: str | None = None) -> str:
    """A refusal in one manner of the bank (any, if none is given)."""
    language = draft.material.language
    manner = manner or random.choice(list_manners(language))
    draft.refusal = True
    return pick("refusals", f"{language} {manner}", random, topic=topic_of(draft.material))


def list_manners(language: str) -> list[str]:
    """The manners of declining that the bank knows.

    >>> list_manners("en")[:3]
    ['not_found', 'insufficient', 'capability']
    """
    return [name.split()[1] for name in read_bank("refusals") if name.startswith(language)]


def be_polite(draft: Draft, random: Random) -> None:
    """Perhaps an opening and a closing phrase around the answer; changes keep their place."""
    if not draft.answer or not draft.answer.strip():
        return
    language = draft.material.language
    space = " " if language == "en" else ""
    opening, closing = ("greetings", "partings") if draft.refusal else ("openers", "closers")
    before = pick("talk", f"{opening} {language}", random) + space if random.random() < OPENED else ""
    after = space + pick("talk", f"{closing} {language}", random) if random.random() < CLOSED else ""
    if draft.answer.startswith(read_bank("talk")[f"openers {language}"]):
        before = ""
    if draft.answer.endswith(read_bank("talk")[f"closers {language}"]):
        after = ""
    if after and draft.answer.rstrip()[-1].isalnum():
        after = ("." if language == "en" else "。") + after
    draft.answer = before + draft.answer + after
    draft.changes = tuple(_move(change, before, after) for change in draft.changes)


def _move(change: Change, before: str, after: str) -> Change:
    shift = len(before)
    return replace(
        change, text=before + change.text + after, start=change.start + shift, end=change.end + shift
    )


def _unrelated_history(language: str, questions: tuple[str, ...], random: Random) -> tuple[Turn, ...]:
    roll = random.random()
    if roll < SMALL_TALK:
        said, _, answered = pick("talk", f"small talk {language}", random).partition(" | ")
        return ((said, answered),)
    if roll < SMALL_TALK + EARLIER and questions:
        return ((random.choice(questions), pick("talk", f"closers {language}", random)),)
    return ()
