"""Say of one chunk's subject what another chunk says of its own: a sentence added, or a subject replaced.

Every word of the result stands in some chunk, so that word overlap alone cannot find it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.add_invention import find_gaps
from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.entities import find_entities
from judges.corruption.sentences import list_sentences
from judges.corruption.swap_entity import are_same_name
from judges.corruption.verbs import PAST, PRESENT
from judges.distilled.reading.language import detect

_VERB_EN = (
    r"(?:is|are|was|were|has|have|had|can|cannot|will|must|may|should|born|offer|support|require|include"
    r"|cost|take|need|use|work|"
    rf"come|last|open|close|provide|contain|apply|{'|'.join([*PRESENT, *PAST])})"
)
_SUBJECT_EN = re.compile(
    rf"^\W{{0,3}}((?:(?:The|A|An|Our|Your) )?[A-Za-z][\w'-]*(?: (?:of |for "
    rf"|the )?[\w'-]+){{0,4}}?) (?={_VERB_EN}\b)"
)
_DULL_EN = re.compile(
    r"^(?:It|He|She|They|We|You|I|This|That|These|Those|There|Here|If|When|As|In|On|At|For|To|After|Before"
    r"|While|Since|By|With|From|What|Which|Who|How|Some|Many|Most|All|Each|But|And|However|Please|Not|No"
    r"|Only|Both|One|His|Her|Its|Their)\b(?! \w+ (?:of)\b)"
)
_SUBJECT_ZH = re.compile(
    r"^[^\u4e00-\u9fffA-Za-z0-9《“]{0,3}([^，。；：、！？\s]{2,16}?)(?=是|为|位于|成立|支持|采用|可以|可|由"
    r"|有|于|具有|包括|包含|提供|需要|需|须|应|不|将|会|在|始建|适用|能|的(?:有效期|价格|长度|面积|人口|重量"
    r"|首都))"
)
_DULL_ZH = re.compile(
    r"^(?:如果|因为|所以|但|而|并|其|该|此|这|那|它|他|她|我|你|您|也|还|就|同时|另外|根据|目前|一般|通常|不"
    r"|未|每|在|从|对|当|由|为|以|应|须|请|只|仅|若|首先|然后|最后|即|据|与|随着|除|有|很|近|日前|今|昨|现"
    r"|一|两|第|大家|相信|记者|图|点击|本文|如何|怎)|^.*(?:的|了|认为|表示|以及|或)"
)
_PRONOUNED = re.compile(r"\b(?:who|that|which|and|or)\b")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_SHORT = 80
_FACT_CHARS = {"en": 220, "zh": 70}
"""A longer sentence says more of its old subject than of its new one."""


def mix_chunks(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Attribute a fact of one context to the subject of another; null where two subjects cannot be told.

    >>> cups = ["The blue cup holds 300 ml.", "The red cup is made of glass. The red cup costs 9 dollars."]
    >>> mix_chunks("The blue cup holds 300 ml.", Random(1), cups).after
    ' The blue cup is made of glass.'
    """
    subjects = [find_subject(context) for context in contexts]
    language = detect(text, *contexts)
    sites = [
        *_replace_subjects(text, subjects),
        *_add_facts(text, subjects, contexts, random, "zh" if language == "zh" else "en"),
    ]
    return make_change(text, Kind.MIXING, sites, random, contexts)


def find_subject(text: str) -> str | None:
    """What the first sentence of a text says something of, or null.

    >>> find_subject("The Aurora lamp is 30 cm tall. It is red."), find_subject("年票的有效期为一年。")
    ('The Aurora lamp', '年票')
    """
    for sentence in list_sentences(text)[:2]:
        for pattern, dull in ((_SUBJECT_EN, _DULL_EN), (_SUBJECT_ZH, _DULL_ZH)):
            match = pattern.match(sentence)
            if match and not dull.match(match[1]) and not _PRONOUNED.search(match[1]):
                return match[1] if _is_topic(match[1], text) else None
    return None


def _is_topic(subject: str, text: str) -> bool:
    """Whether a text is about what its first sentence begins with.

    So it is in English with an article, and else in a short text, for a name, and for what is said again.
    """
    if subject.startswith(("The ", "Our ")):
        return True
    if subject[-1] in "则等们中上下时后前日年月会" or subject.isdigit():
        return False
    if len(text) < _SHORT or text.count(subject) > 1:
        return True
    return any(subject.endswith(entity.text) for entity in find_entities(subject))


def _replace_subjects(text: str, subjects: Sequence[str | None]) -> Iterator[Site]:
    """A subject in the text gives way to another chunk's."""
    for subject in dict.fromkeys(s for s in subjects if s):
        others = [s for s in subjects if s and s not in text and _may_stand_for(s, subject)]
        at = text.find(subject)
        begins = at == 0 or not _HAN.match(text[at - 1 : at]) or text[at - 1] in "的在与和对从由，。"
        if at >= 0 and begins and others:
            yield Site(at, at + len(subject), tuple(dict.fromkeys(others)), "subject")


def _add_facts(
    text: str, subjects: Sequence[str | None], contexts: Sequence[str], random: Random, language: str
) -> Iterator[Site]:
    """A sentence about another chunk's subject is added, said of a subject of the text."""
    here = [s for s in subjects if s and s in text]
    facts = []
    for subject in here:
        for other, context in zip(subjects, contexts, strict=True):
            if other is None or not _may_stand_for(subject, other):
                continue
            for sentence in list_sentences(context):
                fits = len(sentence) <= _FACT_CHARS[language] and sentence not in text
                if fits and sentence.startswith(other) and subject not in sentence:
                    facts.append(subject + sentence[len(other) :])
    if facts:
        yield from find_gaps(text, lambda: random.choice(facts), language)


def _may_stand_for(subject: str, other: str) -> bool:
    """Another thing, and in English of the same number, so that the verb still agrees."""
    return not are_same_name(subject, other) and _is_plural(subject) == _is_plural(other)


def _is_plural(subject: str) -> bool:
    return subject.isascii() and subject.endswith("s") and not subject.endswith(("ss", "us", "is"))
