"""Turn a clear question into a follow-up: its subject moves to an earlier turn, for a pronoun."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from judges.corruption.bank import pick
from judges.corruption.sentences import list_sentences
from judges.corruption.traces.leave_out import LEAVE_OUT
from judges.corruption.traces.material import Material
from judges.corruption.traces.overlap import coverage

_REPLY_CHARS = 220
SPOKEN_OF = 0.5
"""Share of a subject's words that the chunks must hold for it to be their subject."""


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
    held = " ".join(material.chunks)
    for question, subject in LEAVE_OUT[material.language](material.question):
        if coverage(subject, held) >= SPOKEN_OF:
            asked = pick("talk", f"approaches {material.language}", random, topic=subject)
            history = (*material.history, (asked, _reply(material, subject, random)))
            return replace(material, question=question, history=history, rewrite=material.question)
    return None


def _reply(material: Material, subject: str, random: Random) -> str:
    """What the assistant said in between: something true of the subject, or a question back."""
    name = re.sub(r"^(?:the|a|an|my|our) ", "", subject)
    told = [
        sentence
        for chunk in material.chunks
        for sentence in list_sentences(chunk)
        if name in sentence and len(sentence) <= _REPLY_CHARS and coverage(material.answer, sentence) < 0.5
    ]
    if told and random.random() < 0.5:
        return random.choice(told)
    yours = re.sub(r"^(?:my|our) ", "your ", subject)
    return pick("talk", f"replies {material.language}", random, topic=yours)
