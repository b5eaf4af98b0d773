"""Turn a clear question into a follow-up: its subject moves to an earlier turn, for a pronoun."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from judges.corruption.bank import pick
from judges.corruption.entities import find_entities
from judges.corruption.mix_chunks import find_subject
from judges.corruption.sentences import list_sentences
from judges.corruption.topics import list_topics
from judges.corruption.traces.material import Material
from judges.corruption.verbs import PAST, PRESENT

_ARTICLE = re.compile(r"^(?:the|a|an|our|your) ", re.IGNORECASE)
_PERSON = ("person", "person-han", "person-abroad")
_REPLY_CHARS = 220
_GOES_ON = "|".join(
    [
        *(
            "and or in on at to for from with by of is are was were be been do does did have has had can "
            "could will would should"
        ).split(),
        *(
            "must may that which who when if as after before during than then so still also really usually "
            "not"
        ).split(),
        *PRESENT,
        *PRESENT.values(),
        *PAST,
    ]
)
"""What may follow a name that a pronoun takes the place of: another noun would be its head."""


def make_follow_up(material: Material, random: Random) -> Material | None:
    """The same material asked in two turns; null where the question names nothing that could be left out.

    The question as it was becomes the good rewrite.

    >>> lamp = Material("en", "How tall is the Aurora lamp?", ("The Aurora lamp is 30 cm tall.",), "30 cm.")
    >>> made = make_follow_up(lamp, Random(1))
    >>> made.question, made.rewrite
    ('How tall is it?', 'How tall is the Aurora lamp?')
    """
    if material.is_follow_up:
        return material
    subject = _find_subject(material)
    if subject is None:
        return None
    name, kind = subject
    question = _leave_out(material.question, name, kind, material.language)
    if question is None:
        return None
    asked = pick("talk", f"approaches {material.language}", random, topic=name)
    history = (*material.history, (asked, _reply(material, name, random)))
    return replace(material, question=question, history=history, rewrite=material.question)


def _find_subject(material: Material) -> tuple[str, str] | None:
    """The longest name in the question that the chunks speak of as well, and its kind."""
    held = " ".join(material.chunks).lower()
    names = [(e.text, e.kind) for e in find_entities(material.question, _names(material))]
    topics = [find_subject(chunk) or "" for chunk in material.chunks]
    topics += list_topics(material.chunks, material.language)
    names += [(_ARTICLE.sub("", topic), "thing") for topic in topics]
    asked = material.question.lower()
    fitting = [(n, k) for n, k in names if n.lower() in asked and n.lower() in held and len(n) >= 2]
    return max(fitting, key=lambda pair: len(pair[0]), default=None)


def _names(material: Material) -> set[str]:
    return {entity.text for chunk in material.chunks for entity in find_entities(chunk)}


def _leave_out(question: str, name: str, kind: str, language: str) -> str | None:
    if language == "zh":
        pronoun = "他" if kind in _PERSON else "它"
        left = re.sub(rf"[《“「]?{re.escape(name)}[》”」]?", pronoun, question, count=1)
        return None if name in left or left == question or len(left) < 4 else left
    person = kind in _PERSON
    own, pronoun = ("their", "they") if person else ("its", "it")
    with_article = rf"\b(?:the |a |an )?{re.escape(name)}"
    left, count = re.subn(rf"{with_article}['’]s?(?= )", own, question, count=1, flags=re.IGNORECASE)
    if not count:
        whole = rf"{with_article}(?=[?.,!]|$| (?:{_GOES_ON})\b)"
        left, count = re.subn(whole, "them" if person else pronoun, question, count=1, flags=re.IGNORECASE)
    if not count or name.lower() in left.lower():
        return None
    return left[0].upper() + left[1:] if question[0].isupper() else left


def _reply(material: Material, name: str, random: Random) -> str:
    """What the assistant said in between: something true of the name, or a question back."""
    told = [
        sentence
        for chunk in material.chunks
        for sentence in list_sentences(chunk)
        if name in sentence and len(sentence) <= _REPLY_CHARS and sentence not in material.answer
    ]
    if told and random.random() < 0.5:
        return random.choice(told)
    return pick("talk", f"replies {material.language}", random, topic=name)
