"""Add a sentence that no context says: on their own topic, with made-up years, figures and people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random

from judges.corruption.bank import read_bank
from judges.corruption.calendar import MONTHS
from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.sentences import split_sentences
from judges.corruption.topics import list_topics
from judges.distilled.reading.language import detect

_FALLBACK = {"en": ("this service", "the previous one"), "zh": ("该项服务", "以往的方案")}
_ENDS = "。！？.!?；;”\"'」』)）]】…"
_SLOTS: dict[str, Callable[[Random], str]] = {
    "few": lambda random: str(random.randint(2, 9)),
    "many": lambda random: str(
        random.choice((12, 15, 18, 24, 35, 40, 60, 75, 120, 150, 180, 240, 300, 360, 480))
    ),
    "percent": lambda random: str(random.randint(6, 94)),
    "year": lambda random: str(random.randint(1968, 2023)),
}


def add_invention(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Add an invented sentence behind one of `text`; null only for an empty text.

    >>> add_invention("The RK3588 has 8 cores.", Random(4), ["The RK3588 has 8 cores."]).text
    'The RK3588 has 8 cores. Most of the funding for the RK3588 came from a foundation in Graz.'
    """
    language = detect(text, *contexts)
    if language not in ("en", "zh") or not text.strip():
        return None
    texts = [text, *(context for context in contexts if detect(context) == language)]
    sentence = invent(random, language, texts)
    gaps = find_gaps(text, lambda: sentence, language)
    return make_change(text, Kind.INVENTION, gaps, random, contexts)


def find_gaps(text: str, write: Callable[[], str], language: str) -> Iterator[Site]:
    """The places behind the sentences of a text, each with what `write` gives for it."""
    for start, end in split_sentences(text):
        at = start + len(text[start:end].rstrip())
        if at == start:
            continue
        closed = text[at - 1] in _ENDS
        if not closed and at < len(text.rstrip()):
            continue  # a line that runs on: a list, a heading, a table
        space = " " if language == "en" else ""
        stop = "" if closed else ("." if language == "en" else "。")
        yield Site(at, at, (f"{stop}{space}{write()}",), "added")


def invent(random: Random, language: str, texts: Sequence[str]) -> str:
    """One invented sentence about what `texts` speak of. Its figures stand in none of them.

    >>> invent(Random(2), "zh", ["星辰公司成立于1990年。"])
    '2015年11月，星辰公司因多起投诉受到批评。'
    """
    bank = read_bank("inventions")
    topics = list_topics(texts, language)
    topic = random.choice(topics[:4]) if topics else _FALLBACK[language][0]
    others = [t for t in topics if t != topic and topic not in t and t not in topic]
    other = random.choice(others[:4]) if others else _FALLBACK[language][1]
    template = random.choice(bank[language])
    values = {name: _unheard(draw, random, texts) for name, draw in _SLOTS.items()}
    values["month"] = random.choice(MONTHS) if language == "en" else f"{random.randint(1, 12)}月"
    values["city"] = random.choice(bank[f"cities {language}"])
    values["person"] = random.choice(bank[f"people {language}"])
    sentence = template.format(topic=topic, other=other, **values)
    return sentence[0].upper() + sentence[1:]


def _unheard(draw: Callable[[Random], str], random: Random, texts: Sequence[str]) -> str:
    value = draw(random)
    for _ in range(20):
        if not any(re.search(rf"(?<!\d){value}(?!\d)", text) for text in texts):
            break
        value = draw(random)
    return value
