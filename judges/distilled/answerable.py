"""Do the chunks hold an answer to this question? Coverage of the question, and the kind of answer."""

from __future__ import annotations

import re

NUMBER, TIME, PLACE, PERSON, OTHER = "number", "time", "place", "person", "other"

_KINDS = (
    (TIME, re.compile(r"\b(?:when|what (?:year|date|day|month|time)|which (?:year|date|day|month)|how long|how old|since when|until when)\b|何时|什么时候|哪(?:一)?(?:年|天|月|日)|几(?:月|号|点|年|天)|多久|多长时间|时间|日期", re.IGNORECASE)),
    (NUMBER, re.compile(r"\bhow (?:many|much|far|tall|high|big|large|deep|fast|heavy|often)\b|\bwhat (?:percent\w*|number|amount|price|cost|fee|rate|size|population|area|age)\b|多少|几(?:个|名|人|次|种|位|所|座|家|条|项|岁|层|度|米|公里|公斤|倍|元)|多(?:大|高|长|远|重|深|快|宽)|百分之几|面积|人口|价格|费用|金额|比例", re.IGNORECASE)),
    (PERSON, re.compile(r"\bwho(?:se|m)?\b|谁|哪(?:一)?(?:位|个人|些人)|何人", re.IGNORECASE)),
    (PLACE, re.compile(r"\bwhere\b|\bwhat (?:city|country|state|place|location)\b|哪里|哪儿|何处|什么地方|哪(?:个|一个|座)(?:城市|国家|省|州|地方|地区)|位于", re.IGNORECASE)),
)  # fmt: skip


def kind_of_answer(question: str) -> str:
    """What a question asks for: `number`, `time`, `person`, `place` or `other`."""
    text = question[:400]
    for kind, pattern in _KINDS:
        if pattern.search(text):
            return kind
    return OTHER
