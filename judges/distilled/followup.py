"""Is a question a follow-up that cannot be searched for as it stands? Chinese and English.

Three signs: a word that points back (它, 这个, it, that one), an ellipsis (那价格呢, what about …), or a
question too short to name its subject. They count only where there is a history to point back to.
"""

from __future__ import annotations

import re

_POINTS_ZH = re.compile(
    r"[它牠祂]|(?:他|她)们?(?!人|国|乡|日|山|妈|爸)|(?<![^\W_])其(?!他|它|实|中|余|次)|(?:这|那|该|此)(?:个|些|种|款|样|里|儿|边|时|次|件|位|家|本|部|项|条|段|篇|张|台|套|人|事|东西|产品|功能|公司|城市|国家|问题|方法|地方)"
    r"|(?:前者|后者|上面|上述|刚才|前面|之前(?:说|提|那)|刚刚|同样的|一样的|另一个|另外(?:一|那)|第[二三四五]个|最后一个|其中)"
)
_ELLIPSIS_ZH = re.compile(
    r"^(?:那么?|然后|所以|而且|但是?|可是|还有|另外|除此之外|除了这|除了那|此外|对了|后来|接下来|再)|呢[?？!！。]*$"
    r"|^(?:为什么|为何|怎么办|怎么做|怎么会|什么意思|多少钱|多少|几个|哪里|在哪里?|哪个|谁|何时|什么时候|好吗|可以吗|对吗|是吗|真的吗|有吗|行吗|原因|具体|详细|举例|例如|还有吗|还有别的吗|还有什么|继续|然后|结果)"
    r"(?:是)?(?:什么|呢|吗|怎么样|说说|讲讲|一下|一点|点)?[?？!！。]*$"
)
_POINTS_EN = re.compile(
    r"\b(?:it|its|it's|they|them|their|theirs|he|him|his|she|her|hers|these|those|this|that|there|ones?|the (?:same|former|latter|other|others|first one|second one|last one)|such|both|either|neither)\b",
    re.IGNORECASE,
)
_NOT_POINTING_EN = re.compile(
    r"\b(?:is|are|was|were|will|would|how many|how much|does|do) there\b|\bit (?:is|was|rains?|snows?|mean|take|cost|take|possible)s?\b(?=.*\b(?:to|that|for)\b)"
    r"|\bthat (?:is|are|was|were|has|have|had|can|could|will|would|the|a|an|i|we|you|people|do|does|did)\b|\b(?:so|such|now|say|said|says|show|shows|mean|means|believe|think|know|ensure|than|in order|fact|one of|no one|each one|which one)\s+(?:that|one)\b|\bone of\b|\bthis (?:year|month|week|day|morning|evening)\b|\bboth\b.*\band\b|\beither\b.*\bor\b",
    re.IGNORECASE,
)
_ELLIPSIS_EN = re.compile(
    r"^\W*(?:(?:and|but|so|or|ok|okay|then|also|oh)\b[ ,]|what about|how about|what else|why\W*$|why not|how so|how come|how\W*$|when\W*$|where\W*$|who\W*$|which\W*$|really\W*$|tell me more|more (?:details?|about|info)|any other|anything else|are you sure|what do you mean|go on|continue|for example|like what|such as|what(?:'s| is| are| was| were)? the (?:difference|differences|reason|reasons|cause|causes|result|cost|price|history|purpose|benefits?|disadvantages?|advantages?|symptoms?|side effects?|treatments?|alternatives?)\W*$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|[\u3400-\u9fff]|\d+")
_HAN = re.compile(r"[\u3400-\u9fff]")
SHORT_HAN = 7
SHORT_WORDS = 4


def points_back(question: str) -> bool:
    """Whether the question itself shows that it leans on an earlier turn."""
    text = question.strip()[:400]
    if _HAN.search(text):
        return bool(_POINTS_ZH.search(text) or _ELLIPSIS_ZH.search(text))
    if _ELLIPSIS_EN.search(text):
        return True
    rest = _NOT_POINTING_EN.sub(" ", text)
    return bool(_POINTS_EN.search(rest))


def is_fragment(question: str) -> bool:
    """Whether the question is so short that it may lean on an earlier turn without saying so."""
    words = _WORD.findall(question[:400])
    han = sum(1 for w in words if _HAN.match(w))
    return len(words) <= (SHORT_HAN if han * 2 > len(words) else SHORT_WORDS)
