"""What texts speak of: names first, then the nouns that their sentences open with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from judges.corruption.entities import find_entities

_NOUN_EN = re.compile(
    r"\b[Tt]he ([a-z]{4,}(?<!ing)(?<!ly))(?= (?:is|are|was|were|of|has|have|can|will|must|in|on|for|to|from"
    r"|at|by|with|and)\b|[.,;])"
)
_DULL_EN = frozenset(
    "same other first second third last next most best following number rest part time case end way year "
    "years day days name "
    "fact result example beginning middle total above below latter former only whole this that".split()
)
_NOUN_ZH = re.compile(
    r"(?:^|(?<=[。；！？，\n]))([\u4e00-\u9fff]{2,8}?)(?=是|为|可以|可|需要|需|须|支持|由|应|将|会|位于|包括"
    r"|包含|提供|有|的)"
)
_DULL_ZH = re.compile(
    r"(?:如果|因为|所以|但|而|并|其|该|此|这|那|它|他|她|我|你|您|也|还|就|均|都|同时|根据|目前|一般|通常|不"
    r"|未|没|每|从|对|当|由|以|应|须|请|只|仅|若|首先|然后|最后|即|则|患|又|已|曾|再|更|最|很|太|被|将|想|让"
    r"|使|给|向|跟|与|和|或|及|虽|尽管|随着|通过|按|多|少|近|今|昨|明|本|某|各|全|一|两)|.*(?:在|的|了|是|有"
    r"|需要|和|与|认为|表示)|.*(?:即|依次|就|都|也|并|可|还|时|后|前|均|共|约|达|内|以上|以下)$"
)
"""What a noun does not begin with, or does not hold."""
_OPEN = frozenset(
    (
        "person organisation place names name code title quoted company school office site hospital "
        "person-han person-abroad"
    ).split()
)


def list_topics(texts: Sequence[str], language: str) -> list[str]:
    """What `texts` speak of, most frequent first; empty where nothing can be named.

    >>> list_topics(["The RK3588 has 8 cores. The board is green.", "The RK3588 is new."], "en")
    ['the RK3588', 'the board']
    """
    counts: Counter[str] = Counter()
    for text in texts:
        for entity in find_entities(text):
            if entity.kind in _OPEN and 2 <= len(entity.text) <= 30:
                counts[_with_article(text, entity.start, entity.text)] += 2
        if language == "en":
            counts.update(f"the {n}" for n in _NOUN_EN.findall(text) if n not in _DULL_EN)
        else:
            counts.update(n for n in _NOUN_ZH.findall(text) if not _DULL_ZH.match(n))
    return [topic for topic, _ in counts.most_common(12)]


def _with_article(text: str, start: int, name: str) -> str:
    return f"the {name}" if text[max(0, start - 4) : start].lower() == "the " else name
