"""What kind of answer a question asks for: a number, a time, a person, a place, or something else."""

from __future__ import annotations

import re

NUMBER, TIME, PLACE, PERSON, OTHER = "number", "time", "place", "person", "other"

_WORDS = {
    TIME: (
        r"\bwhen\b",
        r"\b(?:what|which) (?:year|date|day|month|time)\b",
        r"\bhow (?:long|old)\b",
        r"\b(?:since|until) when\b",
        "何时|什么时候|多久|多长时间|时间|日期",
        "哪一?[年天月日]|几[月号点年天]",
    ),
    NUMBER: (
        r"\bhow (?:many|much|far|tall|high|big|large|deep|fast|heavy|often)\b",
        r"\bwhat (?:percent\w*|number|amount|price|cost|fee|rate|size|population|area|age)\b",
        "多少|百分之几|面积|人口|价格|费用|金额|比例",
        "几(?:[个名人次种位所座家条项岁层度米倍元]|公里|公斤)|多[大高长远重深快宽]",
    ),
    PERSON: (r"\bwho(?:se|m)?\b", "谁|何人|哪一?(?:位|个人|些人)"),
    PLACE: (
        r"\bwhere\b",
        r"\bwhat (?:city|country|state|place|location)\b",
        "哪里|哪儿|何处|什么地方|位于",
        "哪(?:个|一个|座)(?:城市|国家|省|州|地方|地区)",
    ),
}
_KINDS = [(kind, re.compile("|".join(words), re.IGNORECASE)) for kind, words in _WORDS.items()]


def kind_of_answer(question: str) -> str:
    """What a question asks for: `number`, `time`, `person`, `place` or `other`."""
    text = question[:400]
    for kind, pattern in _KINDS:
        if pattern.search(text):
            return kind
    return OTHER
